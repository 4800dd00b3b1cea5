// The receiving side of snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/baseline_links.h"
#include "net/snapshot/entity_code.h"
#include "net/snapshot/quiet_walk.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/snapshot/snapshot_track.h"
#include "net/snapshot/state_rows.h"

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
    /// There are more entities in it, or larger ones, than `ReaderLimits` allow; nothing was
    /// changed.
    too_large = 4,
};

/// What a sender can claim of a reader.
struct ReaderLimits {
  std::size_t entity_max = 65'536;  ///< Of a large entity, each slice that travels by itself.
  /// Bytes of the entities' states: of an entity some 66 times what its lanes take, and two
  /// kilobytes. A datagram of an enemy's speaks of as many entities as it likes, for next to no
  /// bits.
  std::size_t memory_bytes_max = std::size_t{512} << 20U;
};

/// An entity as the newest snapshot that speaks of it has it.
struct SeenEntity {
  std::uint32_t id = 0;
  EntityKind kind;
  std::uint32_t tick = 0;             ///< At which the values were the truth.
  std::uint64_t version = 0;          ///< Another one when the values or the kind are.
  const LaneValue* values = nullptr;  ///< Valid until the next `read`.
};

/// Reads snapshots that a `SnapshotWriter` wrote with the same model, from bytes that an enemy may
/// have made: what they claim is bounded by `limits`, and damage changes nothing. Not
/// thread-safe. After the first snapshots nothing is allocated while the world does not grow.
class SnapshotReader {
 public:
  /// The model must outlive the reader.
  explicit SnapshotReader(const SnapshotModel& model, const ReaderLimits& limits = {},
                          const SnapshotOptions& options = {});
  /// A copy's tracks would lead into the rows of the original.
  SnapshotReader(const SnapshotReader&) = delete;
  SnapshotReader(SnapshotReader&&) = default;

  /// Applies a snapshot. When the verdict is `applied`, the sender must learn that `last_number()`
  /// has arrived before it may build on it. One that was overtaken is applied too: later ones may
  /// build on it, and of entities of which nothing newer is known it is the news.
  SnapshotVerdict read(std::span<const std::byte> bytes);

  /// Of the snapshot applied last; not the newest when it was overtaken.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(last_); }
  /// Of the snapshot that `read` called unknown last.
  SnapshotNumber unknown_number() const { return unknown_; }
  bool last_is_newest() const { return last_ == newest_; }
  /// The newest tick of which something is known.
  std::uint32_t tick() const { return tick_; }
  /// The world, each entity as the newest snapshot that speaks of it has it; sorted by id.
  std::span<const SeenEntity> entities() const { return entities_; }
  /// Whether anything is kept of an entity: it is in the world, or a snapshot of the window told of
  /// it, and no newer one has shown it yet.
  bool holds(std::uint32_t id) const { return find_slot(id) != nullptr; }
  /// Bytes of memory held.
  std::size_t memory_bytes() const;

 private:
  /// So that no age leads below zero.
  static constexpr SnapshotSerial kFirstSerial = 1U << 16;
  struct Slot {
    EntityTrack track;
    /// As long as the largest type has lanes that it was of. A run's values are in the row of its
    /// first snapshot, and move to that of its last when it ends.
    StateRows rows;
    bool is_there = false;   ///< As far as is known, and then ...
    std::uint32_t tick = 0;  ///< ... since when, and as what.
    EntityKind kind;
    std::uint32_t shown_since = 0;  ///< Of the values behind the rows, ...
    std::uint64_t version = 0;      ///< ... and which these are.
  };
  static constexpr std::size_t kSlotBytes = sizeof(Slot) + sizeof(TrackRecords);
  struct Received {
    SnapshotSerial serial = 0;
    bool is_used = false;
  };
  static constexpr std::uint32_t kSteady = 0xFFFF'FFFF;
  /// What a snapshot does to an entity; done only when all of it could be read.
  struct Change {
    enum class Kind : std::uint8_t { says, same, gone, deferred } what = Kind::same;
    std::size_t slot = 0;
    EntityKind kind;
    std::size_t first_value = 0;  ///< In `values_`, for `says`.
    /// The state that a sparse entity was coded against.
    const LaneValue* baseline = nullptr;
    std::uint32_t baseline_tick = 0;
    std::uint32_t known = kSteady;  ///< As in `Listed`, for a deferred entity.
  };

  /// An entity that is known to both sides.
  struct Listed {
    std::uint32_t slot = 0;
    std::uint32_t known = 0;  ///< In `known_`, or `kSteady`.
    bool is_quiet = false;
  };

  template <typename Decoder>
  SnapshotVerdict read_with(std::span<const std::byte> bytes);
  template <typename Decoder>
  bool read_head(Decoder& decoder, SnapshotHead& head) const;
  bool has_references(const SnapshotHead& head) const;
  template <typename Decoder>
  bool read_body(Decoder& decoder, const SnapshotHead& head);
  template <typename Decoder>
  bool read_new(Decoder& decoder, const SnapshotHead& head, std::uint64_t& least_id,
                std::uint32_t last_id);
  struct QuietView;
  void list_known(const SnapshotHead& head);
  std::uint32_t id_of(std::size_t listed) const { return slots_[listed_[listed].slot].track.id; }
  template <typename Decoder>
  bool read_listed(Decoder& decoder, const SnapshotHead& head, std::size_t at);
  template <typename Decoder>
  bool read_entity(Decoder& decoder, const SnapshotHead& head, const Listed& listed);
  KnownEntity known_of(const EntityTrack& track) const;
  void apply(const SnapshotHead& head);
  TrackRecord apply_change(Slot& slot, const Change* change);
  TrackRecord go_on(Slot& slot);
  TrackRecord say(Slot& slot, EntityKind kind, const LaneValue* values);
  TrackRecord set_apart(Slot& slot, const TrackRecord& record);
  TrackRecord run_of(const Slot& slot) const;
  void end_run_of(Slot& slot);
  const LaneValue* keep(Slot& slot, SnapshotSerial serial, EntityKind kind,
                        const LaneValue* values) const;
  std::size_t slot_bytes() const {
    return slots_.size() * kSlotBytes + rows_.used_bytes() + links_.used_bytes();
  }
  bool claim(std::uint32_t id, std::size_t lanes);
  const Slot* find_slot(std::uint32_t id) const;
  void add_slots();
  void make_room(Slot& slot, std::size_t lanes);
  void show(Slot& slot, const TrackRecord& record);
  void drop_links();
  void end_spoken(const SnapshotHead& head, Slot& slot, Standing standing);
  void list_entities();

  const SnapshotModel& model_;
  SnapshotOptions options_;
  ReaderLimits limits_;
  SnapshotNumber unknown_ = 0;
  bool has_any_ = false;
  SnapshotSerial newest_ = kFirstSerial;
  SnapshotSerial last_ = kFirstSerial;
  SnapshotSerial swept_ = 0;     ///< When `drop_links` was called last: newest serial / interval.
  SnapshotSerial serial_ = 0;    ///< Of the snapshot being read, ...
  std::uint32_t said_tick_ = 0;  ///< ... and its tick.
  bool is_overtaken_ = false;    ///< By a newer one.
  std::uint32_t tick_ = 0;
  std::uint64_t versions_ = 0;  ///< That entities had.
  std::array<Received, kSnapshotWindow> received_{};
  SnapshotTicks ticks_{};
  ReferenceStates references_;  ///< Of the snapshot being read.
  TrackStore records_;
  std::vector<Slot> slots_;  ///< Sorted by id.
  StateRowStore rows_;
  BaselineLinks links_;
  std::vector<SeenEntity> entities_;

  struct NewEntity {
    std::uint32_t id = 0;
    EntityKind kind;
    std::size_t first_value = 0;
  };
  std::vector<Listed> listed_;
  std::vector<KnownEntity> known_;
  QuietWalk quiet_walk_;
  DeferredCode deferred_;
  std::vector<Change> changes_;
  std::vector<NewEntity> new_;
  std::size_t newcomers_ = 0;      ///< Of the new ones, those without a slot; ...
  std::size_t claimed_bytes_ = 0;  ///< ... and what the new ones take besides what there is.
  bool is_too_large_ = false;
  std::vector<LaneValue> values_;
  bool follows_changed_ = false;
  std::uint32_t new_generation_ = 0;  ///< The generation of the new entity read last.
  std::uint32_t end_id_ = 0;          ///< Where the snapshot being read ends.
  EntityScratch scratch_;
};

}  // namespace muster
