// Decides which groups of shared assets are merged into one bundle.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "registry/base/guid.h"

namespace muster {

/// Assets that the same prefabs need.
struct SharedGroup {
  std::vector<std::uint32_t> users;  ///< The indices of the prefabs that open the group, sorted.
  std::uint64_t bytes = 0;
  Guid key{};  ///< The smallest guid of the assets; determines the order of equal groups.
  /// True if registries need the group. Such a group is not merged with groups that can stay
  /// closed.
  bool is_always_open = false;
};

/// The limits of merging. Sizes are sizes of source files.
struct MergeRule {
  /// The cost of opening one more file, in bytes. Merging two groups saves openings of files, but
  /// adds unneeded bytes. Groups are merged while each saved opening adds at most this number of
  /// unneeded bytes.
  std::uint64_t file_cost_bytes = std::uint64_t{16} * 1024;
  /// The maximum number of files that must be open for a prefab, including its own file. Above this
  /// number, groups are merged at any cost, up to the limit of unneeded bytes.
  std::uint32_t files_max = 16;
  /// The limit of unneeded bytes per prefab: a share of the bytes that the prefab needs, or
  /// `vain_bytes_min` if that is more.
  double vain_share_max = 0.25;
  std::uint64_t vain_bytes_min = std::uint64_t{16} * 1024;

  /// The maximum number of unneeded bytes that a prefab may load.
  std::uint64_t vain_max(std::uint64_t needed_bytes) const;
};

/// A prefab that uses groups.
struct GroupUser {
  /// The size of all assets that the prefab reaches, in groups or not.
  std::uint64_t needed_bytes = 0;
  std::uint32_t other_files = 1;  ///< The number of open files that are not groups: the prefab's
                                  ///< own file and the files of other prefabs.
};

/// Merges groups and returns the bundle number of each group. Bundles are numbered from 0, in the
/// order of their first groups. Merging never makes a user load more unneeded bytes than the rule
/// allows. A user needs more than `files_max` files only if further merging would exceed the limit
/// of unneeded bytes.
///
/// The result does not depend on the order of groups. The decisions use only keys and rounded
/// sizes, so a small change of one group does not change the bundles of other groups. The time is
/// nearly linear in the total number of users of all groups.
std::vector<std::uint32_t> merge_groups(const std::vector<SharedGroup>& groups,
                                        const std::vector<GroupUser>& users, const MergeRule& rule);

}  // namespace muster
