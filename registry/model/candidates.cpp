// Registries are found through the reference graph, so that few assets are parsed. An asset is a
// candidate if it mentions the script of a registry class. Only candidates are parsed.
// hidden_candidates.cpp handles assets whose mentions cannot be read.
#include "registry/model/candidates.h"

#include <algorithm>
#include <set>

#include "registry/base/counted.h"
#include "registry/model/component_registries.h"
#include "registry/model/hidden_candidates.h"

namespace muster {
namespace {

// The declaration with this name; null if the declaration has `is_component`.
const ClassDeclaration* declaration_of(const std::vector<ClassDeclaration>& classes,
                                       std::string_view class_name) {
  const auto found = std::ranges::find(classes, class_name, &ClassDeclaration::name);
  return found == classes.end() || found->is_component ? nullptr : &*found;
}

class CandidateSearch {
 public:
  CandidateSearch(const Project& project, const std::vector<ClassDeclaration>& classes,
                  std::vector<ModelProblem>& problems)
      : project_(project), classes_(classes), problems_(problems) {}

  std::map<AssetNumber, std::string> run() {
    find_by_scripts();
    find_plain();
    find_component_registries(project_, classes_, found_, problems_);
    note_hidden_candidates(project_, classes_, found_, problems_);
    const bool has_root = std::ranges::any_of(
        found_, [](const auto& candidate) { return candidate.second == kRootClass; });
    for (ModelProblem& problem : lost_) problems_.push_back(std::move(problem));
    for (ModelProblem& problem : lost_registries_) {
      if (!has_root) problems_.push_back(std::move(problem));
    }
    return std::move(found_);
  }

 private:
  const AssetPath& path_of(AssetNumber asset) const { return project_.index().at(asset).path; }

  void add_unreadable(AssetNumber asset, std::string detail = {}) {
    problems_.push_back(
        {ModelProblem::Kind::unreadable, {path_of(asset), {}}, {}, asset, std::move(detail)});
  }

  Guid script_of(AssetNumber asset) const {
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return {};
    const auto script = yaml::reference_at(
        source.tree, source.tree.find(source.fields_of(source.document_of(0)), "m_Script"));
    return script ? script.value().guid : Guid();
  }

  // Reports an asset whose script is missing but which looks like a root or registry. An asset with
  // both keys of a root looks like a root. An asset looks like a registry if the project has no
  // root, and the first item of its list has every key of the class's last layout.
  void note_lost(AssetNumber asset, std::string_view head) {
    const bool has_list = std::ranges::any_of(
        classes_, [&](const ClassDeclaration& entry) { return names_list_of(head, entry); });
    if (!has_list && head.find("assetRegistries:") == std::string_view::npos) return;
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return;
    const yaml::Tree& tree = source.tree;
    const yaml::NodeIndex fields = source.fields_of(source.document_of(0));
    const auto script = yaml::reference_at(tree, tree.find(fields, "m_Script"));
    if (!script || project_.index().find(script.value().guid) != kNoAsset ||
        project_.is_known_elsewhere(script.value().guid) ||
        may_hide_script(project_.index(), script.value().guid)) {
      return;
    }
    const std::string tail = ", but its script " + script.value().guid.to_string() +
                             " is not in the project; restore it, or its sidecar";
    const yaml::NodeIndex list = tree.find(fields, "assetRegistries");
    if (list != yaml::kNoNode && tree.find(fields, "serverBuild") != yaml::kNoNode) {
      lost_.push_back({ModelProblem::Kind::lost_class,
                       {source.path, script.value().position},
                       script.value().guid,
                       asset,
                       "this looks like a root of registries" + tail});
      return;
    }
    for (const ClassDeclaration& entry : classes_) {
      if (!has_known_form(entry) || !has_entries_of(source, fields, entry)) continue;
      lost_registries_.push_back({ModelProblem::Kind::lost_class,
                                  {source.path, script.value().position},
                                  script.value().guid,
                                  asset,
                                  "this looks like " + with_article(entry.name) + tail +
                                      ", or declare its class in muster.yaml"});
      return;
    }
  }

  // Only built-in classes have distinctive keys. An entry of another class often has only one key.
  static bool has_known_form(const ClassDeclaration& entry) {
    return is_built_in(entry) && !entry.entry_template.empty();
  }

  // A fast test without parsing. The result can be true for a text without the list.
  static bool names_list_of(std::string_view head, const ClassDeclaration& entry) {
    return has_known_form(entry) &&
           head.find(entry.entry_template.front().key + ":") != std::string_view::npos &&
           std::ranges::any_of(entry.lists, [&](const std::string& list) {
             return head.find(list + ":") != std::string_view::npos;
           });
  }

  static bool has_entries_of(const SourceFile& source, yaml::NodeIndex fields,
                             const ClassDeclaration& entry) {
    const yaml::Tree& tree = source.tree;
    return std::ranges::any_of(entry.lists, [&](const std::string& name) {
      const yaml::NodeIndex list = tree.find(fields, name);
      if (list == yaml::kNoNode || tree.at(list).kind != yaml::NodeKind::sequence) return false;
      const yaml::NodeIndex first = tree.at(list).first_child;
      return first != yaml::kNoNode &&
             std::ranges::all_of(entry.entry_template, [&](const EntryField& field) {
               return tree.find(first, field.key) != yaml::kNoNode;
             });
    });
  }

  // The class under `m_EditorClassIdentifier` in the first lines of an asset. The class is used if
  // the asset's script is not in the project. The result is empty if the class is not a class of
  // roots or registries.
  std::string stated_class_in(std::string_view text) const {
    constexpr std::string_view kKey = "m_EditorClassIdentifier:";
    const std::size_t at = text.find(kKey);
    if (at == std::string_view::npos) return {};
    text = text.substr(at + kKey.size());
    text = text.substr(0, text.find_first_of("\r\n"));
    std::string name(text.substr(std::min(text.find_last_of(" .:") + 1, text.size())));
    return name == kRootClass || declaration_of(classes_, name) != nullptr ? name : std::string();
  }

  void find_by_scripts() {
    std::map<Guid, std::string> class_by_script;
    std::set<AssetNumber> checked;
    AssetNumber last = kNoAsset;
    bool is_asset = false;
    for (const ReferenceEdge& edge : project_.graph().edges()) {
      if (edge.in_meta || edge.kind != yaml::MentionKind::strong) continue;
      if (edge.from != last) is_asset = has_extension(path_of(edge.from), "asset");
      last = edge.from;
      if (!is_asset) continue;
      const auto [it, fresh] = class_by_script.try_emplace(edge.guid);
      if (fresh) it->second = registry_class_of(project_, classes_, edge.guid);
      std::string name = it->second;
      if (name.empty() && edge.to == kNoAsset && checked.insert(edge.from).second) {
        const auto head = project_.files().read(path_of(edge.from), 0, kObjectHeadBytes, head_);
        if (head) name = stated_class_in(as_text(head.value()));
        if (head && name.empty()) note_lost(edge.from, as_text(head.value()));
      }
      if (name.empty()) continue;
      const SourceFile& source = project_.sources().get(edge.from);
      // note_hidden_candidates() checks serialized files.
      if (source.dialect == yaml::Dialect::binary) continue;
      if (!source.good()) {
        add_unreadable(edge.from);
        continue;
      }
      const std::string own = class_of_asset(project_, edge.from);
      if (own == name || registry_class_of(project_, classes_, script_of(edge.from)) == name) {
        found_.emplace(edge.from, name);
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

  const Project& project_;
  const std::vector<ClassDeclaration>& classes_;
  std::vector<ModelProblem>& problems_;
  std::map<AssetNumber, std::string> found_;
  ByteVector head_;
  std::vector<ModelProblem> lost_;
  std::vector<ModelProblem> lost_registries_;
};

}  // namespace

std::string registry_class_of(const Project& project, const std::vector<ClassDeclaration>& classes,
                              const Guid& script) {
  for (const ClassDeclaration& entry : classes) {
    if (entry.script == script && !entry.is_component) return entry.name;
  }
  std::string name = project.scripts().class_of(script);
  if (name.empty()) return {};
  if (name == kRootClass || declaration_of(classes, name) != nullptr) return name;
  for (const ClassDeclaration& entry : classes) {
    if (!entry.is_component && project.scripts().derives_from(name, entry.name)) return entry.name;
  }
  return {};
}

std::map<AssetNumber, std::string> find_candidates(const Project& project,
                                                   const std::vector<ClassDeclaration>& classes,
                                                   std::vector<ModelProblem>& problems) {
  return CandidateSearch(project, classes, problems).run();
}

}  // namespace muster
