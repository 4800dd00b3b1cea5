#include "registry/model/registry_model.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "registry/base/counted.h"
#include "registry/model/candidates.h"
#include "registry/model/component_registries.h"
#include "registry/model/entry_reader.h"
#include "registry/model/hidden_candidates.h"
#include "registry/model/namesakes.h"
#include "registry/model/path_query.h"
#include "registry/model/project.h"
#include "registry/model/type_ids.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

const IdLock kNoLock;

class ModelBuilder {
 public:
  ModelBuilder(const Project& project, std::vector<ClassDeclaration> classes)
      : project_(project), entries_(project, model_.problems) {
    model_.classes = std::move(classes);
  }

  RegistryModel build() {
    for (ClassDeclaration& entry : model_.classes) adapt_to_layout(entry);
    model_.locks = read_lock_files(project_.files(), project_.index());
    note_unreadable_locks();
    candidates_ = find_candidates(project_, model_.classes, model_.problems);
    model_.namesakes = extract_namesakes(project_, model_.classes, candidates_);
    for (const auto& [asset, class_name] : candidates_) {
      if (class_name == kRootClass) {
        read_root(asset);
      } else {
        read_registry(asset, *declaration_of(class_name));
      }
    }
    apply_roots();
    std::ranges::sort(model_.registries, [&](const Registry& a, const Registry& b) {
      return std::tie(a.declaration->name, path_of(a)) < std::tie(b.declaration->name, path_of(b));
    });
    for (const ClassDeclaration& entry : model_.classes) number_class(entry);
    drop_repeated_problems();
    return std::move(model_);
  }

 private:
  const AssetPath& path_of(const Registry& registry) const {
    return project_.index().at(registry.asset).path;
  }

  // Sets the properties that depend on the layout. The base class of the definitions determines the
  // layout.
  void adapt_to_layout(ClassDeclaration& entry) const {
    if (!entry.first_id_by_layout && !entry.is_in_last_layout) return;
    for (const PrepareRule& rule : entry.prepare) {
      const auto is_a = [&](std::string_view base) {
        return project_.scripts().derives_from(rule.assets_of_class, base);
      };
      const bool is_first = is_a("DynamicEnum");
      const bool is_second = is_a("ScriptableObjectRegistryEntry");
      if (entry.first_id_by_layout && is_first) entry.first_id = 1;
      if (entry.first_id_by_layout && is_second) entry.first_id = 0;
      if (!entry.is_in_last_layout || is_first || is_second || !is_a("ScriptableObject")) continue;
      entry.definitions_store_ids = false;
      for (ReferenceRule& reference : entry.references) {
        std::erase_if(reference.unless,
                      [](const std::string& key) { return key.ends_with("registryId"); });
      }
    }
  }

  void number_class(const ClassDeclaration& declaration) {
    std::vector<RegistryIds> registries;
    for (Registry& registry : model_.registries) {
      if (registry.declaration != &declaration || !declaration.has_ids) continue;
      const LockFile* file = model_.lock_of(registry.asset);
      registries.push_back({&registry, file == nullptr ? &kNoLock : &file->lock});
    }
    assign_type_ids(registries);
  }

  const ClassDeclaration* declaration_of(std::string_view class_name) const {
    const auto found = std::ranges::find(model_.classes, class_name, &ClassDeclaration::name);
    return found == model_.classes.end() ? nullptr : &*found;
  }

  SourceNode fields_of(AssetNumber asset) const {
    const SourceFile& source = project_.sources().get(asset);
    return {&source, source.fields_of(source.document_of(0))};
  }

  void add_problem(ModelProblem::Kind kind, Location location, std::string detail,
                   AssetNumber asset = kNoAsset) {
    model_.problems.push_back({kind, std::move(location), {}, asset, std::move(detail)});
  }

  void note_unreadable_locks() {
    for (const LockFile& file : model_.locks) {
      if (!file.error) continue;
      add_problem(ModelProblem::Kind::unreadable, {file.path, file.fault}, file.error->message,
                  file.registry);
    }
  }

  // Accepts 0 and 1 (written by Unity), and true and false. Reports any other value.
  std::optional<bool> flag_at(const SourceNode& fields, std::string_view key) {
    const NodeIndex node = fields.source->tree.find(fields.node, key);
    if (node == kNoNode) return std::nullopt;
    const bool is_plain = fields.source->dialect == yaml::Dialect::plain;
    const bool is_text = fields.source->tree.at(node).style != yaml::ScalarStyle::plain;
    const auto value = is_plain && is_text ? std::nullopt : truth_in(fields.source->tree, node);
    if (value.value_or(false)) return true;
    if (!value) {
      add_problem(ModelProblem::Kind::malformed_flag, SourceNode{fields.source, node}.location(),
                  "'" + std::string(key) + "' must be 0 or false, or 1 or true");
    }
    return false;
  }

  // Reports a registry without its list if the registry has a list under another key. A registry
  // without any list counts as new and is valid.
  void note_missing_list(const Registry& registry, const SourceNode& fields) {
    const yaml::Tree& tree = fields.source->tree;
    for (const NodeIndex child : Children(tree, fields.node)) {
      const yaml::Node& node = tree.at(child);
      if (node.kind != yaml::NodeKind::sequence || node.key == "retired") continue;
      add_problem(ModelProblem::Kind::missing_list, {fields.source->path, node.key_position},
                  with_article(registry.declaration->name) + " has its entries under '" +
                      registry.declaration->lists.front() + "', but there is only '" +
                      std::string(node.key) + "'",
                  registry.asset);
      return;
    }
  }

  // Reports a scalar or mapping in place of a list, because it would be read as an empty list.
  bool is_list(const SourceNode& list, AssetNumber asset) {
    if (list.node == kNoNode) return false;
    const yaml::Tree& tree = list.source->tree;
    const yaml::Node& node = tree.at(list.node);
    const bool is_null = node.kind == yaml::NodeKind::scalar && tree.scalar(list.node).empty();
    if (node.kind == yaml::NodeKind::sequence || is_null) return true;
    add_problem(ModelProblem::Kind::missing_list, list.location(),
                "'" + std::string(node.key) + "' must be a list", asset);
    return false;
  }

  // Reports a repeated key, which a merge can cause. Muster would read only the first value.
  void note_repeated(const SourceNode& fields, std::string_view key, AssetNumber asset) {
    const yaml::Tree& tree = fields.source->tree;
    const NodeIndex first = tree.find(fields.node, key);
    for (const NodeIndex child : Children(tree, fields.node)) {
      if (child == first || tree.at(child).key != key) continue;
      add_problem(
          ModelProblem::Kind::unreadable, {fields.source->path, tree.at(child).key_position},
          "'" + std::string(key) + "' is repeated here, and only the first one is used", asset);
    }
  }

  void read_root(AssetNumber asset) {
    RegistryRoot root;
    root.asset = asset;
    const SourceNode fields = fields_of(asset);
    const yaml::Tree& tree = fields.source->tree;
    const bool is_server = flag_at(fields, "serverBuild").value_or(false);
    root.target = is_server ? Target::server : Target::client;
    const NodeIndex list = tree.find(fields.node, "assetRegistries");
    if (list == kNoNode) {
      add_problem(ModelProblem::Kind::missing_list, {fields.source->path, {}},
                  "this root has no 'assetRegistries'", asset);
    }
    note_repeated(fields, "assetRegistries", asset);
    const bool has_list = is_list({fields.source, list}, asset);
    for (const NodeIndex node : Children(tree, has_list ? list : kNoNode)) {
      const SourceNode at{fields.source, node};
      RegistryRoot::Item item;
      item.location = at.location();
      const auto reference = any_reference_at(at);
      if (!reference) {
        add_problem(ModelProblem::Kind::malformed_reference, at.location(),
                    reference.error().message);
        continue;
      }
      item.guid = reference.value().guid;
      item.is_null = !reference.value().is_set();
      item.asset = project_.index().find(item.guid);
      item.is_misplaced = !check_target_of(item, reference.value());
      root.items.push_back(std::move(item));
    }
    model_.roots.push_back(std::move(root));
  }

  // Reports an item of a root that does not refer to the main object of a file. Then returns false.
  bool check_target_of(const RegistryRoot::Item& item, const AnyReference& reference) {
    const auto refuse = [&](std::string why) {
      model_.problems.push_back(
          {ModelProblem::Kind::wrong_target, item.location, item.guid, kNoAsset, std::move(why)});
      return false;
    };
    const bool is_in_root = item.guid.is_null() && reference.file_id != 0;
    if (is_in_root || is_inside_container(item.asset, reference.file_id)) {
      return refuse(std::string("a registry inside of ") +
                    (is_in_root ? "its root's file" : "another asset") +
                    " is not read; save it as an asset of its own");
    }
    if (!candidates_.contains(item.asset)) return true;
    const SourceFile& source = project_.sources().get(item.asset);
    if (source.document_of(reference.file_id) == source.document_of(0)) return true;
    return refuse("object " + std::to_string(reference.file_id) + " of '" + source.path.text() +
                  "' is not its registry");
  }

  // Whether an object of an asset is a registry although it is not the main object.
  bool is_inside_container(AssetNumber asset, std::int64_t file_id) const {
    if (asset == kNoAsset || !has_extension(project_.index().at(asset).path, "asset")) return false;
    const SourceFile& source = project_.sources().get(asset);
    if (!source.good()) return false;
    const int document = source.document_of(file_id);
    if (document < 0 || document == source.document_of(0)) return false;
    const auto script =
        yaml::reference_at(source.tree, source.tree.find(source.fields_of(document), "m_Script"));
    return script && !registry_class_of(project_, model_.classes, script.value().guid).empty();
  }

  // Reads a component registry. Its `list` stays empty, because the file is never written.
  void read_components(AssetNumber asset, const ClassDeclaration& declaration) {
    Registry registry;
    registry.asset = asset;
    registry.declaration = &declaration;
    const SourceFile& source = project_.sources().get(asset);
    ComponentEntries found = component_entries(project_, model_.classes, declaration, source);
    std::vector<NodeIndex> nodes = std::move(found.single);
    for (const NodeIndex list : found.lists) {
      if (!is_list({&source, list}, asset)) continue;
      for (const NodeIndex node : Children(source.tree, list)) nodes.push_back(node);
    }
    std::ranges::sort(nodes, {}, [&](NodeIndex node) { return source.tree.at(node).position; });
    for (const NodeIndex node : nodes) {
      registry.entries.push_back(
          entries_.read(declaration, {&source, node}, registry.entries.size()));
    }
    model_.registries.push_back(std::move(registry));
  }

  void read_registry(AssetNumber asset, const ClassDeclaration& declaration) {
    if (declaration.is_component) return read_components(asset, declaration);
    Registry registry;
    registry.asset = asset;
    registry.declaration = &declaration;
    const SourceNode fields = fields_of(asset);
    const yaml::Tree& tree = fields.source->tree;
    // Only the oldest layout stores the side of a registry under this key.
    if (!declaration.provider_interface.empty()) registry.server_flag = flag_at(fields, "server");
    for (const std::string& list : declaration.lists) {
      if (registry.list == kNoNode) registry.list = tree.find_path(fields.node, list);
      note_repeated(fields, list, asset);
    }
    // A longer list cannot have type ids, and reading such a list would need gigabytes. The whole
    // list is skipped, because `prepare` would delete entries that were not read.
    const bool is_counted = registry.list != kNoNode && declaration.has_ids;
    if (is_counted && tree.at(registry.list).child_count > TypeId::kMax + 1U) {
      add_problem(ModelProblem::Kind::too_many, SourceNode{fields.source, registry.list}.location(),
                  "this list has " + std::to_string(tree.at(registry.list).child_count) +
                      " entries, but there are only 65,535 type ids",
                  asset);
      return;
    }
    const bool has_list = is_list({fields.source, registry.list}, asset);
    for (const NodeIndex node : Children(tree, has_list ? registry.list : kNoNode)) {
      registry.entries.push_back(
          entries_.read(declaration, {fields.source, node}, registry.entries.size()));
    }
    const bool is_plain = fields.source->dialect == yaml::Dialect::plain;
    const NodeIndex retired = is_plain ? tree.find(fields.node, "retired") : kNoNode;
    for (const NodeIndex node : Children(tree, retired)) {
      const auto id = tree.integer(node);
      const Location location = SourceNode{fields.source, node}.location();
      if (!id || id.value() < 0 || id.value() > TypeId::kMax) {
        add_problem(ModelProblem::Kind::malformed_type_id, location,
                    "a retired type id is a number from 0 to 65534");
        continue;
      }
      registry.retired.emplace_back(TypeId(static_cast<std::uint32_t>(id.value())), location);
    }
    if (registry.list == kNoNode) note_missing_list(registry, fields);
    model_.registries.push_back(std::move(registry));
  }

  // Reports the items of a root that are not registries.
  void note_unknown_items(const RegistryRoot& root) {
    for (const RegistryRoot::Item& item : root.items) {
      const bool known = std::ranges::any_of(model_.registries, [&](const Registry& registry) {
        return registry.asset == item.asset;
      });
      if (known || item.asset == kNoAsset || item.is_misplaced) continue;
      const auto candidate = candidates_.find(item.asset);
      if (candidate != candidates_.end() && candidate->second != kRootClass) continue;
      if (!project_.sources().get(item.asset).good()) {
        model_.problems.push_back(
            {ModelProblem::Kind::unreadable, item.location, item.guid, item.asset, {}});
        continue;
      }
      const std::string path = "'" + project_.index().at(item.asset).path.text() + "'";
      const std::string name = class_of_asset(project_, item.asset);
      if (name.empty() && !may_hide_script(project_.index(), script_of(item.asset))) {
        model_.problems.push_back({ModelProblem::Kind::lost_class, item.location, item.guid,
                                   item.asset, "the root lists " + path + ", " + lost(item.asset)});
        continue;
      }
      model_.problems.push_back(
          {ModelProblem::Kind::unknown_class, item.location, item.guid, item.asset,
           path + (name.empty() ? " is of an unknown class"
                                : " is of class '" + name + "', which is not declared")});
    }
  }

  Guid script_of(AssetNumber asset) const {
    const SourceNode fields = fields_of(asset);
    const auto script =
        yaml::reference_at(fields.source->tree, fields.source->tree.find(fields.node, "m_Script"));
    return script ? script.value().guid : Guid();
  }

  // The reason why the class of an asset is unknown, and the remedy.
  std::string lost(AssetNumber asset) const {
    if (script_of(asset).is_null()) return "whose class is unknown";
    const std::string guid = script_of(asset).to_string();
    return "whose script " + guid +
           " is not in the project; restore it, or declare its class in muster.yaml (with "
           "'script: " +
           guid + "')";
  }

  void apply_roots() {
    for (const RegistryRoot& root : model_.roots) note_unknown_items(root);
    for (Registry& registry : model_.registries) {
      for (const RegistryRoot& root : model_.roots) {
        const bool listed = std::ranges::any_of(root.items, [&](const RegistryRoot::Item& item) {
          return item.asset == registry.asset;
        });
        if (listed) registry.targets = registry.targets | root.target;
      }
      if (model_.roots.empty() || !registry.declaration->ready_made.empty()) {
        registry.targets = TargetSet::both();
        if (registry.server_flag) {
          registry.targets = *registry.server_flag ? Target::server : Target::client;
        }
      }
      for (RegistryEntry& entry : registry.entries) {
        for (EntryReference& reference : entry.references) {
          reference.targets = reference.targets & registry.targets;
        }
      }
    }
  }

  void drop_repeated_problems() {
    const auto key = [](const ModelProblem& problem) {
      return std::tie(problem.location.path, problem.location.position, problem.kind, problem.guid);
    };
    std::ranges::sort(model_.problems,
                      [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto tail = std::unique(model_.problems.begin(), model_.problems.end(),
                                  [&](const auto& a, const auto& b) { return key(a) == key(b); });
    model_.problems.erase(tail, model_.problems.end());
  }

  const Project& project_;
  RegistryModel model_;
  EntryReader entries_;
  std::map<AssetNumber, std::string> candidates_;
};

}  // namespace

std::vector<Guid> RegistryModel::assets_for(Target target) const {
  std::set<Guid> guids;
  for (const Registry& registry : registries) {
    for (const RegistryEntry& entry : registry.entries) {
      for (const EntryReference& reference : entry.references) {
        if (reference.emitted && reference.targets.has(target)) guids.insert(reference.guid);
      }
    }
  }
  return {guids.begin(), guids.end()};
}

std::vector<AssetNumber> RegistryModel::holders_for(Target target) const {
  std::vector<AssetNumber> holders;
  for (const Registry& registry : registries) {
    if (!registry.declaration->is_packed) continue;
    if (registry.targets.has(target)) holders.push_back(registry.asset);
  }
  for (const RegistryRoot& root : roots) {
    if (root.target == target) holders.push_back(root.asset);
  }
  return holders;
}

const LockFile* RegistryModel::lock_of(AssetNumber registry) const {
  const auto found = std::ranges::find(locks, registry, &LockFile::registry);
  return found == locks.end() ? nullptr : &*found;
}

RegistryModel build_registry_model(const Project& project, std::vector<ClassDeclaration> classes) {
  return ModelBuilder(project, std::move(classes)).build();
}

}  // namespace muster
