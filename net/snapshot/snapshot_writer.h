// The sending side of snapshots for one receiver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/constant_walk.h"
#include "net/snapshot/entity_code.h"
#include "net/snapshot/entity_track.h"
#include "net/snapshot/followed_world.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "registry/base/tick.h"

namespace muster {

/// The number of bits that a snapshot uses for updates and for new entities.
struct SnapshotCost {
  double update_bits = 0;
  double new_bits = 0;
};

/// Writes snapshots for one receiver. The world of each tick is written in one or several
/// datagrams; the receiver can read each datagram without the others. Not thread-safe; writers of
/// different receivers share only the model. After the first snapshots nothing is allocated while
/// the world does not grow.
class SnapshotWriter {
 public:
  /// The model must outlive the writer. The reader must have an equal model and options.
  explicit SnapshotWriter(const SnapshotModel& model, const SnapshotOptions& options = {})
      : model_(model), options_(options), followed_(model) {}

  /// Begins the snapshots of a tick. `world` must be sorted by id, and must stay valid until the
  /// tick's last snapshot is written. Requires: `tick` is after the previous tick.
  void begin(Tick tick, std::span<const EntityState> world);
  /// Does the same as the other `begin`, for a `world` with the same entities at the same indices
  /// as at the last `begin`. Only deferred entities and the entities at the indices in `changed`
  /// may differ. Unchanged entities need no work.
  void begin(Tick tick, std::span<const EntityState> world, std::span<const std::uint32_t> changed);
  /// Writes the next snapshot of the tick into `out` and returns its bytes. Returns an empty span
  /// if a single entity does not fit; `unfit_id` identifies the entity. The caller may defer that
  /// entity in the world passed to `begin` and write again. The snapshot then omits that entity and
  /// contains the entities after it.
  std::span<const std::byte> write(std::span<std::byte> out);
  /// The entity that did not fit into the last `write`; `kEveryId` if the snapshot itself did not
  /// fit.
  SliceId unfit_id() const { return unfit_id_; }
  /// True when the snapshots since `begin` contain the whole world.
  bool is_done() const { return is_done_; }
  /// The end of the last written snapshot. The snapshot covers all ids from the end of the previous
  /// snapshot of the same tick up to this end, which is not included. The snapshot does not cover
  /// deferred entities.
  SliceId end_id() const { return end_id_; }
  /// True when the last written snapshot omits an entity in its range, because an earlier snapshot
  /// of the same tick, which may be lost, contains the entity as new.
  bool passes_over(SliceId id) const { return followed_.passes_over(id); }
  /// True when the receiver keeps entities that the last written snapshot does not list. The reason
  /// is that the snapshot may omit entities that an earlier, unacknowledged snapshot contained.
  bool keeps_unknown() const { return keeps_unknown_; }
  /// The number of the last written snapshot.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(next_ - 1); }

  /// The cost of the last written snapshot's entities.
  const SnapshotCost& last_cost() const { return cost_; }

  /// Records that the receiver has acknowledged a snapshot. A snapshot that is older than the
  /// window is ignored.
  void acknowledge(SnapshotNumber number);
  /// Records that the receiver could not read this snapshot. Later snapshots do not refer to it, or
  /// to snapshots that depend on it.
  void disown(SnapshotNumber number);
  /// Call this function if the receiver may have lost its state. The next snapshot then contains
  /// everything.
  void forget_acknowledged() { sent_ = {}; }
  /// Copies values that the receiver has and that the owner of the world will drop. Requires:
  /// successive calls are at most 8 ticks apart, even when no snapshot is sent. Each call visits a
  /// share of the entities in proportion to the ticks since the last call. The first call after a
  /// longer gap visits all entities. After a gap of more than 16 ticks the receiver may get the
  /// whole state again.
  void keep(Tick tick);
  /// The number of snapshots written since the newest acknowledged one; the window's size if no
  /// snapshot in the window was acknowledged.
  std::size_t unacknowledged_count() const;

  /// The number of known entities whose state in the last snapshot differed from the receiver's
  /// state.
  std::size_t changed_count() const;
  /// The number of entity checks so far. Idle entities are not checked.
  std::uint64_t checked_count() const { return followed_.checked_count(); }
  /// The number of entities that need no work until they change.
  std::size_t idle_count() const { return followed_.idle_count(); }
  /// For tests: makes the next snapshot check every entity. The bytes do not change.
  void check_all() { followed_.activate_all(); }
  /// The memory used, in bytes.
  std::size_t memory_bytes() const;

 private:
  struct Sent {
    SnapshotSerial serial = 0;
    bool is_acknowledged = false;
    bool is_used = false;
    /// True if the states of the snapshot are no longer kept. No later snapshot refers to the
    /// snapshot.
    bool is_past = false;
    /// Bit i is 1 if this snapshot refers to the snapshot of age i + 1.
    std::uint64_t reference_ages = 0;
  };
  struct ConstantView;

  void mark_past(Tick tick);
  void keep_share(Tick tick, SweepShare share);
  bool is_reference(SnapshotSerial serial) const;
  bool refers_to_disowned(const Sent& sent) const;
  SnapshotHead next_head() const;
  Tick expected(const SnapshotHead& head) const;
  template <typename Encoder>
  std::span<const std::byte> write_with(std::span<std::byte> out);
  template <typename Encoder>
  void write_body(Encoder& encoder, const SnapshotHead& head);
  template <typename Encoder>
  bool write_new_of_group(Encoder& encoder, const SnapshotHead& head, SliceId& id_min);
  template <typename Encoder>
  bool write_listed(Encoder& encoder, const SnapshotHead& head);
  template <typename Encoder>
  bool write_idle(Encoder& encoder, const SnapshotHead& head, std::size_t count);
  template <typename Encoder>
  bool is_next_unchanged(Encoder& encoder);
  void pass_constant(std::size_t count);
  template <typename Encoder>
  void write_unchanged(Encoder& encoder, const SnapshotHead& head, const KnownEntity& known);
  template <typename Encoder>
  void write_entity(Encoder& encoder, const SnapshotHead& head, const ListedEntity& listed);
  template <typename Encoder>
  void write_new_entity(Encoder& encoder, const EntityState& state);
  std::size_t group_of(const ListedNew& entity) const;
  std::size_t next_boundary() const;
  bool has_content() const;
  bool limit_part();
  void remember(const SnapshotHead& head);

  const SnapshotModel& model_;
  SnapshotOptions options_;
  FollowedWorld followed_;
  Tick tick_{};
  SliceId next_id_{};  ///< The id at which the next part of this tick begins.
  bool is_done_ = true;
  bool keeps_unknown_ = false;
  /// The tick at which the current sweep of `keep` over all entities began.
  Tick sweep_began_{};
  Tick sweep_before_{};  ///< The tick at which the previous sweep began.
  /// The number of ticks of the current sweep for which `keep` has done the share of work.
  std::uint32_t swept_ticks_ = 0;
  SnapshotSerial next_ = 0;
  std::array<Sent, kSnapshotWindow> sent_{};
  SnapshotTicks ticks_{};
  ReferenceStates references_;  ///< The references of the current part.
  SliceId end_id_{};            ///< The end of the current part.
  SliceId unfit_id_{};          ///< The entity that did not fit.

  /// The limit of the current part: the rank and the id of a known entity.
  std::size_t limit_rank_ = kNoLimit;
  SliceId limit_id_ = kEveryId;
  bool has_limit_failed_ = false;
  static constexpr std::size_t kNoLimit = ~std::size_t{0};

  // The progress of the current part.
  std::size_t rank_ = 0;             ///< The number of known entities passed.
  std::size_t next_listed_ = 0;      ///< The index of the next entity in `listed()`.
  std::size_t constant_passed_ = 0;  ///< The number of constant entities passed.
  std::size_t next_changed_ = 0;     ///< The index of the next entity in `changed_constant()`.
  std::size_t new_written_ = 0;
  /// True if the current block of known entities contains new entities.
  bool has_new_here_ = false;
  std::uint32_t new_generation_ = 0;  ///< The generation of the last new entity.
  bool follows_changed_ = false;
  SnapshotCost cost_;
  ConstantWalk constant_walk_;
  DeferredCode deferred_;

  std::vector<LaneValue> values_;
  EntityScratch scratch_;
};

}  // namespace muster
