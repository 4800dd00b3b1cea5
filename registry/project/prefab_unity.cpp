// Flattens prefabs of Unity's dialect, which have one document per object. A nested prefab or a
// variant's base is a `PrefabInstance` document. If the file mentions an object of an instance, the
// file has a `stripped` placeholder for this object. The id of an object of an instance is
// (instance id XOR id in the source) & 0x7fff'ffff'ffff'ffff. The content of imported models is
// known only from such placeholders.
#include <algorithm>
#include <map>
#include <set>

#include "registry/project/prefab_build.h"
#include "registry/project/prefab_changes.h"

namespace muster::prefab_build {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::Reference;

constexpr std::int64_t kGameObjectClass = 1;
constexpr std::int64_t kTransformClass = 4;
constexpr std::int64_t kRectTransformClass = 224;
constexpr std::int64_t kPrefabInstanceClass = 1001;
constexpr std::uint64_t kIdMask = 0x7FFF'FFFF'FFFF'FFFFULL;

struct StandIn {
  std::int64_t file_id = 0;
  std::int64_t class_id = 0;
  std::int64_t instance = 0;
  std::int64_t source_id = 0;
};

// An entity whose parent index is not known yet.
struct Pending {
  SourceEntity entity;
  std::int64_t parent_transform = 0;
  int parent_entity = -1;  // The index in `pending_` of a parent from the same instance; -1 if
                           // there is no such parent.
  std::size_t order = 0;
};

class UnityFlattening {
 public:
  UnityFlattening(const SourceFile& source, const Scripts& scripts, const Nested& nested)
      : source_(source), tree_(source.tree), scripts_(scripts), nested_(nested) {}

  SourcePrefab run() {
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      documents_.emplace(tree_.documents[i].file_id, static_cast<int>(i));
    }
    collect_stand_ins();
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      const yaml::Document& document = tree_.documents[i];
      if (document.is_stripped) continue;
      if (document.class_id == kGameObjectClass) add_game_object(static_cast<int>(i));
      if (document.class_id == kPrefabInstanceClass) add_instance(static_cast<int>(i));
    }
    check_last_object();
    check_children();
    attach_added_components();
    order_by_depth();
    if (result_.entities.empty()) {
      result_.is_incomplete = true;
      result_.problems.push_back(
          {PrefabProblem::Kind::no_root, source_.path, {}, source_.guid, {}, {}});
    }
    return std::move(result_);
  }

 private:
  NodeIndex fields(int document) const { return source_.fields_of(document); }

  Reference reference(NodeIndex mapping, std::string_view key) const {
    const auto found = reference_at(tree_, tree_.find_path(mapping, key));
    return found ? found.value() : Reference{};
  }

  void collect_stand_ins() {
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      const yaml::Document& document = tree_.documents[i];
      if (!document.is_stripped) continue;
      const NodeIndex own = fields(static_cast<int>(i));
      StandIn stand_in{document.file_id, document.class_id, 0, 0};
      stand_in.instance = reference(own, "m_PrefabInstance").file_id;
      stand_in.source_id = reference(own, "m_CorrespondingSourceObject").file_id;
      if (is_of_other_source(own, stand_in.instance)) continue;
      if (stand_in.instance == 0) stand_in.instance = reference(own, "m_PrefabInternal").file_id;
      if (stand_in.source_id == 0) {
        stand_in.source_id = reference(own, "m_PrefabParentObject").file_id;
      }
      stand_in_ids_.emplace(std::pair(stand_in.instance, stand_in.source_id), stand_in.file_id);
      stand_ins_.push_back(stand_in);
    }
  }

  // Whether a placeholder is for an object of a prefab that is not the instance's source.
  bool is_of_other_source(NodeIndex stand_in, std::int64_t instance) const {
    const auto document = documents_.find(instance);
    if (document == documents_.end()) return false;
    const Guid source = reference(fields(document->second), "m_SourcePrefab").guid;
    const Guid object = reference(stand_in, "m_CorrespondingSourceObject").guid;
    return !source.is_null() && !object.is_null() && source != object;
  }

  void note_cut(const yaml::Position& position, const std::string& what) {
    result_.problems.push_back({PrefabProblem::Kind::cut_short,
                                source_.path,
                                position,
                                source_.guid,
                                what + "; the file may have been truncated",
                                {}});
  }

  // Reports that components of the root may be missing.
  void note_hidden(const yaml::Position& position, const std::string& what) {
    result_.is_incomplete = true;
    note_cut(position, what);
  }

  void check_children() {
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      const std::int64_t class_id = tree_.documents[i].class_id;
      if (class_id != kTransformClass && class_id != kRectTransformClass) continue;
      const NodeIndex list = tree_.find(fields(static_cast<int>(i)), "m_Children");
      for (const NodeIndex item : Children(tree_, list)) {
        const auto child = reference_at(tree_, item);
        if (!child || child.value().file_id == 0 || documents_.contains(child.value().file_id)) {
          continue;
        }
        note_cut(child.value().position,
                 "child " + std::to_string(child.value().file_id) + " is not in the file");
      }
    }
  }

  // Checks the objects that a variant adds to its base. Recent versions of Unity list these objects
  // in the instance.
  void check_added(NodeIndex modification, std::string_view list) {
    for (const NodeIndex item : Children(tree_, tree_.find(modification, list))) {
      const auto added = reference_at(tree_, tree_.find(item, "addedObject"));
      if (!added || added.value().file_id == 0 || documents_.contains(added.value().file_id)) {
        continue;
      }
      note_hidden(
          added.value().position,
          "the added object " + std::to_string(added.value().file_id) + " is not in the file");
    }
  }

  // Detects a truncated file: its last object lacks fields that the editor always writes.
  void check_last_object() {
    if (tree_.documents.empty() || tree_.documents.back().is_stripped) return;
    const yaml::Document& document = tree_.documents.back();
    const int last = static_cast<int>(tree_.documents.size()) - 1;
    const NodeIndex own = fields(last);
    const std::string_view type = source_.type_name_of(last);
    const auto is_reference = [&](std::string_view key) {
      return reference_at(tree_, tree_.find(own, key)).has_value();
    };
    std::string_view missing;
    if (own == kNoNode) missing = "fields";
    if (type == "MonoBehaviour" && !is_reference("m_Script")) missing = "m_Script";
    if (type == "PrefabInstance" && !is_reference("m_SourcePrefab")) missing = "m_SourcePrefab";
    if (type == "GameObject" && tree_.find(own, "m_Name") == kNoNode) missing = "m_Name";
    if (missing.empty()) return;
    note_hidden(document.position,
                "this object has no " + std::string(missing) + " and is the last one");
  }

  SourceComponent component_of(int document) const {
    const yaml::Document& entry = tree_.documents[static_cast<std::size_t>(document)];
    SourceComponent component;
    component.file_id = entry.file_id;
    component.class_id = entry.class_id;
    const NodeIndex own = fields(document);
    component.class_name = source_.type_name_of(document);
    if (component.class_name == "MonoBehaviour") {
      component.script = reference(own, "m_Script").guid;
      component.class_name = scripts_.class_of(component.script);
      if (component.class_name.empty()) {
        // Unity 6 writes `Assembly::Namespace.Class`.
        std::string_view identifier = tree_.scalar_at(own, "m_EditorClassIdentifier");
        component.class_name = identifier.substr(identifier.find_last_of(".:") + 1);
      }
    }
    component.layers.push_back(
        {&source_, own, document, own == kNoNode ? entry.position : tree_.at(own).key_position});
    return component;
  }

  void add_game_object(int document) {
    const NodeIndex own = fields(document);
    Pending pending;
    SourceEntity& entity = pending.entity;
    entity.file_id = tree_.documents[static_cast<std::size_t>(document)].file_id;
    entity.name = tree_.scalar_at(own, "m_Name");
    entity.active = tree_.scalar_at(own, "m_IsActive") != "0";
    for (const NodeIndex item : Children(tree_, tree_.find(own, "m_Component"))) {
      // An item is `- component: {fileID: N}`, or before Unity 5.5 `- 4: {fileID: N}`.
      const auto target = reference_at(tree_, tree_.at(item).first_child);
      if (!target) {
        note_hidden(tree_.at(item).position, "this names no component");
        continue;
      }
      const std::int64_t id = target.value().file_id;
      const auto found = documents_.find(id);
      if (found == documents_.end()) {
        if (id == 0) continue;
        note_hidden(target.value().position,
                    "component " + std::to_string(id) + " is not in the file");
        continue;
      }
      const yaml::Document& listed_document =
          tree_.documents[static_cast<std::size_t>(found->second)];
      if (listed_document.class_id == kTransformClass ||
          listed_document.class_id == kRectTransformClass) {
        entity.transform_id = listed_document.file_id;
        pending.parent_transform = reference(fields(found->second), "m_Father").file_id;
        pending.order = order_in_father(pending.parent_transform, listed_document.file_id);
      }
      listed_.insert_or_assign(listed_document.file_id, true);
      entity.components.push_back(component_of(found->second));
    }
    pending_.push_back(std::move(pending));
  }

  // The index of a transform in its parent's list of children; the maximum value if the list does
  // not contain it.
  std::size_t order_in_father(std::int64_t father, std::int64_t transform) {
    const auto [orders, fresh] = orders_.try_emplace(father);
    const auto found = documents_.find(father);
    if (fresh && found != documents_.end()) {
      const NodeIndex list = tree_.find(fields(found->second), "m_Children");
      for (const NodeIndex child : Children(tree_, list)) {
        const auto target = reference_at(tree_, child);
        if (target) orders->second.try_emplace(target.value().file_id, orders->second.size());
      }
    }
    const auto order = orders->second.find(transform);
    return order == orders->second.end() ? tree_.documents.size() : order->second;
  }

  std::int64_t id_in_instance(std::int64_t instance, std::int64_t source_id) const {
    if (source_id == 0) return 0;
    if (const auto found = stand_in_ids_.find({instance, source_id});
        found != stand_in_ids_.end()) {
      return found->second;
    }
    return static_cast<std::int64_t>(
        (static_cast<std::uint64_t>(instance) ^ static_cast<std::uint64_t>(source_id)) & kIdMask);
  }

  void add_instance(int document) {
    const NodeIndex own = fields(document);
    if (source_.type_name_of(document) != "PrefabInstance") {  // `Prefab:` before 2018.3
      if (!reference(own, "m_ParentPrefab").guid.is_null()) result_.has_unknown_objects = true;
      return;
    }
    const std::int64_t instance = tree_.documents[static_cast<std::size_t>(document)].file_id;
    const Reference source = reference(own, "m_SourcePrefab");
    const SourcePrefab* inner = source.guid.is_null() ? nullptr : nested_(source, result_.problems);
    const std::size_t first = pending_.size();
    if (inner != nullptr && first + inner->entities.size() > kPrefabEntitiesMax) {
      result_.problems.push_back(
          {PrefabProblem::Kind::too_deep, source_.path, source.position, source.guid, {}, {}});
      inner = nullptr;
    }
    if (inner != nullptr && !inner->entities.empty()) {
      for (const SourceEntity& entity : inner->entities) {
        Pending pending;
        pending.entity = entity;
        remap(pending.entity, instance);
        pending.order = first;
        if (entity.parent >= 0) {
          pending.parent_entity = static_cast<int>(first) + entity.parent;
        }
        pending_.push_back(std::move(pending));
      }
    } else {
      pending_.emplace_back();
    }
    const NodeIndex modification = tree_.find(own, "m_Modification");
    check_added(modification, "m_AddedComponents");
    check_added(modification, "m_AddedGameObjects");
    const std::int64_t parent_transform = reference(modification, "m_TransformParent").file_id;
    pending_[first].parent_transform = parent_transform;
    if (parent_transform == 0 && (inner == nullptr || inner->is_incomplete)) {
      result_.is_incomplete = true;
    }
    const InstanceChanges changes{
        .file = source_,
        .modification = modification,
        .source = source.guid,
        .id_in_file = [&](std::int64_t id) { return id_in_instance(instance, id); }};
    const bool has_unknown = inner == nullptr || inner->is_model || inner->entities.empty();
    if (has_unknown) adopt_unknown_objects(changes, instance, first);
    const bool are_all_known = !has_unknown && !inner->has_unknown_objects && !inner->is_incomplete;
    if (!are_all_known) result_.has_unknown_objects = true;
    if (parent_transform != 0) {
      pending_[first].order =
          order_in_father(parent_transform, pending_[first].entity.transform_id);
    }
    apply_changes(changes, first, are_all_known);
  }

  void remap(SourceEntity& entity, std::int64_t instance) const {
    entity.file_id = id_in_instance(instance, entity.file_id);
    entity.transform_id = id_in_instance(instance, entity.transform_id);
    for (SourceComponent& component : entity.components) {
      component.file_id = id_in_instance(instance, component.file_id);
    }
  }

  // Adds the objects of a model or of a missing source that this file mentions. All game objects
  // except the root become children of the root, so that their components are not assigned to the
  // root.
  void adopt_unknown_objects(const InstanceChanges& changes, std::int64_t instance,
                             std::size_t root) {
    SourceEntity& entity = pending_[root].entity;
    if (entity.file_id == 0) entity.file_id = named_object(changes);
    if (entity.file_id == 0) entity.file_id = model_root(instance);
    const std::int64_t root_id = entity.file_id;
    for (const StandIn& stand_in : stand_ins_) {
      if (stand_in.instance != instance) continue;
      const bool is_transform =
          stand_in.class_id == kTransformClass || stand_in.class_id == kRectTransformClass;
      if (is_transform) transform_aliases_.emplace(stand_in.file_id, root);
      if (stand_in.class_id != kGameObjectClass || stand_in.file_id == root_id) continue;
      Pending child;
      child.entity.file_id = stand_in.file_id;
      child.parent_entity = static_cast<int>(root);
      child.order = pending_.size();
      pending_.push_back(std::move(child));
    }
  }

  // The object whose name the instance overrides. This object is the root, because Unity always
  // writes an override of the root's name.
  std::int64_t named_object(const InstanceChanges& changes) const {
    const NodeIndex list = tree_.find(changes.modification, "m_Modifications");
    for (const NodeIndex item : Children(tree_, list)) {
      if (tree_.scalar_at(item, "propertyPath") != "m_Name") continue;
      const Reference target = reference(item, "target");
      if (!is_own_target(changes, target)) continue;
      return target.guid.is_null() ? target.file_id : changes.id_in_file(target.file_id);
    }
    return 0;
  }

  std::int64_t model_root(std::int64_t instance) const {
    for (const std::int64_t id : {kHashedModelRoot, kFirstModelObject}) {
      const auto found = stand_in_ids_.find({instance, id});
      if (found != stand_in_ids_.end()) return found->second;
    }
    return 0;
  }

  // Applies removals before overrides, so that removed objects are not changed.
  void apply_changes(const InstanceChanges& changes, std::size_t first, bool are_all_known) {
    const auto gone_components =
        removed_ids(changes, "m_RemovedComponents", result_.unused_overrides);
    const auto gone_objects =
        removed_ids(changes, "m_RemovedGameObjects", result_.unused_overrides);
    note_added_elsewhere(changes, "m_AddedComponents", result_.unused_overrides);
    note_added_elsewhere(changes, "m_AddedGameObjects", result_.unused_overrides);
    std::set<std::int64_t> removed = gone_components;
    removed.insert(gone_objects.begin(), gone_objects.end());
    InstanceObjects known{.objects = {}, .components = {}, .are_all_known = are_all_known};
    for (std::size_t i = first; i < pending_.size(); ++i) {
      SourceEntity& entity = pending_[i].entity;
      const int parent = pending_[i].parent_entity;
      const bool is_gone = gone_objects.contains(entity.file_id) ||
                           (parent >= 0 && removed_.contains(static_cast<std::size_t>(parent)));
      if (is_gone) {
        removed_.insert_or_assign(i, true);
        removed.insert(entity.file_id);
        for (const SourceComponent& component : entity.components) {
          removed.insert(component.file_id);
        }
      }
      std::erase_if(entity.components, [&](const SourceComponent& component) {
        return gone_components.contains(component.file_id);
      });
      if (is_gone) continue;
      known.objects.emplace(entity.file_id, &entity);
      for (SourceComponent& component : entity.components) {
        known.components.emplace(component.file_id, &component);
      }
    }
    apply_overrides(changes, known, removed, result_.unused_overrides);
  }

  // Adds the components of this file that belong to an object of an instance.
  void attach_added_components() {
    std::map<std::int64_t, std::size_t> by_object;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].entity.file_id != 0) by_object.emplace(pending_[i].entity.file_id, i);
    }
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      const yaml::Document& document = tree_.documents[i];
      if (document.is_stripped || document.class_id == kGameObjectClass ||
          listed_.contains(document.file_id)) {
        continue;
      }
      const std::int64_t owner = reference(fields(static_cast<int>(i)), "m_GameObject").file_id;
      const auto found = by_object.find(owner);
      if (owner == 0 || found == by_object.end()) continue;
      pending_[found->second].entity.components.push_back(component_of(static_cast<int>(i)));
    }
  }

  void order_by_depth() {
    std::map<std::int64_t, std::size_t> by_transform;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i].entity.transform_id != 0) {
        by_transform.emplace(pending_[i].entity.transform_id, i);
      }
    }
    by_transform.insert(transform_aliases_.begin(), transform_aliases_.end());
    std::vector<std::vector<std::size_t>> children(pending_.size());
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      int parent = pending_[i].parent_entity;
      if (parent < 0 && pending_[i].parent_transform != 0) {
        const auto found = by_transform.find(pending_[i].parent_transform);
        if (found != by_transform.end() && found->second != i) {
          parent = static_cast<int>(found->second);
        }
      }
      if (parent < 0) {
        roots.push_back(i);
      } else {
        children[static_cast<std::size_t>(parent)].push_back(i);
      }
    }
    for (auto& list : children) {
      std::ranges::stable_sort(list, {}, [&](std::size_t i) { return pending_[i].order; });
    }
    // The root has no parent transform. The other objects in `roots` have a parent that does not
    // exist.
    std::ranges::stable_sort(roots, {},
                             [&](std::size_t i) { return pending_[i].parent_transform != 0; });
    for (const std::size_t root : roots) emit(root, -1, children);
  }

  void emit(std::size_t at, int parent, const std::vector<std::vector<std::size_t>>& children) {
    // The function is not recursive, because a malicious file may have any depth.
    std::vector<std::pair<std::size_t, int>> stack{{at, parent}};
    while (!stack.empty()) {
      const auto [index, above] = stack.back();
      stack.pop_back();
      if (removed_.contains(index)) continue;
      const int own = static_cast<int>(result_.entities.size());
      SourceEntity& entity = result_.entities.emplace_back(std::move(pending_[index].entity));
      entity.parent = above;
      for (auto child = children[index].rbegin(); child != children[index].rend(); ++child) {
        stack.emplace_back(*child, own);
      }
    }
  }

  const SourceFile& source_;
  const yaml::Tree& tree_;
  const Scripts& scripts_;
  const Nested& nested_;
  SourcePrefab result_;
  std::map<std::int64_t, int> documents_;
  std::map<std::int64_t, bool> listed_;  // Components that a game object of this file lists.
  std::vector<StandIn> stand_ins_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> stand_in_ids_;
  std::vector<Pending> pending_;
  std::map<std::int64_t, std::size_t> transform_aliases_;
  std::map<std::size_t, bool> removed_;
  // The index of each child, by parent.
  std::map<std::int64_t, std::map<std::int64_t, std::size_t>> orders_;
};

}  // namespace

SourcePrefab flatten_unity(const SourceFile& source, const Scripts& scripts, const Nested& nested) {
  return UnityFlattening(source, scripts, nested).run();
}

}  // namespace muster::prefab_build
