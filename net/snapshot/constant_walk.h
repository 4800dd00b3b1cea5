// Codes which constant entities changed. Each block of constant entities has one decision. If a
// block has changes, each of its groups has one decision. If a group has changes, each of its
// entities has one decision. See SNAPSHOT_FORMAT.md, "Body".
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/snapshot/decision_coder.h"
#include "net/snapshot/slots.h"

namespace muster {

/// The number of constant entities in a group. New entities are coded before each group of this
/// many known entities.
inline constexpr std::size_t kGroupSize = 16;
inline constexpr std::size_t kBlockGroups = 64;
inline constexpr std::size_t kBlockSize = kBlockGroups * kGroupSize;

/// The number of the group that begins at the known entity `first`. An empty group begins after the
/// last known entity.
inline std::size_t group_of(std::size_t first) { return (first + kGroupSize - 1) / kGroupSize; }
/// True when a block of groups begins at the known entity `first`. If `is_block` returns true, one
/// decision codes whether the block contains new entities.
inline bool begins_block(std::size_t first) { return group_of(first) % kBlockGroups == 0; }
/// Returns false if only few entities are left, because a decision for the whole block would then
/// cost more bits than it saves.
inline bool is_block(std::size_t left) { return left > 8 * kGroupSize; }

/// Counts the entities that are not constant and lie before the `count`-th constant entity. Returns
/// at most `kGroupSize + 1`, because decisions do not distinguish higher numbers.
template <typename Listed>
std::size_t others_among(std::span<const Listed> listed, std::size_t count) {
  std::size_t others = 0;
  for (const Listed& entity : listed) {
    if (entity.is_constant && --count == 0) break;
    if (!entity.is_constant && ++others > kGroupSize) break;
  }
  return others;
}

/// Iterates over the constant entities of a snapshot, in the same way at both ends. After a
/// decision the caller passes constant entities one by one or many at once.
class ConstantWalk {
 public:
  /// `count`: the number of constant entities in the snapshot.
  explicit ConstantWalk(std::size_t count = 0) : left_(count) {}

  /// Returns how many of the next constant entities are known to be unchanged; 0 if the next entity
  /// is coded separately. `view.changes(n)` returns true if the writer changes any of the next n
  /// constant entities; `view.others(n)` returns the number of other entities between these n
  /// entities. Requires: at least one constant entity is left.
  template <DecisionCoder Coder, typename View>
  std::size_t unchanged(Coder& coder, const View& view) {
    if (unchanged_ == 0 && separate_ == 0) decide(coder, view);
    return unchanged_;
  }
  /// The last result of `unchanged`, minus the entities passed since.
  std::size_t unchanged_count() const { return unchanged_; }
  void pass(std::size_t count) {
    left_ -= count;
    if (in_block_ > 0) in_block_ -= std::min(count, in_block_);
    (unchanged_ > 0 ? unchanged_ : separate_) -= count;
  }

 private:
  /// The state of the previous block.
  enum class Before : std::uint32_t { none = 0, unchanged = 1, changed = 2 };

  template <DecisionCoder Coder, typename View>
  void decide(Coder& coder, const View& view) {
    if (in_block_ == 0 && is_block(left_)) {
      in_block_ = std::min(left_, kBlockSize);
      const auto slot = slots::kBlockChanges + static_cast<std::uint32_t>(before_);
      const bool changes = coder.bit(slot, view.changes(in_block_));
      before_ = changes ? Before::changed : Before::unchanged;
      if (!changes) {
        unchanged_ = in_block_;
        return;
      }
    }
    const std::size_t group = std::min(left_, kGroupSize);
    const std::size_t others = view.others(group);
    const std::uint32_t surroundings = others == 0 ? 0 : others <= kGroupSize ? 1 : 2;
    const std::uint32_t slot = slots::kGroupChanges + surroundings * 2 + (follows_change_ ? 1 : 0);
    follows_change_ = coder.bit(slot, view.changes(group));
    (follows_change_ ? separate_ : unchanged_) = group;
  }

  std::size_t left_;
  std::size_t in_block_ = 0;  ///< The number of entities of the block that are not passed yet.
  /// The number of next entities that the last decision marked as unchanged.
  std::size_t unchanged_ = 0;
  std::size_t separate_ = 0;  ///< The number of next entities that are coded separately.
  Before before_ = Before::none;
  bool follows_change_ = false;  ///< True if the last decided group had changes.
};

}  // namespace muster
