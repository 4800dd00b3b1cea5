// Checks the keys and values of plain files. Without these checks, the value of an unknown key, or
// a list in place of a single value, would be ignored silently. The JSON Schema (`json_schemas.h`)
// refuses the same faults.
#include <algorithm>

#include "registry/base/counted.h"
#include "registry/base/near_name.h"
#include "registry/model/path_query.h"
#include "registry/model/plain_components.h"
#include "registry/model/plain_keys.h"
#include "registry/rules/packing.h"
#include "registry/rules/validate.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::NodeKind;

const std::set<std::string>& reference_keys() {
  static const std::set<std::string> kKeys = {"fileID", "guid", "type"};
  return kKeys;
}

// The known keys of sidecars, including all keys that the editor writes.
const std::set<std::string>& sidecar_keys() {
  static const std::set<std::string> kKeys = {"fileFormatVersion", "guid",   "folderAsset",
                                              "timeCreated",       "labels", "licenseType",
                                              "AssetOrigin"};
  return kKeys;
}

// Checks the structure of one plain file.
class StructureCheck {
 public:
  StructureCheck(const Project& project, const SourceFile& file, Findings& findings)
      : project_(project), file_(file), tree_(file.tree), findings_(findings) {}

  void check_documents() {
    if (tree_.documents.size() < 2) return;
    refuse_at(tree_.documents[1].position,
              "a plain file is one document, so this second document has no effect");
  }

  /// Reports unknown keys in a sidecar.
  void check_sidecar() {
    const AssetPath path = file_.path.parent().child(std::string(file_.path.name()) + ".meta");
    ByteVector buffer;
    const auto bytes = read_whole(project_.files(), path, kSidecarBytesMax, buffer);
    if (!bytes) {
      // Another rule reports a file without a sidecar.
      if (bytes.error().code == ErrorCode::not_found) return;
      findings_.add(read_error_rule(bytes.error()), {path, {}}, bytes.error().message);
      return;
    }
    const auto read = yaml::read_plain(as_text(bytes.value()));
    if (!read.good()) {
      if (!has_index_problem(path)) {
        warn_of_sidecar(path, read.error().position, read.error().message);
      }
      return;
    }
    const yaml::Tree& sidecar = read.tree();
    // Another rule reports a sidecar without a guid.
    if (sidecar.documents.empty()) return;
    for (const NodeIndex child : Children(sidecar, sidecar.documents.front().root)) {
      const yaml::Node& node = sidecar.at(child);
      if (node.key == "folderAsset" && truth_in(sidecar, child).value_or(node.text == "yes")) {
        warn_of_sidecar(path, node.key_position, "'folderAsset' is for folders: this is a file");
      }
      const std::string key(node.key);
      if (key.empty() || sidecar_keys().contains(key) || key.ends_with("Importer")) continue;
      findings_.add("unknown-field", {path, node.key_position},
                    "unknown key '" + key + "' of a sidecar" + did_you_mean(key, sidecar_keys()));
    }
  }

  void check_prefab() {
    const NodeIndex top = file_.fields_of(0);
    const NodeIndex root = tree_.find(top, "root");
    const NodeIndex base = tree_.find(top, "variant_of");
    std::set<std::string> known = {"class", "root", "variant_of"};
    if (root == kNoNode && base == kNoNode) known.insert("components");
    for (const NodeIndex child : Children(tree_, top)) {
      if (!known.contains(key_of(child))) report_unread(child, known, "a prefab");
    }
    if (base != kNoNode) check_strong(base);
    if (root != kNoNode) check_entity(root, base, true);
  }

  void check_root() {
    const NodeIndex top = file_.fields_of(0);
    for (const NodeIndex child : Children(tree_, top)) {
      if (!root_keys().contains(key_of(child))) {
        report_unread(child, root_keys(), "a root", {"serverBuild"});
      }
    }
    check_single(tree_.find(top, "serverBuild"));
    const NodeIndex list = tree_.find(top, "assetRegistries");
    for (const NodeIndex item : Children(tree_, list)) {
      if (tree_.at(list).kind == NodeKind::sequence && !is_null(item)) check_strong(item, true);
    }
  }

  void check_registry(const ClassDeclaration& declaration) {
    const NodeIndex top = file_.fields_of(0);
    const std::set<std::string> known = registry_keys(declaration);
    for (const NodeIndex child : Children(tree_, top)) {
      if (!known.contains(key_of(child))) {
        report_unread(child, known, with_article_of(declaration), {"retired"});
      }
    }
    if (const NodeIndex retired = tree_.find(top, "retired"); retired != kNoNode) {
      check_retired(retired);
    }
    for (const std::string& name : declaration.lists) {
      const NodeIndex list = tree_.find_path(top, name);
      if (list == kNoNode || tree_.at(list).kind != NodeKind::sequence) continue;
      for (const NodeIndex item : Children(tree_, list)) check_entry(declaration, item);
      break;
    }
  }

  void check_factory() {
    const NodeIndex top = file_.fields_of(0);
    // Other keys belong to the script. Reports a key that is similar to a known key, because a
    // mistyped `components` would be ignored.
    const std::set<std::string> known = {"class", "guid", "components"};
    for (const NodeIndex child : Children(tree_, top)) {
      const std::string meant = nearest_name(key_of(child), known, 1);
      if (!meant.empty() && tree_.find(top, meant) == kNoNode) {
        report_unread(child, known, "a factory");
      }
    }
    const NodeIndex guid = tree_.find(top, "guid");
    if (guid == kNoNode || is_null(guid)) return;
    if (const auto own = any_reference_at({&file_, guid}); !own) refuse(guid, own.error().message);
    check_reference_keys(guid);
  }

  /// Reports a key of a definition that is similar to a key that the registry reads.
  void check_definition(const ClassDeclaration& declaration) {
    const NodeIndex top = file_.fields_of(0);
    const std::set<std::string> known = definition_keys(declaration);
    for (const NodeIndex child : Children(tree_, top)) {
      const std::string meant = nearest_name(key_of(child), known, 1);
      if (meant.empty() || tree_.find(top, meant) != kNoNode) continue;
      report_unread(child, known, "a definition of " + with_article_of(declaration),
                    {declaration.pool_size_path});
    }
  }

 private:
  std::string key_of(NodeIndex node) const { return std::string(tree_.at(node).key); }

  static std::string with_article_of(const ClassDeclaration& declaration) {
    return with_article(declaration.name);
  }

  bool is_null(NodeIndex node) const {
    const yaml::Node& at = tree_.at(node);
    return at.kind == NodeKind::scalar && at.text.empty() && at.style == yaml::ScalarStyle::plain;
  }

  // Whether the index has a problem for the sidecar.
  bool has_index_problem(const AssetPath& path) const {
    using enum IndexProblem::Kind;
    return std::ranges::any_of(project_.index().problems(), [&](const IndexProblem& problem) {
      const bool is_shape = problem.kind == malformed_sidecar || problem.kind == malformed_guid ||
                            problem.kind == merge_conflict || problem.kind == lfs_pointer;
      return is_shape && problem.path == path;
    });
  }

  // Reports a fault of a sidecar as a warning, because the guid is readable.
  void warn_of_sidecar(const AssetPath& path, yaml::Position position, std::string message) {
    findings_.add("wrong-shape", {path, position}, std::move(message)).severity = Severity::warning;
  }

  void refuse_at(yaml::Position position, std::string message) {
    findings_.add("wrong-shape", {file_.path, position}, std::move(message));
  }
  void refuse(NodeIndex node, std::string message) {
    refuse_at(tree_.at(node).position, std::move(message));
  }

  // Reports an unknown key. The finding is an error if the key looks like a mistyped key of
  // `critical`.
  void report_unread(NodeIndex child, const std::set<std::string>& known, const std::string& owner,
                     const std::set<std::string>& critical = {}) {
    const std::string key = key_of(child);
    Finding& finding =
        findings_.add("unknown-field", {file_.path, tree_.at(child).key_position},
                      "unknown key '" + key + "' of " + owner + did_you_mean(key, known));
    const std::string meant = nearest_name(key, known);
    if (meant.empty() || !critical.contains(meant)) return;
    finding.severity = Severity::error;
    finding.blocks_build = true;
  }

  void check_single(NodeIndex node) {
    if (node == kNoNode || tree_.at(node).kind == NodeKind::scalar) return;
    refuse(node, "'" + key_of(node) + "' must be a single value");
  }

  // Reports a value that is missing or not a scalar. Returns whether it is a scalar.
  bool check_text(NodeIndex node) {
    check_single(node);
    if (!is_null(node)) return tree_.at(node).kind == NodeKind::scalar;
    refuse(node, "'" + key_of(node) + "' has no value");
    return false;
  }

  void check_reference_keys(NodeIndex node) {
    if (tree_.at(node).kind != NodeKind::mapping) return;
    std::set<std::string> known = reference_keys();
    if (tree_.find(node, "val0") != kNoNode) known = {"val0", "val1", "val2", "val3"};
    for (const NodeIndex child : Children(tree_, node)) {
      if (!known.contains(key_of(child))) report_unread(child, known, "a reference");
    }
  }

  // Reports a reference that is null. A file id without a guid refers to nothing, because a plain
  // file has only one object.
  void check_set(NodeIndex reference) {
    check_reference_keys(reference);
    const auto read = reference_at(tree_, reference);
    if (!read || read.value().file_id == 0 || !read.value().guid.is_null()) return;
    refuse(reference, "this reference has a file id but no guid, so it refers to nothing");
  }

  void check_strong(NodeIndex node, bool blocks = false) {
    const std::string name = key_of(node).empty() ? "this item" : "'" + key_of(node) + "'";
    const auto reference = reference_at(tree_, node);
    check_reference_keys(node);
    if (reference && !reference.value().guid.is_null() && reference.value().file_id != 0) return;
    std::string why = "names nothing";
    if (!reference) why = "is none";
    if (tree_.find(node, "fileID") == kNoNode && tree_.find(node, "guid") != kNoNode) {
      why = "is a weak one";
    }
    Finding& finding = findings_.add(
        "wrong-shape", {file_.path, tree_.at(node).position},
        name + " must be a strong reference, {fileID: 1, guid: ...}, and this " + why);
    finding.blocks_build = blocks;
  }

  // --- Prefabs.

  void check_entity(NodeIndex entity, NodeIndex base, bool is_root) {
    if (tree_.at(entity).kind != NodeKind::mapping) {
      return refuse(entity, "an entity must be a mapping: name, components, children");
    }
    std::set<std::string> known = entity_keys();
    if (is_root) known.erase("prefab");
    if (base == kNoNode) known.erase("removed");
    for (const NodeIndex child : Children(tree_, entity)) {
      if (!known.contains(key_of(child))) report_entity_key(child, known, is_root);
    }
    if (const NodeIndex name = tree_.find(entity, "name"); name != kNoNode) check_text(name);
    if (const NodeIndex active = tree_.find(entity, "active"); active != kNoNode) {
      const bool is_single = check_text(active);
      if (is_single && !truth_in(tree_, active)) refuse(active, "'active' must be true or false");
    }
    if (base != kNoNode) check_removed(tree_.find(entity, "removed"), base);
    const NodeIndex children = tree_.find(entity, "children");
    if (children == kNoNode || tree_.at(children).kind != NodeKind::sequence) return;
    for (const NodeIndex child : Children(tree_, children)) {
      const NodeIndex prefab = tree_.find(child, "prefab");
      if (prefab != kNoNode) check_strong(prefab);
      check_entity(child, prefab, false);
    }
  }

  void report_entity_key(NodeIndex child, const std::set<std::string>& known, bool is_root) {
    const std::string key = key_of(child);
    const bool is_type_name = !key.empty() && key.front() >= 'A' && key.front() <= 'Z';
    if (is_type_name && nearest_name(key, known).empty()) {
      return refuse_at(
          tree_.at(child).key_position,
          "'" + key + "' is outside of 'components': indent it and begin it with '- '");
    }
    if (key == "prefab" && is_root) {
      return refuse_at(tree_.at(child).key_position,
                       "the root's base is 'variant_of' beside 'root', not 'prefab'");
    }
    if (key == "removed") {
      return refuse_at(tree_.at(child).key_position,
                       "'removed' removes components of a base, but this entity has no base");
    }
    report_unread(child, known, "an entity");
  }

  void check_removed(NodeIndex removed, NodeIndex base) {
    if (removed == kNoNode || tree_.at(removed).kind != NodeKind::sequence) return;
    const SourceEntity* const source = root_of(base);
    for (const NodeIndex item : Children(tree_, removed)) {
      const std::string name(tree_.scalar(item));
      if (!may_name_component(name, tree_.at(item).style)) {
        refuse(item, "an item of 'removed' is the name of a component");
        continue;
      }
      if (source == nullptr || source->find(name) != nullptr) continue;
      std::set<std::string> known;
      for (const SourceComponent& component : source->components) {
        known.insert(component.class_name);
      }
      refuse(item, "the base has no component '" + name + "'" + did_you_mean(name, known));
    }
  }

  // The root entity of a base; null if the base is incomplete.
  const SourceEntity* root_of(NodeIndex base) const {
    const auto reference = reference_at(tree_, base);
    if (!reference) return nullptr;
    const AssetNumber asset = project_.index().find(reference.value().guid);
    if (asset == kNoAsset || !is_prefab(project_.sources(), asset)) return nullptr;
    const SourcePrefab& prefab = project_.prefabs().flatten(asset);
    const bool is_known = !prefab.is_incomplete && !prefab.is_model && !prefab.entities.empty();
    return is_known ? &prefab.entities.front() : nullptr;
  }

  // --- Registries.

  void check_retired(NodeIndex retired) {
    if (is_null(retired) || tree_.at(retired).kind == NodeKind::sequence) return;
    findings_
        .add("malformed-type-id", {file_.path, tree_.at(retired).position},
             "'retired' is a list of type ids: write [" + std::string(tree_.scalar(retired)) + "]")
        .blocks_build = true;
  }

  void check_entry(const ClassDeclaration& declaration, NodeIndex entry) {
    if (tree_.at(entry).kind != NodeKind::mapping) return;
    if (tree_.find(entry, "fileID") != kNoNode) return check_set(entry);
    std::set<std::string> known = entry_keys(declaration);
    if (are_entries_references(declaration)) {
      known.insert({"guid", "val0", "val1", "val2", "val3"});
    }
    for (const NodeIndex child : Children(tree_, entry)) {
      if (known.contains(key_of(child))) continue;
      report_unread(child, known, "an entry of " + with_article_of(declaration),
                    {"type_id", declaration.pool_size_path});
    }
    check_number(tree_.find(entry, "type_id"), "malformed-type-id");
    if (!declaration.pool_size_path.empty()) {
      check_number(tree_.find(entry, declaration.pool_size_path), "bad-pool-size");
    }
    for (const EntryReferenceKey& key : entry_reference_keys(declaration)) {
      const NodeIndex value = tree_.find(entry, key.key);
      if (value != kNoNode) check_entry_reference(key, value);
    }
  }

  // Reports a value that is not a number.
  void check_number(NodeIndex node, std::string_view rule) {
    if (node == kNoNode || tree_.at(node).kind != NodeKind::scalar) return;
    if (tree_.at(node).style == yaml::ScalarStyle::plain) return;
    findings_
        .add(rule, {file_.path, tree_.at(node).position},
             "'" + key_of(node) + "' is a number: write it without quotes")
        .blocks_build = true;
  }

  void check_entry_reference(const EntryReferenceKey& key, NodeIndex value) {
    if (key.is_list) {
      if (is_null(value)) return;
      if (tree_.at(value).kind != NodeKind::sequence) {
        return refuse(value, "'" + key.key + "' must be a list");
      }
      for (const NodeIndex item : Children(tree_, value)) check_value(key, item);
    } else {
      check_value(key, value);
    }
  }

  void check_value(const EntryReferenceKey& key, NodeIndex value) {
    if (is_null(value)) return;
    const bool is_mapping = tree_.at(value).kind == NodeKind::mapping;
    const bool is_strong = is_mapping && tree_.find(value, "fileID") != kNoNode;
    const bool is_weak = is_mapping && !is_strong && tree_.find(value, "guid") != kNoNode;
    if (is_mapping && key.may_be_inline && !is_strong && !is_weak) return;
    if (is_strong) return check_set(value);
    check_reference_keys(value);
    if (!key.is_strong) return;
    const std::string_view text = tree_.scalar(value);
    if (tree_.at(value).kind == NodeKind::scalar && text.empty()) return;
    check_strong(value, true);
  }

  const Project& project_;
  const SourceFile& file_;
  const yaml::Tree& tree_;
  Findings& findings_;
};

const ClassDeclaration* registry_class(const Project& project, std::string_view name) {
  const auto& classes = project.model().classes;
  const auto found = std::ranges::find(classes, name, &ClassDeclaration::name);
  return found == classes.end() ? nullptr : &*found;
}

// The registry class whose entries refer to definitions of this class; null if none exists.
const ClassDeclaration* class_of_definitions(const Project& project, std::string_view name) {
  for (const ClassDeclaration& declaration : project.model().classes) {
    for (const PrepareRule& rule : declaration.prepare) {
      const bool is_definition = !rule.assets_of_class.empty() && rule.strong &&
                                 project.scripts().derives_from(name, rule.assets_of_class);
      if (is_definition) return &declaration;
    }
  }
  return nullptr;
}

}  // namespace

void check_structure(const Project& project, bool with_sidecars, Findings& findings) {
  for (AssetNumber asset = 0; asset < project.index().assets().size(); ++asset) {
    const std::string& name = project.sources().plain_class(asset);
    if (name.empty()) continue;
    const ClassDeclaration* const declaration = registry_class(project, name);
    const bool is_factory = project.scripts().derives_from(name, kFactoryClass);
    const ClassDeclaration* const holder = class_of_definitions(project, name);
    const bool is_known = name == "Prefab" || name == kRootClass || declaration != nullptr ||
                          is_factory || holder != nullptr;
    if (!is_known) continue;
    const SourceFile& file = project.sources().get(asset);
    if (!file.good() || file.tree.documents.empty()) continue;
    StructureCheck check(project, file, findings);
    check.check_documents();
    if (with_sidecars) check.check_sidecar();
    if (name == "Prefab") {
      check.check_prefab();
    } else if (name == kRootClass) {
      check.check_root();
    } else if (declaration != nullptr) {
      check.check_registry(*declaration);
    } else if (is_factory) {
      check.check_factory();
    }
    if (holder != nullptr) check.check_definition(*holder);
  }
}

}  // namespace muster
