// Which groups of shared assets become one bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

/// Assets that the same prefabs need.
struct SharedGroup {
  std::vector<std::uint32_t> users;  ///< Who opens it: indices of prefabs, sorted.
  std::uint64_t bytes = 0;
  Guid key{};                   ///< Of one of its assets: stays when others come and go.
  bool is_always_open = false;  ///< Registries need it; it is not mixed with what may stay closed.
};

/// How far groups are put together. Bytes are those of source files.
struct MergeRule {
  /// What opening one file more is worth: groups are merged while each opening that this saves
  /// costs fewer bytes that somebody loads in vain.
  std::uint64_t file_cost_bytes = std::uint64_t{16} * 1024;
  /// Files that a prefab needs open, its own included: beyond that, groups are merged whatever a
  /// saved opening costs.
  std::uint32_t files_max = 16;
  /// What a prefab may load in vain: a share of what it needs, or so many bytes if that is more.
  double vain_share_max = 0.25;
  std::uint64_t vain_bytes_min = std::uint64_t{16} * 1024;

  /// The most that a prefab may load in vain.
  std::uint64_t vain_max(std::uint64_t needed_bytes) const;
};

/// One who opens groups: a prefab.
struct GroupUser {
  std::uint64_t needed_bytes = 0;  ///< Of all that it reaches, in groups or not.
  std::uint32_t other_files = 1;   ///< That it has open besides: its own, other prefabs'.
};

/// Puts groups together and returns, for each, the number of its bundle (0 and up, in the order of
/// their first groups). No user then loads more in vain than the rule allows; who still needs more
/// files than `files_max` is one whom only that bound keeps there.
///
/// Equal groups in any order make the same bundles: what decides are sizes, coarsely, and keys, so
/// that a small change elsewhere moves nothing. About linear in the sum of all users.
std::vector<std::uint32_t> merge_groups(const std::vector<SharedGroup>& groups,
                                        const std::vector<GroupUser>& users, const MergeRule& rule);

}  // namespace muster
