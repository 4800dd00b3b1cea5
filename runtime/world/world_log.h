// What has happened to the entities of a world, so that it can be taken back.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "runtime/world/entity_id.h"
#include "runtime/world/entity_record.h"

namespace muster {

/// One change of structure: an entity's record, or a component that came or went. Values of
/// components are not in it: snapshots copy those as a whole.
struct WorldChange {
  enum class Kind : std::uint8_t { record, new_slot, component_added, component_removed };
  Kind kind = Kind::record;
  std::uint32_t component = 0;  ///< `ComponentId` of a component that came or went.
  std::uint32_t index = 0;      ///< Its place in the storage.
  std::uint32_t last = 0;       ///< The place of the component that took its place.
  EntityId entity;              ///< Its owner; of a record: the slot counts.
  EntityRecord before;          ///< Of a record.
};

/// The changes since the oldest snapshot, numbered without end. A ring that only grows when more
/// happens between two snapshots than ever before.
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
  /// Takes the last change off. Requires: one.
  const WorldChange& pop() {
    assert(end_ > begin_);
    return changes_[--end_ & (changes_.size() - 1)];
  }
  /// Forgets what lies before a position: nobody goes back there.
  void forget_before(std::uint64_t position) {
    assert(position >= begin_ && position <= end_);
    begin_ = position;
  }
  /// Forgets everything, and that there was nothing in between: no position up to now is in the log
  /// any more.
  void forget_all() { begin_ = ++end_; }
  /// Whether what has happened since a position can be taken back.
  bool has(std::uint64_t position) const { return position >= begin_ && position <= end_; }
  /// Makes room for a power of two of at least `count` changes.
  void reserve(std::size_t count);

 private:
  void grow() { reserve(changes_.empty() ? 256 : changes_.size() * 2); }

  std::vector<WorldChange> changes_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace muster
