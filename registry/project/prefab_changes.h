// The changes that a prefab instance makes to its source. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>

#include "registry/project/prefab.h"

namespace muster::prefab_build {

/// The objects of one instance, by their ids in the file that has the instance.
struct InstanceObjects {
  std::map<std::int64_t, SourceEntity*> objects;
  std::map<std::int64_t, SourceComponent*> components;
  bool are_all_known = false;  ///< False if a model or a missing source has more of them.
};

/// One `PrefabInstance` of a file.
struct InstanceChanges {
  const SourceFile& file;
  yaml::NodeIndex modification = yaml::kNoNode;  ///< Its `m_Modification`.
  Guid source;                                   ///< The prefab of the instance.
  /// The id in the file for an object of the source.
  std::function<std::int64_t(std::int64_t source_id)> id_in_file;
};

/// The ids, in the file, of the objects that `list` (`m_RemovedComponents`, `m_RemovedGameObjects`)
/// removes. An item with an object of another prefab removes nothing and is added to `unused`.
std::set<std::int64_t> removed_ids(const InstanceChanges& instance, std::string_view list,
                                   std::vector<UnusedOverride>& unused);

/// Adds to `unused` the items of `list` (`m_AddedComponents`, `m_AddedGameObjects`) that add to an
/// object of another prefab than the instance's source.
void note_added_elsewhere(const InstanceChanges& instance, std::string_view list,
                          std::vector<UnusedOverride>& unused);

/// Applies the instance's overrides. An override applies if its target is an object of the
/// instance's source that the instance still has. All other overrides are added to `unused`. If not
/// all objects are known, an unknown id is not a reason to add an override to `unused`.
void apply_overrides(const InstanceChanges& instance, const InstanceObjects& objects,
                     const std::set<std::int64_t>& removed, std::vector<UnusedOverride>& unused);

/// Whether a target in the instance's lists can be one of its objects: it is an object of the
/// instance's source or (without a guid) of the file itself.
bool is_own_target(const InstanceChanges& instance, const yaml::Reference& target);

}  // namespace muster::prefab_build
