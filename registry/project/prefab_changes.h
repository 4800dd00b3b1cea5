// Applies the changes that a prefab instance makes to its source. Only files in this folder include
// this file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "registry/project/prefab_flattener.h"

namespace muster::prefab_build {

/// The objects of one instance, by their ids in the file that contains the instance.
struct InstanceObjects {
  std::map<std::int64_t, SourceEntity*> objects;
  std::map<std::int64_t, SourceComponent*> components;
  /// False if the instance may have more objects, from a model or a missing source.
  bool are_all_known = false;
};

/// One `PrefabInstance` of a file.
struct InstanceChanges {
  const SourceFile& file;
  yaml::NodeIndex modification = yaml::kNoNode;  ///< The instance's `m_Modification`.
  Guid source;                                   ///< The prefab of the instance.
  /// Converts the id of an object in the source to its id in `file`.
  std::function<std::int64_t(std::int64_t source_id)> id_in_file;
};

/// The ids of the objects that the items of `list` remove, as ids in the file. `list` is
/// `m_RemovedComponents` or `m_RemovedGameObjects`. An item that names an object of another prefab
/// removes nothing and is added to `unused`.
std::set<std::int64_t> removed_ids(const InstanceChanges& instance, std::string_view list,
                                   std::vector<UnusedOverride>& unused);

/// Adds to `unused` the items of `list` whose target is not an object of the instance's source.
/// `list` is `m_AddedComponents` or `m_AddedGameObjects`.
void note_added_elsewhere(const InstanceChanges& instance, std::string_view list,
                          std::vector<UnusedOverride>& unused);

/// Applies the instance's overrides. An override is applied if its target is an object of the
/// instance's source and was not removed. All other overrides are added to `unused`. Exception: if
/// some objects of the instance are unknown, an override with an unknown target is not added.
void apply_overrides(const InstanceChanges& instance, const InstanceObjects& objects,
                     const std::set<std::int64_t>& removed, std::vector<UnusedOverride>& unused);

/// Whether a target in the instance's lists can be an object of the instance. The guid of the
/// target must be the guid of the instance's source. If the guid is missing, the target is an
/// object of the file itself.
bool is_own_target(const InstanceChanges& instance, const yaml::Reference& target);

}  // namespace muster::prefab_build
