// A plain prefab is one tree of entities with named components. A variant is a copy of its base,
// together with the components of the variant's own root. A child with `prefab: P` is a copy of the
// prefab P.
#include "registry/project/prefab_build.h"

namespace muster::prefab_build {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

class PlainFlattening {
 public:
  PlainFlattening(const SourceFile& source, const Nested& nested)
      : source_(source), tree_(source.tree), nested_(nested) {}

  SourcePrefab run() {
    const NodeIndex top = source_.fields_of(0);
    const NodeIndex root = tree_.find(top, "root");
    const NodeIndex base = tree_.find(top, "variant_of");
    if (root == kNoNode && base == kNoNode) {
      add_bare(top);
    } else {
      add_entity(root, base, -1);
    }
    if (is_named_by_file(source_)) result_.entities.front().name = source_.path.stem();
    for (std::size_t i = 0; i < result_.entities.size(); ++i) {
      result_.entities[i].file_id = static_cast<std::int64_t>(i) + 1;
    }
    result_.has_unknown_objects = true;  // Components of plain prefabs have no ids.
    return std::move(result_);
  }

 private:
  // Adds the entity of a factory, whose components are at the top of the file.
  void add_bare(NodeIndex top) { overlay(result_.entities.emplace_back(), top); }

  void add_entity(NodeIndex node, NodeIndex base, int parent) {
    const std::size_t first = result_.entities.size();
    if (base != kNoNode) copy_base(base, parent);
    if (result_.entities.size() == first) {
      SourceEntity& fresh = result_.entities.emplace_back();
      fresh.parent = parent;
    }
    SourceEntity& entity = result_.entities[first];
    if (const NodeIndex name = tree_.find(node, "name"); name != kNoNode) {
      entity.name = tree_.scalar(name);
    }
    if (const NodeIndex active = tree_.find(node, "active"); active != kNoNode) {
      entity.active = truth_in(tree_, active).value_or(true);
    }
    overlay(entity, node);
    for (const NodeIndex child : Children(tree_, tree_.find(node, "children"))) {
      add_entity(child, tree_.find(child, "prefab"), static_cast<int>(first));
    }
  }

  void copy_base(NodeIndex base, int parent) {
    const auto reference = reference_at(tree_, base);
    if (!reference) {
      result_.problems.push_back({PrefabProblem::Kind::missing_source,
                                  source_.path,
                                  tree_.at(base).position,
                                  {},
                                  reference.error().message,
                                  {}});
      return;
    }
    const SourcePrefab* inner = nested_(reference.value(), result_.problems);
    if (parent < 0 && (inner == nullptr || inner->is_incomplete)) result_.is_incomplete = true;
    if (inner == nullptr) return;
    if (result_.entities.size() + inner->entities.size() > kPrefabEntitiesMax) {
      result_.problems.push_back({PrefabProblem::Kind::too_deep,
                                  source_.path,
                                  tree_.at(base).position,
                                  reference.value().guid,
                                  {},
                                  {}});
      return;
    }
    const int offset = static_cast<int>(result_.entities.size());
    for (const SourceEntity& entity : inner->entities) {
      SourceEntity& copy = result_.entities.emplace_back(entity);
      copy.parent = entity.parent < 0 ? parent : entity.parent + offset;
    }
  }

  void overlay(SourceEntity& entity, NodeIndex node) {
    for (const NodeIndex name : Children(tree_, tree_.find(node, "removed"))) {
      std::erase_if(entity.components, [&](const SourceComponent& component) {
        return component.class_name == tree_.scalar(name);
      });
    }
    for (const NodeIndex item : Children(tree_, tree_.find(node, "components"))) {
      // An item is `- Health: {current: 50}`, or only `- Marker`.
      const NodeIndex fields = tree_.at(item).first_child;
      const std::string class_name(fields == kNoNode ? tree_.scalar(item) : tree_.at(fields).key);
      SourceComponent* component = nullptr;
      for (SourceComponent& existing : entity.components) {
        if (existing.class_name == class_name) component = &existing;
      }
      if (component == nullptr) {
        component = &entity.components.emplace_back();
        component->class_name = class_name;
      }
      std::erase_if(component->overrides, [&](const PropertyOverride& change) {
        return is_replaced(fields, change.path);
      });
      component->layers.push_back(
          {&source_, fields, -1,
           fields == kNoNode ? tree_.at(item).position : tree_.at(fields).key_position});
    }
  }

  // Whether `fields` contain the property at `path` of an override, or a list or reference that
  // contains the property. If so, the fields take precedence over the override.
  bool is_replaced(NodeIndex fields, std::string_view path) const {
    for (const std::string_view wrapper : {"m_SerializedData.", "Value."}) {
      if (path.starts_with(wrapper)) path.remove_prefix(wrapper.size());
    }
    constexpr std::string_view kLocal = "m_Local";  // Unity's m_LocalPosition is `position` here.
    std::string plain(path);
    if (path.starts_with(kLocal)) plain = lower_ascii(path.substr(kLocal.size()));
    for (std::size_t dot = plain.find('.');; dot = plain.find('.', dot + 1)) {
      const std::string_view part = std::string_view(plain).substr(0, dot);
      const NodeIndex node = tree_.find_path(fields, part);
      if (node == kNoNode) return false;
      if (dot == std::string::npos || tree_.at(node).kind != yaml::NodeKind::mapping) return true;
      for (const std::string_view key : {"guid", "fileID", "val0"}) {
        if (tree_.find(node, key) != kNoNode) return true;
      }
    }
  }

  const SourceFile& source_;
  const yaml::Tree& tree_;
  const Nested& nested_;
  SourcePrefab result_;
};

}  // namespace

SourcePrefab flatten_plain(const SourceFile& source, const Nested& nested) {
  return PlainFlattening(source, nested).run();
}

}  // namespace muster::prefab_build

namespace muster {

bool is_named_by_file(const SourceFile& source) {
  const yaml::Tree& tree = source.tree;
  const yaml::NodeIndex top = source.fields_of(0);
  return tree.find(top, "variant_of") == yaml::kNoNode &&
         tree.find(tree.find(top, "root"), "name") == yaml::kNoNode;
}

}  // namespace muster
