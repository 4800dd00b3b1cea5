// The editor keeps old overrides when the source of an instance is replaced or loses an object. The
// file id of an old target may be the id of another object now, because a copy of a prefab has the
// same ids. So the guid of the target is compared, too.
#include "registry/project/prefab_changes.h"

namespace muster::prefab_build {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::Reference;

Reference reference_in(const yaml::Tree& tree, NodeIndex mapping, std::string_view key) {
  const auto found = reference_at(tree, tree.find(mapping, key));
  return found ? found.value() : Reference{};
}

std::int64_t target_id(const InstanceChanges& instance, const Reference& target) {
  return target.guid.is_null() ? target.file_id : instance.id_in_file(target.file_id);
}

}  // namespace

bool is_own_target(const InstanceChanges& instance, const Reference& target) {
  return target.file_id != 0 && (target.guid.is_null() || target.guid == instance.source);
}

std::set<std::int64_t> removed_ids(const InstanceChanges& instance, std::string_view list,
                                   std::vector<UnusedOverride>& unused) {
  const yaml::Tree& tree = instance.file.tree;
  std::set<std::int64_t> ids;
  for (const NodeIndex item : Children(tree, tree.find(instance.modification, list))) {
    const auto target = reference_at(tree, item);
    if (!target) continue;
    if (is_own_target(instance, target.value())) {
      ids.insert(target_id(instance, target.value()));
    } else {
      unused.push_back({UnusedOverride::Reason::other_source,
                        target.value().position,
                        target.value().guid,
                        {},
                        list});
    }
  }
  return ids;
}

void note_added_elsewhere(const InstanceChanges& instance, std::string_view list,
                          std::vector<UnusedOverride>& unused) {
  const yaml::Tree& tree = instance.file.tree;
  for (const NodeIndex item : Children(tree, tree.find(instance.modification, list))) {
    const auto target = reference_at(tree, tree.find(item, "targetCorrespondingSourceObject"));
    if (!target || is_own_target(instance, target.value())) continue;
    unused.push_back({UnusedOverride::Reason::other_source,
                      target.value().position,
                      target.value().guid,
                      {},
                      list});
  }
}

void apply_overrides(const InstanceChanges& instance, const InstanceObjects& objects,
                     const std::set<std::int64_t>& removed, std::vector<UnusedOverride>& unused) {
  const yaml::Tree& tree = instance.file.tree;
  for (const NodeIndex item : Children(tree, tree.find(instance.modification, "m_Modifications"))) {
    const Reference target = reference_in(tree, item, "target");
    const NodeIndex value = tree.find(item, "value");
    PropertyOverride change;
    change.path = tree.scalar_at(item, "propertyPath");
    change.value = tree.scalar(value);
    change.object = reference_in(tree, item, "objectReference");
    change.position = tree.at(value == kNoNode ? item : value).position;
    change.source = &instance.file;
    const auto note = [&](UnusedOverride::Reason reason) {
      unused.push_back(
          {reason, tree.at(item).position, target.guid, change.object.guid, change.path});
    };
    if (!is_own_target(instance, target)) {
      note(UnusedOverride::Reason::other_source);
      continue;
    }
    const std::int64_t id = target_id(instance, target);
    if (removed.contains(id)) {
      note(UnusedOverride::Reason::removed_object);
    } else if (const auto component = objects.components.find(id);
               component != objects.components.end()) {
      component->second->overrides.push_back(change);
    } else if (const auto object = objects.objects.find(id); object != objects.objects.end()) {
      if (change.path == "m_Name") object->second->name = change.value;
      if (change.path == "m_IsActive") object->second->active = change.value != "0";
    } else if (objects.are_all_known) {
      note(UnusedOverride::Reason::no_such_object);
    } else if (change.path == "m_Name" && objects.objects.size() == 1) {
      objects.objects.begin()->second->name = change.value;
    }
  }
}

}  // namespace muster::prefab_build
