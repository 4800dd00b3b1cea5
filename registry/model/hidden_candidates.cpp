// The mentions of an unreadable asset are unknown. If the asset were ignored, a build could succeed
// without the content of a registry. So the asset counts as a possible root or registry, except in
// these cases:
// - the project has no script of such a class;
// - the sidecar or the file's first bytes name another kind of main object (lighting, terrain, a
// mesh);
// - the first bytes name another script;
// - the asset is a complete serialized file of the engine that names no script of such a class.
#include "registry/model/hidden_candidates.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "registry/model/candidates.h"
#include "registry/project/serialized_guids.h"

namespace muster {
namespace {

using ProblemKind = ContentProblem::Kind;

// A registry is never larger, because an entry needs less than 100 bytes.
constexpr std::uint64_t kBinaryBytesMax = 64ULL * 1024 * 1024;
constexpr std::string_view kDocument = "--- !u!";
constexpr std::string_view kScriptedType = "114";

// True if the first object of a text asset has a script, or if the asset has no object. False for
// JSON, which is not a format of the engine.
bool may_be_scripted(std::string_view head) {
  if (head.substr(0, 1) == "{") return false;
  std::size_t at = head.starts_with(kDocument) ? 0 : head.find("\n--- !u!");
  if (at == std::string_view::npos) return true;
  at += head[at] == '\n' ? 1 + kDocument.size() : kDocument.size();
  const std::string_view type = head.substr(at, head.find_first_not_of("0123456789", at) - at);
  return type == kScriptedType || at + type.size() == head.size();
}

class HiddenSearch {
 public:
  HiddenSearch(const Project& project, const std::vector<ClassDeclaration>& classes,
               std::vector<ModelProblem>& problems)
      : project_(project), classes_(classes), problems_(problems) {}

  void run(const std::map<AssetNumber, std::string>& found) {
    std::set<AssetNumber> odd;
    found_ = &found;
    for (const ContentProblem& problem : project_.graph().problems()) {
      // The scanner has found the script of these assets.
      if (problem.kind == ProblemKind::invalid_utf8 || problem.kind == ProblemKind::conflict)
        continue;
      odd.insert(problem.asset);
      if (found.contains(problem.asset) || !may_be_candidate(problem)) continue;
      note(problem.asset);
    }
    for (AssetNumber asset = 0; asset < project_.index().assets().size(); ++asset) {
      if (!has_extension(path_of(asset), "asset") || project_.index().at(asset).is_folder) continue;
      if (odd.contains(asset) || mentions_anything(asset)) continue;
      if (is_cut_short(asset)) note(asset);
    }
  }

 private:
  const AssetPath& path_of(AssetNumber asset) const { return project_.index().at(asset).path; }

  void note(AssetNumber asset) {
    problems_.push_back({ModelProblem::Kind::textless,
                         {path_of(asset), {}},
                         {},
                         asset,
                         "may be a root or registry"});
  }

  bool mentions_anything(AssetNumber asset) const {
    return std::ranges::any_of(project_.graph().from(asset), [](const ReferenceEdge& edge) {
      return !edge.in_meta && edge.is_strong();
    });
  }

  bool may_be_candidate(const ContentProblem& problem) {
    const bool is_textless = problem.kind == ProblemKind::lfs_pointer ||
                             problem.kind == ProblemKind::binary ||
                             problem.kind == ProblemKind::foreign_text;
    if (is_plain_path(path_of(problem.asset))) return is_textless;
    if (!has_extension(path_of(problem.asset), "asset")) return false;
    if (is_of_other_kind(problem.asset)) return false;
    if (problem.kind == ProblemKind::binary && !may_be_binary_candidate(problem.asset))
      return false;
    if (scripts().empty()) return false;
    return problem.kind != ProblemKind::too_large || may_name_script(head_of(problem.asset));
  }

  bool may_be_binary_candidate(AssetNumber asset) {
    ByteVector buffer;
    const auto bytes = read_whole(project_.files(), path_of(asset), kBinaryBytesMax, buffer);
    if (!bytes) return bytes.error().code != ErrorCode::limit_exceeded;
    const std::string_view text = as_text(bytes.value());
    if (!is_whole_serialized_file(text)) return true;
    if (!named_scripts_) named_scripts_.emplace(all_scripts());
    bool names_any = false;
    named_scripts_->search(text, [&](const Guid& script, std::size_t) {
      names_any = names_any || elsewhere().contains(script) ||
                  !registry_class_of(project_, classes_, script).empty();
    });
    return names_any;
  }

  std::vector<Guid> all_scripts() {
    std::vector<Guid> guids(elsewhere().begin(), elsewhere().end());
    for (const Asset& asset : project_.index().assets()) {
      if (has_extension(asset.path, "cs")) guids.push_back(asset.guid);
    }
    return guids;
  }

  // True for an empty file, and for a file that ends before the script of its object. (If the
  // script of an object is lost, Unity writes the file id 0, so the file still has a script.)
  bool is_cut_short(AssetNumber asset) {
    if (!may_be_scripted(head_of(asset))) return false;
    if (is_of_other_kind(asset) || scripts().empty()) return false;
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return true;
    const yaml::NodeIndex fields = source.fields_of(source.document_of(0));
    if (fields == yaml::kNoNode) return true;
    const yaml::NodeIndex script = source.tree.find(fields, "m_Script");
    return script == yaml::kNoNode || source.tree.at(script).kind != yaml::NodeKind::mapping;
  }

  bool may_name_script(std::string_view head) {
    if (!may_be_scripted(head)) return false;
    std::optional<Guid> first;
    yaml::scan_mentions(head, [&](const yaml::Mention& mention) {
      if (!first && mention.kind == yaml::MentionKind::strong) first = mention.guid;
    });
    return !first || scripts().contains(*first);
  }

  // The first bytes of an asset. The result is valid until the next call.
  std::string_view head_of(AssetNumber asset) {
    const auto head = project_.files().read(path_of(asset), 0, kObjectHeadBytes, head_);
    return head ? as_text(head.value()) : std::string_view{};
  }

  // The scripts of root and registry classes. The list is computed on the first call, because this
  // reads every script.
  const std::set<Guid>& scripts() {
    if (scripts_) return *scripts_;
    scripts_.emplace();
    const auto add = [&](std::string_view base) {
      for (const Guid& guid : project_.scripts().scripts_deriving_from(base))
        scripts_->insert(guid);
    };
    add(kRootClass);
    for (const ClassDeclaration& entry : classes_) add(entry.name);
    scripts_->insert(elsewhere().begin(), elsewhere().end());
    return *scripts_;
  }

  // The scripts in `scripts()` that may be outside the project: scripts that the project declares,
  // and the scripts of assets whose class is known from `m_EditorClassIdentifier`.
  const std::set<Guid>& elsewhere() {
    if (elsewhere_) return *elsewhere_;
    elsewhere_.emplace();
    for (const ClassDeclaration& entry : classes_) {
      if (entry.script && !entry.is_assumed) elsewhere_->insert(*entry.script);
    }
    for (const auto& [asset, name] : *found_) {
      for (const ReferenceEdge& edge : project_.graph().from(asset)) {
        if (edge.in_meta || !edge.is_strong()) continue;
        elsewhere_->insert(edge.guid);  // The first mention is the script.
        break;
      }
    }
    return *elsewhere_;
  }

  // A main object of the engine has the id `type * 100000`. Scripted objects have id 11400000 or a
  // random id. The ids 0 and -1 give no information.
  bool is_of_other_kind(AssetNumber asset) const {
    constexpr std::int64_t kObjectsPerType = 100'000;
    if (has_foreign_importer(project_.files(), path_of(asset))) return true;
    const std::int64_t id = main_id_in_sidecar(project_.files(), path_of(asset));
    return id > 0 && id % kObjectsPerType == 0 && id != SourceFile::kDefaultMainId;
  }

  const Project& project_;
  const std::vector<ClassDeclaration>& classes_;
  std::vector<ModelProblem>& problems_;
  const std::map<AssetNumber, std::string>* found_ = nullptr;
  std::optional<std::set<Guid>> scripts_;
  std::optional<std::set<Guid>> elsewhere_;
  std::optional<SerializedGuids> named_scripts_;
  ByteVector head_;
};

}  // namespace

bool hides_candidate(const IndexProblem& problem) {
  constexpr std::string_view kSidecar = ".meta";
  using enum IndexProblem::Kind;
  if (problem.kind != unreadable && problem.kind != lfs_pointer && problem.kind != merge_conflict &&
      problem.kind != malformed_guid && problem.kind != malformed_sidecar) {
    return false;
  }
  const std::string_view name = problem.path.name();
  if (!name.ends_with(kSidecar)) return problem.kind == unreadable;
  const auto asset =
      AssetPath::parse(problem.path.text().substr(0, problem.path.text().size() - kSidecar.size()));
  return asset && (has_extension(asset.value(), "asset") || has_extension(asset.value(), "cs") ||
                   is_plain_path(asset.value()));
}

bool may_hide_script(const AssetIndex& index, const Guid& script) {
  return std::ranges::any_of(index.problems(), [&](const IndexProblem& problem) {
    return hides_candidate(problem) ||
           (problem.kind == IndexProblem::Kind::duplicate_guid && problem.guid == script);
  });
}

void note_hidden_candidates(const Project& project, const std::vector<ClassDeclaration>& classes,
                            const std::map<AssetNumber, std::string>& found,
                            std::vector<ModelProblem>& problems) {
  HiddenSearch(project, classes, problems).run(found);
}

}  // namespace muster
