// The receiving side of snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// What became of a snapshot's bytes.
enum class [[nodiscard]] SnapshotVerdict : std::uint8_t{
    applied = 0,
    /// Older than the window, or here already; nothing was changed. Whether it is acknowledged or
    /// not makes no difference: nothing can be coded against it any more, or it was acknowledged.
    late = 1,
    /// Coded against snapshots that are not here, or no more, as can happen to one that was
    /// overtaken by many; nothing was changed. It must not be acknowledged.
    unknown = 2,
    malformed = 3,  ///< No writer sends this; nothing was changed.
};

/// An entity as the newest snapshot that speaks of it has it.
struct SeenEntity {
  std::uint32_t id = 0;
  EntityKind kind;
  std::uint32_t tick = 0;             ///< At which the values were the truth.
  const LaneValue* values = nullptr;  ///< Valid until the next `read`.
};

/// Reads snapshots that a `SnapshotWriter` wrote with the same model, from bytes that an enemy may
/// have made: their entities are bounded by `entity_max`, and damage changes nothing. Not
/// thread-safe. After the first snapshots nothing is allocated while the world does not grow.
class SnapshotReader {
 public:
  /// The model must outlive the reader. `entity_max` bounds the memory that a sender can claim.
  explicit SnapshotReader(const SnapshotModel& model, std::size_t entity_max = 65'536);
  /// A copy's tracks would lead into the rows of the original.
  SnapshotReader(const SnapshotReader&) = delete;
  SnapshotReader(SnapshotReader&&) = default;

  /// Applies a snapshot. When the verdict is `applied`, the sender must learn that `last_number()`
  /// has arrived before it may build on it. One that was overtaken is applied too: later ones may
  /// build on it, and of entities of which nothing newer is known it is the news.
  SnapshotVerdict read(std::span<const std::byte> bytes);

  /// Of the snapshot applied last; not the newest when it was overtaken.
  SnapshotNumber last_number() const { return last_; }
  bool last_is_newest() const { return last_ == newest_; }
  /// The newest tick of which something is known.
  std::uint32_t tick() const { return tick_; }
  /// The world, each entity as the newest snapshot that speaks of it has it; sorted by id.
  std::span<const SeenEntity> entities() const { return entities_; }

 private:
  struct Decoder;
  struct Slot {
    EntityTrack track;
    /// A row of values for each place of the window, and one for what is newest.
    std::vector<LaneValue> rows;
    bool is_there = false;   ///< As far as is known, and then ...
    std::uint32_t tick = 0;  ///< ... since when, and as what.
    EntityKind kind;
  };
  struct Received {
    SnapshotNumber number = 0;
    bool is_used = false;
    std::uint32_t tick = 0;
  };
  /// What a snapshot does to an entity; done only when all of it could be read.
  struct Change {
    enum class Kind : std::uint8_t { says, same, gone, held } what = Kind::same;
    std::size_t slot = 0;
    EntityKind kind;
    std::size_t first_value = 0;  ///< In `values_`, for `says`.
  };

  /// Known entities that are asked after together.
  struct Group {
    struct Entity {
      std::size_t slot = 0;
      KnownEntity known;
    };
    std::size_t count = 0;
    std::array<Entity, kGroupSize> entities;
  };

  bool read_head(Decoder& decoder, SnapshotHead& head) const;
  bool has_references(const SnapshotHead& head) const;
  bool read_body(Decoder& decoder, const SnapshotHead& head);
  bool read_new(Decoder& decoder, std::uint64_t& least_id, std::uint32_t last_id);
  bool read_group(Decoder& decoder, const SnapshotHead& head, const Group& group);
  bool read_entity(Decoder& decoder, const SnapshotHead& head, std::size_t slot,
                   const KnownEntity& known);
  void apply(const SnapshotHead& head);
  void forget(SnapshotNumber number);
  Slot& slot_of(std::uint32_t id);
  void set(Slot& slot, std::size_t place, const LaneValue* values, std::uint32_t tick,
           EntityKind kind);
  void show(Slot& slot, std::size_t place);
  void list_entities();

  const SnapshotModel& model_;
  std::size_t entity_max_;
  std::size_t row_lanes_ = 0;  ///< Of the type with the most.
  bool has_any_ = false;
  SnapshotNumber newest_ = 0;
  SnapshotNumber last_ = 0;
  std::uint32_t tick_ = 0;
  std::array<Received, kSnapshotWindow> received_{};
  std::vector<Slot> slots_;  ///< Sorted by id.
  std::vector<SeenEntity> entities_;

  struct NewEntity {
    std::uint32_t id = 0;
    EntityKind kind;
    std::size_t first_value = 0;
  };
  std::vector<Change> changes_;
  std::vector<NewEntity> new_;
  std::vector<LaneValue> values_;
  bool follows_changed_ = false;
  std::uint32_t end_id_ = 0;  ///< Where the snapshot being read ends.
  EntityScratch scratch_;
};

}  // namespace muster
