// A log of a world's structural changes, for undoing them, and what its watchers need.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "runtime/world/component_id.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/entity_record.h"
#include "runtime/world/signature.h"

namespace muster {

/// One structural change: an entity's record, or an added or removed component. It does not contain
/// component values: snapshots copy those as a whole.
struct WorldChange {
  enum class Kind : std::uint8_t { record, new_slot, component_added, component_removed };
  Kind kind = Kind::record;
  std::uint32_t component = 0;  ///< `ComponentId` of an added or removed component.
  std::uint32_t index = 0;      ///< Its index in the storage.
  std::uint32_t last = 0;       ///< The index of the component that replaced it.
  EntityId entity;              ///< Its owner; for a record, the slot counts.
  EntityRecord before;          ///< For a record.
};

/// The changes since the oldest snapshot, numbered without wrapping. A ring. It grows only if there
/// are more changes between two snapshots than ever before.
class WorldLog {
 public:
  std::uint64_t end() const { return end_; }
  std::uint64_t begin() const { return begin_; }

  void append(const WorldChange& change) {
    if (end_ - begin_ == changes_.size()) grow();
    changes_[end_++ & (changes_.size() - 1)] = change;
  }
  /// Requires: `begin() <= position < end()`.
  const WorldChange& at(std::uint64_t position) const {
    assert(position >= begin_ && position < end_);
    return changes_[position & (changes_.size() - 1)];
  }
  /// Removes the last change. Requires: not empty.
  const WorldChange& pop() {
    assert(end_ > begin_);
    return changes_[--end_ & (changes_.size() - 1)];
  }
  /// Drops everything before a position.
  void forget_before(std::uint64_t position) {
    assert(position >= begin_ && position <= end_);
    begin_ = position;
  }
  /// Drops everything, and marks a gap: no earlier position is in the log any more.
  void forget_all() { begin_ = ++end_; }
  /// True when the changes since a position can be undone.
  bool has(std::uint64_t position) const { return position >= begin_ && position <= end_; }
  /// Makes room for a power of two of at least `count` changes.
  void reserve(std::size_t count);

 private:
  void grow() { reserve(changes_.empty() ? 256 : changes_.size() * 2); }

  std::vector<WorldChange> changes_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// The recorded changes of a world, as far as any watcher needs them. They belong to the object,
/// not to its state: a copy of a world starts unwatched, and a world that is assigned to stays
/// watched. Otherwise a copy would record changes for a ring that it does not have.
struct WorldWatch {
  WorldWatch() = default;
  WorldWatch(const WorldWatch&) {}
  WorldWatch& operator=(const WorldWatch&) { return *this; }  // NOLINT: it keeps what it has
  ~WorldWatch() = default;

  WorldLog log;
  std::vector<Signature> touched;
  std::vector<EntityComponent> touched_components;
  bool has_ring = false;
  bool is_logging = false;  ///< From the ring's first snapshot on.
  bool is_tracking_signatures = false;
  bool is_tracking_components = false;
};

}  // namespace muster
