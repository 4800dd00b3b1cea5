// Records the structural changes of a world, so that changes can be undone, and for the watchers of
// the world.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "runtime/world/component_id.h"
#include "runtime/world/entity_id.h"
#include "runtime/world/entity_record.h"
#include "runtime/world/signature.h"

namespace muster {

/// One structural change: the old record of an entity, or an added or removed component. A change
/// does not contain component values, because snapshots copy all values.
struct WorldChange {
  enum class Kind : std::uint8_t { record, new_slot, component_added, component_removed };
  /// Differs from the id of every component type.
  static constexpr ComponentId kNoComponent{0xFFFFFFFF};
  Kind kind = Kind::record;
  ComponentId component = kNoComponent;  ///< The added or removed component's type.
  std::uint32_t index = 0;               ///< The index of the component in the storage.
  std::uint32_t last = 0;                ///< The index of the component that moved to `index`.
  EntityId entity;      ///< The owner of the component; for a record, only the slot is used.
  EntityRecord before;  ///< The old record, for a change of a record.
};

/// The changes since the oldest snapshot, in a ring buffer. Positions never wrap. The ring grows
/// only if it has too little memory for the changes since the oldest snapshot.
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
  /// Drops all changes before a position.
  void forget_before(std::uint64_t position) {
    assert(position >= begin_ && position <= end_);
    begin_ = position;
  }
  /// Drops all changes, and skips one position, so that every earlier position is outside the log.
  void forget_all() { begin_ = ++end_; }
  /// True if the log has all changes since a position.
  bool has(std::uint64_t position) const { return position >= begin_ && position <= end_; }
  /// Reserves memory for at least `count` changes, rounded up to a power of two.
  void reserve(std::size_t count);

 private:
  void grow() { reserve(changes_.empty() ? 256 : changes_.size() * 2); }

  std::vector<WorldChange> changes_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

/// A change that `StructureWatch` reports.
struct StructureChange {
  enum class Kind : std::uint8_t {
    created,
    parent,   ///< `World::set_parent`.
    despawn,  ///< The first despawn request for the entity or an entity above it.
    component,
  };
  EntityId entity{};
  Kind kind = Kind::created;
  /// The component type that was added or removed.
  ComponentId component = WorldChange::kNoComponent;
  EntityId parent{};        ///< The parent before the change; null for a created entity.
  std::uint32_t order = 0;  ///< The number of earlier changes since the last report.
};

/// The changes that a world records for its watchers. The recorded changes belong to the world
/// object, not to its state: a copy of a world has no watchers, and an assignment keeps the
/// watchers of its left side. Otherwise a copied world would record changes for a ring that it does
/// not have.
struct WorldWatch {
  WorldWatch() = default;
  WorldWatch(const WorldWatch&) {}
  WorldWatch& operator=(const WorldWatch&) { return *this; }  // NOLINT: it keeps what it has
  ~WorldWatch() = default;

  WorldLog log;
  std::vector<Signature> touched;
  std::vector<EntityComponent> touched_components;
  std::vector<StructureChange> structure;
  bool has_ring = false;
  bool is_logging = false;  ///< True from the ring's first snapshot on.
  bool is_tracking_signatures = false;
  bool is_tracking_components = false;
  bool has_structure_watch = false;
  bool is_tracking_structure = false;  ///< False while the `StructureWatch` is paused.
};

}  // namespace muster
