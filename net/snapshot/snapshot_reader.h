// The receiving side of snapshots.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/baseline_links.h"
#include "net/snapshot/constant_walk.h"
#include "net/snapshot/entity_code.h"
#include "net/snapshot/entity_track.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/snapshot/state_rows.h"
#include "registry/base/tick.h"

namespace muster {

/// The result of reading a snapshot.
enum class [[nodiscard]] SnapshotVerdict : std::uint8_t{
    applied = 0,
    /// The snapshot is older than the window, or a duplicate; nothing was changed. The caller need
    /// not acknowledge the snapshot. No later snapshot refers to a snapshot outside the window, and
    /// a duplicate was acknowledged before.
    late = 1,
    /// The snapshot refers to another snapshot that never arrived, or that was forgotten because
    /// many newer snapshots arrived first. Nothing was changed. The caller must not acknowledge the
    /// snapshot.
    unknown = 2,
    malformed = 3,  ///< No writer produces this; nothing was changed.
    /// The snapshot contains more or larger entities than `ReaderLimits` allow; nothing was
    /// changed.
    too_large = 4,
};

/// Limits of a reader's memory against malicious senders.
struct ReaderLimits {
  std::size_t entity_max = 65'536;  ///< Each slice of a large entity counts as an entity.
  /// The maximum memory of the entities' states, in bytes. An entity needs two kilobytes plus about
  /// 66 times the size of its lanes. A malicious datagram can name any number of entities in a few
  /// bits.
  std::size_t memory_bytes_max = std::size_t{512} << 20U;
};

/// An entity with its state from the newest snapshot that covers it.
struct SeenEntity {
  SliceId id{};
  EntityKind kind;
  Tick tick{};                        ///< The tick of the values.
  std::uint64_t version = 0;          ///< A number that changes when the values or the kind change.
  const LaneValue* values = nullptr;  ///< Valid until the next `read`.
};

/// Reads the snapshots of a `SnapshotWriter` with the same model. The bytes may be malicious:
/// `limits` bound the reader's memory, and malformed bytes change nothing. Not thread-safe. After
/// the first snapshots nothing is allocated while the world does not grow.
class SnapshotReader {
 public:
  /// The model must outlive the reader.
  explicit SnapshotReader(const SnapshotModel& model, const ReaderLimits& limits = {},
                          const SnapshotOptions& options = {});
  /// Not copyable, because a copy's tracks would point into the rows of the original.
  SnapshotReader(const SnapshotReader&) = delete;
  SnapshotReader(SnapshotReader&&) = default;

  /// Applies a snapshot. If the verdict is `applied`, acknowledge `last_number()` to the sender;
  /// the sender refers only to acknowledged snapshots. A snapshot that a newer snapshot has
  /// overtaken is also applied, because later snapshots may refer to it. Its states are shown for
  /// entities without a newer state.
  SnapshotVerdict read(std::span<const std::byte> bytes);

  /// The number of the snapshot that was applied last. Newer snapshots may have been applied before
  /// it.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(last_); }
  /// The number of the snapshot that `read` last reported as unknown.
  SnapshotNumber unknown_number() const { return unknown_; }
  bool last_is_newest() const { return last_ == newest_; }
  /// The newest tick with known state.
  Tick tick() const { return tick_; }
  /// The world, sorted by id. Each entity has its state from the newest snapshot that covers it.
  std::span<const SeenEntity> entities() const { return entities_; }
  /// True when any state of an entity is stored: the entity is in the world, or one of the last
  /// `kSnapshotWindow` snapshots changed its state.
  bool holds(SliceId id) const { return find_slot(id) != nullptr; }
  /// The memory used, in bytes.
  std::size_t memory_bytes() const;

 private:
  /// This serial is so high that subtracting an age never gives a negative serial.
  static constexpr SnapshotSerial kFirstSerial = 1U << 16;
  struct Slot {
    EntityTrack track;
    /// Rows for the largest type that the entity had. A run's values are in the row of the run's
    /// first snapshot. When the run ends, the values are copied to the row of the run's last
    /// snapshot.
    StateRows rows;
    bool is_there = false;  ///< True if the entity exists in the shown world.
    Tick tick{};            ///< The tick of the shown state.
    EntityKind kind;
    StateStamp shown_stamp{};   ///< The stamp of the shown values.
    std::uint64_t version = 0;  ///< The version of the shown values.
  };
  static constexpr std::size_t kSlotBytes = sizeof(Slot) + sizeof(TrackRecords);
  struct Received {
    SnapshotSerial serial = 0;
    bool is_used = false;
  };
  static constexpr std::uint32_t kUnchanged = 0xFFFF'FFFF;
  /// A snapshot's effect on an entity. Changes are applied only after the whole snapshot was read.
  struct Change {
    enum class Kind : std::uint8_t { update, unchanged, gone, deferred } what = Kind::unchanged;
    std::size_t slot = 0;
    EntityKind kind;
    std::size_t first_value = 0;  ///< For `update`, the index of the first value in `values_`.
    /// The state that a sparse entity was coded against.
    const LaneValue* baseline = nullptr;
    Tick baseline_tick{};
    std::uint32_t known = kUnchanged;  ///< For a deferred entity; see `Listed::known`.
  };

  /// An entity that both ends know.
  struct Listed {
    std::uint32_t slot = 0;
    std::uint32_t known = 0;  ///< The index in `known_`; `kUnchanged` if the entity is unchanged.
    bool is_constant = false;
  };

  template <typename Decoder>
  SnapshotVerdict read_with(std::span<const std::byte> bytes);
  template <typename Decoder>
  bool read_head(Decoder& decoder, SnapshotHead& head) const;
  bool has_references(const SnapshotHead& head) const;
  template <typename Decoder>
  bool read_body(Decoder& decoder, const SnapshotHead& head);
  template <typename Decoder>
  bool read_new(Decoder& decoder, const SnapshotHead& head, SliceId& id_min, SliceId last_id);
  struct ConstantView;
  void list_known(const SnapshotHead& head);
  SliceId id_of(std::size_t listed) const { return slots_[listed_[listed].slot].track.id; }
  template <typename Decoder>
  bool read_listed(Decoder& decoder, const SnapshotHead& head, std::size_t at);
  template <typename Decoder>
  bool read_entity(Decoder& decoder, const SnapshotHead& head, const Listed& listed);
  KnownEntity known_of(const EntityTrack& track) const;
  void apply(const SnapshotHead& head);
  TrackRecord apply_change(Slot& slot, const Change* change);
  TrackRecord go_on(Slot& slot);
  TrackRecord record_values(Slot& slot, EntityKind kind, const LaneValue* values);
  TrackRecord set_apart(Slot& slot, const TrackRecord& record);
  TrackRecord run_of(const Slot& slot) const;
  void end_run_of(Slot& slot);
  const LaneValue* keep(Slot& slot, SnapshotSerial serial, EntityKind kind,
                        const LaneValue* values) const;
  std::size_t slot_bytes() const {
    return slots_.size() * kSlotBytes + rows_.used_bytes() + links_.used_bytes();
  }
  bool claim(SliceId id, std::size_t lanes);
  const Slot* find_slot(SliceId id) const;
  void add_slots();
  void make_room(Slot& slot, std::size_t lanes);
  void show(Slot& slot, const TrackRecord& record);
  void drop_links();
  void remove_unlisted(const SnapshotHead& head, Slot& slot, Presence presence);
  void list_entities();

  const SnapshotModel& model_;
  SnapshotOptions options_;
  ReaderLimits limits_;
  SnapshotNumber unknown_ = 0;
  bool has_any_ = false;
  SnapshotSerial newest_ = kFirstSerial;
  SnapshotSerial last_ = kFirstSerial;
  SnapshotSerial swept_ = 0;   ///< The value of `newest_ / kLinkSweep` after the last snapshot.
  SnapshotSerial serial_ = 0;  ///< The serial of the current snapshot.
  Tick read_tick_{};           ///< The tick of the current snapshot.
  bool is_overtaken_ = false;  ///< True if a newer snapshot was applied before the current one.
  Tick tick_{};
  std::uint64_t versions_ = 0;  ///< The number of versions so far.
  std::array<Received, kSnapshotWindow> received_{};
  SnapshotTicks ticks_{};
  ReferenceStates references_;  ///< The references of the current snapshot.
  TrackStore records_;
  std::vector<Slot> slots_;  ///< Sorted by id.
  StateRowStore rows_;
  BaselineLinks links_;
  std::vector<SeenEntity> entities_;

  struct NewEntity {
    SliceId id{};
    EntityKind kind;
    std::size_t first_value = 0;
  };
  std::vector<Listed> listed_;
  std::vector<KnownEntity> known_;
  ConstantWalk constant_walk_;
  DeferredCode deferred_;
  std::vector<Change> changes_;
  std::vector<NewEntity> new_;
  std::size_t newcomers_ = 0;      ///< The number of new entities without a slot.
  std::size_t claimed_bytes_ = 0;  ///< The additional memory that this snapshot's changes need.
  bool is_too_large_ = false;
  std::vector<LaneValue> values_;
  bool follows_changed_ = false;
  std::uint32_t new_generation_ = 0;  ///< The generation of the last new entity.
  SliceId end_id_{};                  ///< The end of the current snapshot.
  EntityScratch scratch_;
};

}  // namespace muster
