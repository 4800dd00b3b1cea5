// What an instance of a prefab changes of its source. Internal to this room.
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
  bool are_all_known = false;  ///< False where a model or a lost source has more of them.
};

/// One `PrefabInstance` of a file.
struct InstanceChanges {
  const SourceFile& file;
  yaml::NodeIndex modification = yaml::kNoNode;  ///< Its `m_Modification`.
  Guid source;                                   ///< The prefab that it is an instance of.
  /// The id that an object of the source has in the file.
  std::function<std::int64_t(std::int64_t source_id)> id_in_file;
};

/// The ids, in the file, of what `list` (`m_RemovedComponents`, `m_RemovedGameObjects`) removes. An
/// item that names an object of another prefab removes nothing, and is added to `unused`.
std::set<std::int64_t> removed_ids(const InstanceChanges& instance, std::string_view list,
                                   std::vector<UnusedOverride>& unused);

/// Adds to `unused` what `list` (`m_AddedComponents`, `m_AddedGameObjects`) adds to an object of
/// another prefab than the instance's source.
void note_added_elsewhere(const InstanceChanges& instance, std::string_view list,
                          std::vector<UnusedOverride>& unused);

/// Applies the instance's overrides. An override applies when its target is an object of the
/// instance's source that the instance still has; all others are added to `unused`. Where not all
/// objects are known, an id alone proves nothing.
void apply_overrides(const InstanceChanges& instance, const InstanceObjects& objects,
                     const std::set<std::int64_t>& removed, std::vector<UnusedOverride>& unused);

/// Whether a target of the instance's lists can be an object of it: it names an object of the
/// instance's source, or (without a guid) of the file itself.
bool is_own_target(const InstanceChanges& instance, const yaml::Reference& target);

}  // namespace muster::prefab_build
