// Decides which groups of shared assets are merged into one bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

/// Assets that the same prefabs need.
struct SharedGroup {
  std::vector<std::uint32_t> users;  ///< The prefabs that open it: indices, sorted.
  std::uint64_t bytes = 0;
  Guid key{};  ///< The guid of one of its assets; independent of the others.
  /// Registries need it; not merged with groups that may stay closed.
  bool is_always_open = false;
};

/// The limits of merging. Bytes are those of source files.
struct MergeRule {
  /// The cost of opening one more file, in bytes. Groups are merged while each saved opening costs
  /// fewer unneeded bytes than this.
  std::uint64_t file_cost_bytes = std::uint64_t{16} * 1024;
  /// The maximum number of files that a prefab needs open, including its own. Beyond that, groups
  /// are merged at any cost.
  std::uint32_t files_max = 16;
  /// The limit of unneeded bytes per prefab: a share of the bytes that it needs, or a fixed number
  /// of bytes if that is more.
  double vain_share_max = 0.25;
  std::uint64_t vain_bytes_min = std::uint64_t{16} * 1024;

  /// The maximum number of unneeded bytes that a prefab may load.
  std::uint64_t vain_max(std::uint64_t needed_bytes) const;
};

/// A user of groups: a prefab.
struct GroupUser {
  std::uint64_t needed_bytes = 0;  ///< The bytes of everything that it reaches, in groups or not.
  std::uint32_t other_files = 1;   ///< Its other open files: its own, other prefabs'.
};

/// Merges groups and returns the number of each group's bundle (from 0, in the order of the
/// bundles' first groups). No user then loads more unneeded bytes than the rule allows. A user
/// still needs more than `files_max` files only if another merge would exceed the limit of unneeded
/// bytes.
///
/// The result does not depend on the order of groups. Only rounded sizes and keys decide, so that a
/// small change elsewhere has no effect. Nearly linear in the total number of users of all groups.
std::vector<std::uint32_t> merge_groups(const std::vector<SharedGroup>& groups,
                                        const std::vector<GroupUser>& users, const MergeRule& rule);

}  // namespace muster
