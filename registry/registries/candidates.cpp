// Registries are found over the graph, not by parsing everything: an asset is a candidate when it
// mentions the script of a registry class, and only candidates are parsed.
//
// An asset without text mentions nothing that could be found. To pass it over would be to build a
// game without its content and call that a success, so it counts as a root or registry until
// something tells that it is none: the project has no script of such a class; the sidecar names
// another kind of main object (lighting, terrain, navigation); or the bytes are a serialized file
// of the engine, whole, that names none of those scripts.
#include "registry/registries/candidates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace muster {
namespace {

// The main object of a sidecar is within its first lines.
constexpr std::uint64_t kSidecarHeadBytes = 16ULL * 1024;
// A root or registry of more bytes than this is none: entries have some tens of bytes each.
constexpr std::uint64_t kBinaryBytesMax = 64ULL * 1024 * 1024;
constexpr std::int64_t kScriptedObjectId = 11400000;

const ClassDeclaration* declaration_of(const std::vector<ClassDeclaration>& classes,
                                       std::string_view class_name) {
  const auto found = std::ranges::find(classes, class_name, &ClassDeclaration::name);
  return found == classes.end() ? nullptr : &*found;
}

std::uint64_t big_endian_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (const char c : bytes.substr(offset, size)) {
    value = value << 8U | static_cast<unsigned char>(c);
  }
  return value;
}

// The head of the engine's serialized files: the size of the whole is in it, in 32 bits until
// version 21 and in 64 since. What does not fit it may be anything.
bool is_whole_serialized_file(std::string_view bytes) {
  constexpr std::size_t kHeadBytes = 48;
  if (bytes.size() < kHeadBytes) return false;
  const std::uint64_t version = big_endian_at(bytes, 8, 4);
  if (version < 9 || version > 64) return false;
  const std::uint64_t size =
      version < 22 ? big_endian_at(bytes, 4, 4) : big_endian_at(bytes, 24, 8);
  return size == bytes.size();
}

// A guid inside serialized files: the digits of each byte are swapped.
std::string serialized(const Guid& guid) {
  const std::string text = guid.to_string();
  std::string bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    const std::array<char, 2> swapped{text[i + 1], text[i]};
    unsigned value = 0;
    std::from_chars(swapped.data(), swapped.data() + swapped.size(), value, 16);
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

class CandidateSearch {
 public:
  CandidateSearch(const Project& project, const std::vector<ClassDeclaration>& classes,
                  std::vector<ModelProblem>& problems)
      : project_(project), classes_(classes), problems_(problems) {}

  std::map<AssetNumber, std::string> run() {
    find_by_scripts();
    find_plain();
    note_textless();
    return std::move(found_);
  }

 private:
  const AssetPath& path_of(AssetNumber asset) const { return project_.index().at(asset).path; }

  void add_unreadable(AssetNumber asset, std::string detail = {}) {
    problems_.push_back(
        {ModelProblem::Kind::unreadable, {path_of(asset), {}}, {}, asset, std::move(detail)});
  }

  // The registry class that a script is or derives from; empty when none.
  std::string registry_class_of(const Guid& script) const {
    for (const ClassDeclaration& entry : classes_) {
      if (entry.script == script) return entry.name;
    }
    std::string name = project_.scripts().class_of(script);
    if (name.empty()) return {};
    if (name == kRootClass || declaration_of(classes_, name) != nullptr) return name;
    for (const ClassDeclaration& entry : classes_) {
      if (project_.scripts().derives_from(name, entry.name)) return entry.name;
    }
    return {};
  }

  Guid script_of(AssetNumber asset) const {
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return {};
    const auto script = yaml::reference_at(
        source.tree, source.tree.find(source.fields_of(source.document_of(0)), "m_Script"));
    return script ? script.value().guid : Guid();
  }

  void find_by_scripts() {
    std::map<Guid, std::string> class_by_script;
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      if (edge.in_meta || edge.kind != yaml::MentionKind::strong ||
          !has_extension(path_of(edge.from), "asset")) {
        continue;
      }
      const auto [place, fresh] = class_by_script.try_emplace(edge.guid);
      if (fresh) place->second = registry_class_of(edge.guid);
      if (place->second.empty()) continue;
      if (!project_.sources().get(edge.from).good()) {
        add_unreadable(edge.from);
        continue;
      }
      const std::string own = class_of_asset(project_, edge.from);
      if (own == place->second || registry_class_of(script_of(edge.from)) == place->second) {
        found_.emplace(edge.from, place->second);
      }
    }
  }

  void find_plain() {
    for (AssetNumber asset = 0; asset < project_.index().assets().size(); ++asset) {
      const std::string& name = project_.sources().plain_class(asset);
      if (const Error* error = project_.sources().plain_class_error(asset)) {
        add_unreadable(asset, error->message);
        continue;
      }
      if (name != kRootClass && declaration_of(classes_, name) == nullptr) continue;
      if (project_.sources().get(asset).good()) {
        found_.emplace(asset, name);
      } else {
        add_unreadable(asset);
      }
    }
  }

  void note_textless() {
    for (const ContentProblem& problem : project_.graph().problems()) {
      const bool is_textless = problem.kind == ContentProblem::Kind::lfs_pointer ||
                               problem.kind == ContentProblem::Kind::binary;
      const AssetPath& path = path_of(problem.asset);
      if (!is_textless || (!has_extension(path, "asset") && !is_plain_path(path))) continue;
      if (!may_be_candidate(problem)) continue;
      problems_.push_back({ModelProblem::Kind::textless,
                           {path, {}},
                           {},
                           problem.asset,
                           "may be a root or registry"});
    }
  }

  bool may_be_candidate(const ContentProblem& problem) {
    if (is_plain_path(path_of(problem.asset))) return true;
    if (is_of_other_kind(problem.asset) || scripts().empty()) return false;
    if (problem.kind == ContentProblem::Kind::lfs_pointer) return true;
    ByteVector buffer;
    const auto bytes =
        read_whole(project_.files(), path_of(problem.asset), kBinaryBytesMax, buffer);
    if (!bytes) return bytes.error().code != ErrorCode::limit_exceeded;
    const std::string_view text = as_text(bytes.value());
    if (!is_whole_serialized_file(text)) return true;
    return std::ranges::any_of(scripts(), [&](const Guid& script) {
      return text.find(serialized(script)) != std::string_view::npos;
    });
  }

  // The scripts of roots and registries. Looked for only when it matters: it reads every script.
  const std::set<Guid>& scripts() {
    if (scripts_) return *scripts_;
    scripts_.emplace();
    const auto add = [&](std::string_view base) {
      for (const Guid& guid : project_.scripts().scripts_deriving_from(base))
        scripts_->insert(guid);
    };
    add(kRootClass);
    for (const ClassDeclaration& entry : classes_) {
      add(entry.name);
      if (entry.script) scripts_->insert(*entry.script);
    }
    return *scripts_;
  }

  // A sidecar names the main object by its id; those of scripted objects have one and the same.
  // 0 and -1 say nothing.
  bool is_of_other_kind(AssetNumber asset) const {
    constexpr std::string_view kKey = "mainObjectFileID:";
    const AssetPath& path = path_of(asset);
    ByteVector buffer;
    const auto meta = project_.files().read(path.parent().child(std::string(path.name()) + ".meta"),
                                            0, kSidecarHeadBytes, buffer);
    if (!meta) return false;
    std::string_view text = as_text(meta.value());
    const std::size_t at = text.find(kKey);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + kKey.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    std::int64_t id = 0;
    std::from_chars(text.data(), text.data() + text.size(), id);
    return id != 0 && id != -1 && id != kScriptedObjectId;
  }

  const Project& project_;
  const std::vector<ClassDeclaration>& classes_;
  std::vector<ModelProblem>& problems_;
  std::map<AssetNumber, std::string> found_;
  std::optional<std::set<Guid>> scripts_;
};

}  // namespace

std::map<AssetNumber, std::string> find_candidates(const Project& project,
                                                   const std::vector<ClassDeclaration>& classes,
                                                   std::vector<ModelProblem>& problems) {
  return CandidateSearch(project, classes, problems).run();
}

}  // namespace muster
