// The cooker and the rules both use these functions, so that they find the same components in a
// factory.
#include "registry/model/plain_components.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

// Engine components that games rarely describe. `presenting_components` contains the other engine
// components.
constexpr std::array<std::string_view, 37> kEngineComponents = {
    "Animation",           "Animator",          "AreaEffector2D",
    "BoxCollider",         "BoxCollider2D",     "BuoyancyEffector2D",
    "CapsuleCollider",     "CapsuleCollider2D", "CharacterController",
    "CharacterJoint",      "CircleCollider2D",  "Cloth",
    "CompositeCollider2D", "ConfigurableJoint", "ConstantForce",
    "EdgeCollider2D",      "FixedJoint",        "Grid",
    "HingeJoint",          "MeshCollider",      "MonoBehaviour",
    "NavMeshAgent",        "NavMeshObstacle",   "OffMeshLink",
    "PlatformEffector2D",  "PlayableDirector",  "PolygonCollider2D",
    "RectTransform",       "Rigidbody",         "Rigidbody2D",
    "SphereCollider",      "SpringJoint",       "Terrain",
    "TerrainCollider",     "Tilemap",           "Transform",
    "WheelCollider",
};
static_assert(std::ranges::is_sorted(kEngineComponents));

}  // namespace

std::set<std::string> engine_component_names(const TargetStripRules& strip) {
  std::set<std::string> names(kEngineComponents.begin(), kEngineComponents.end());
  names.insert(presenting_components().begin(), presenting_components().end());
  for (const StripRules& rules : strip) {
    names.insert(rules.components().begin(), rules.components().end());
  }
  return names;
}

std::vector<FactoryPart> factory_parts(const SourceFile& source,
                                       const std::function<bool(std::string_view)>& describes) {
  const yaml::Tree& tree = source.tree;
  const yaml::NodeIndex fields = source.fields_of(source.document_of(0));
  std::vector<FactoryPart> parts;
  yaml::NodeIndex list = tree.find(fields, "components");
  // A value that is not a list is ignored here, because `validate` reports it.
  const bool is_list = list != yaml::kNoNode && tree.at(list).kind == yaml::NodeKind::sequence;
  if (!is_list) list = yaml::kNoNode;
  for (const yaml::NodeIndex item : yaml::Children(tree, list)) {
    const yaml::NodeIndex inner = tree.at(item).first_child;
    const bool is_bare = inner == yaml::kNoNode;
    parts.push_back({std::string(is_bare ? tree.scalar(item) : tree.at(inner).key), inner,
                     is_bare ? tree.at(item).position : tree.at(inner).key_position, true});
  }
  for (const yaml::NodeIndex field : yaml::Children(tree, fields)) {
    std::string name = component_of_field(tree.at(field).key);
    if (name.empty() || tree.at(field).kind != yaml::NodeKind::mapping) continue;
    if (!describes(name)) continue;
    parts.push_back({std::move(name), field, tree.at(field).key_position, false});
  }
  return parts;
}

std::string component_of_field(std::string_view field) {
  std::string name(field);
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') {
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

std::string message_for_fieldless(std::string_view class_name, const yaml::Node& at) {
  const bool is_scalar = at.kind == yaml::NodeKind::scalar;
  const bool is_empty = is_scalar && at.text.empty() && at.style == yaml::ScalarStyle::plain;
  if (at.kind == yaml::NodeKind::mapping || is_empty) return {};
  return std::string(class_name) + " has fields, and no " + (is_scalar ? "value" : "list");
}

bool may_name_component(std::string_view name, yaml::ScalarStyle style) {
  const char first = name.empty() ? '\0' : name.front();
  const bool is_letter =
      (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z') || first == '_';
  if (!is_letter || style != yaml::ScalarStyle::plain) return is_letter;
  const std::string folded = lower_ascii(name);
  return folded != "true" && folded != "false" && folded != "null";
}

std::string message_for_second(std::string_view entity, std::string_view class_name) {
  std::string message = "this";
  if (!entity.empty()) message.assign("'").append(entity).append("'");
  message.append(" has two components ").append(class_name);
  return message + ": an entity can have only one component of each type";
}

}  // namespace muster
