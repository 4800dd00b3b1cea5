// The sending side of snapshots for one receiver.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/followed_world.h"
#include "net/snapshot/quiet_walk.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// Bits of a snapshot, but for its head and for what it says of entities that it does not update.
struct SnapshotCost {
  double update_bits = 0;
  double new_bits = 0;
};

/// Writes snapshots for one receiver: each tick's world in one or several datagrams, each of which
/// can be read without the others. Not thread-safe; writers of different receivers share nothing
/// but the model. After the first snapshots nothing is allocated while the world does not grow.
class SnapshotWriter {
 public:
  /// The model must outlive the writer, and the reader must have the same, and the same options.
  explicit SnapshotWriter(const SnapshotModel& model, const SnapshotOptions& options = {})
      : model_(model), options_(options), followed_(model) {}

  /// Begins the snapshots of a tick. `world` is sorted by id, and must stay until the last of them
  /// is written. Requires: a tick after the one before.
  void begin(std::uint32_t tick, std::span<const EntityState> world);
  /// The same, when `world` has the entities that it had at the last `begin`, where they were, and
  /// nothing of them is another but at these indices, and what is held: what is as it was costs
  /// nothing.
  void begin(std::uint32_t tick, std::span<const EntityState> world,
             std::span<const std::uint32_t> changed);
  /// Writes the next snapshot of the tick into `out` and returns its bytes. An `out` too small for
  /// a single entity returns nothing; `unfit_id` says which. Whoever holds it, in the world that
  /// was given to `begin`, may write again: then it is left out, and those behind it are not.
  std::span<const std::byte> write(std::span<std::byte> out);
  /// The entity for which the last `write` had no room; `kEveryId` when it was the snapshot itself.
  std::uint32_t unfit_id() const { return unfit_id_; }
  /// True when the whole world stands in what was written since `begin`.
  bool is_done() const { return is_done_; }
  /// Where the snapshot written last ends: it says all there is of ids below this, from where the
  /// one before it in its tick ended, but for held entities.
  std::uint32_t end_id() const { return end_id_; }
  /// Whether the snapshot written last does not tell of an entity, where it says all there is,
  /// because an earlier one of its tick does, which has it as new and need not arrive.
  bool passes_over(std::uint32_t id) const { return followed_.passes_over(id); }
  /// Whether the receiver keeps entities that the snapshot written last does not list: it may leave
  /// some out that an earlier one had, which is not known to have arrived.
  bool keeps_unknown() const { return keeps_unknown_; }
  /// The number of the snapshot written last.
  SnapshotNumber last_number() const { return static_cast<SnapshotNumber>(next_ - 1); }

  /// What the entities of the snapshot written last took.
  const SnapshotCost& last_cost() const { return cost_; }

  /// The receiver has acknowledged a snapshot. What is older than the window counts no more.
  void acknowledge(SnapshotNumber number);
  /// The receiver has this snapshot, but could not read it: nothing is coded against it any more,
  /// nor against those that are.
  void disown(SnapshotNumber number);
  /// The receiver may know nothing any more: the next snapshot says everything.
  void forget_acknowledged() { sent_ = {}; }
  /// Keeps what the receiver knows and the owner of the world is about to drop. Requires: calls
  /// that are at most 8 ticks apart, also when no snapshot is sent. Each call visits a share of the
  /// entities in proportion to the ticks since the last call. The first call after a longer gap
  /// visits all of them; after a gap of more than 16 ticks the receiver may be taken to know
  /// nothing.
  void keep(std::uint32_t tick);
  /// How many snapshots were written since the newest that was acknowledged; the window's size when
  /// none in the window was.
  std::size_t unacknowledged_count() const;

  /// Known entities in the last snapshot that differed from what the receiver has.
  std::size_t changed_count() const;
  /// What was done for single entities so far: for one that rests nothing is.
  std::uint64_t looked_at_count() const { return followed_.looked_at_count(); }
  /// Entities at which nobody looks until they change.
  std::size_t resting_count() const { return followed_.resting_count(); }
  /// Looks at every entity in the next snapshot. The bytes are the same; for tests.
  void look_at_all() { followed_.wake_all(); }
  /// Bytes of memory held.
  std::size_t memory_bytes() const;

 private:
  struct Sent {
    SnapshotSerial serial = 0;
    bool is_acknowledged = false;
    bool is_used = false;
    bool is_past = false;  ///< Its states are no longer kept: nothing is coded against it.
    std::uint64_t reference_ages = 0;  ///< Bit i: it refers to the one of age i + 1.
  };
  struct QuietView;

  void mark_past(std::uint32_t tick);
  void keep_share(std::uint32_t tick, SweepShare share);
  bool is_reference(SnapshotSerial serial) const;
  bool refers_to_disowned(const Sent& sent) const;
  SnapshotHead next_head() const;
  std::uint32_t expected(const SnapshotHead& head) const;
  template <typename Encoder>
  std::span<const std::byte> write_with(std::span<std::byte> out);
  template <typename Encoder>
  void write_body(Encoder& encoder, const SnapshotHead& head);
  template <typename Encoder>
  bool write_new_of_group(Encoder& encoder, const SnapshotHead& head, std::uint32_t& least_id);
  template <typename Encoder>
  bool write_listed(Encoder& encoder, const SnapshotHead& head);
  template <typename Encoder>
  bool write_resting(Encoder& encoder, const SnapshotHead& head, std::size_t count);
  template <typename Encoder>
  bool is_asleep(Encoder& encoder);
  void pass_quiet(std::size_t count);
  template <typename Encoder>
  void write_unchanged(Encoder& encoder, const SnapshotHead& head, const KnownEntity& known);
  template <typename Encoder>
  void write_entity(Encoder& encoder, const SnapshotHead& head, const ListedEntity& listed);
  template <typename Encoder>
  void write_new_entity(Encoder& encoder, const EntityState& state);
  std::size_t group_of(const ListedNew& entity) const;
  std::size_t next_boundary() const;
  bool says_anything() const;
  bool limit_part();
  void remember(const SnapshotHead& head);

  const SnapshotModel& model_;
  SnapshotOptions options_;
  FollowedWorld followed_;
  std::uint32_t tick_ = 0;
  std::uint32_t next_id_ = 0;  ///< Where the next part of this tick begins.
  bool is_done_ = true;
  bool keeps_unknown_ = false;
  std::uint32_t sweep_began_ = 0;   ///< The tick at which the sweep of `keep` over all entities
  std::uint32_t sweep_before_ = 0;  ///< began, and that of the sweep before.
  std::uint32_t swept_ticks_ = 0;   ///< Ticks of the sweep whose shares are done.
  SnapshotSerial next_ = 0;
  std::array<Sent, kSnapshotWindow> sent_{};
  SnapshotTicks ticks_{};
  ReferenceStates references_;  ///< Of the part being written.
  std::uint32_t end_id_ = 0;    ///< Where the part being written ends, ...
  std::uint32_t unfit_id_ = 0;  ///< ... and because of whom.

  /// Where the part being written ends at the latest: a known entity's number, and its id.
  std::size_t limit_rank_ = kNoLimit;
  std::uint32_t limit_id_ = kEveryId;
  bool has_limit_failed_ = false;
  static constexpr std::size_t kNoLimit = ~std::size_t{0};

  // How far the part being written is.
  std::size_t rank_ = 0;          ///< Known entities behind it.
  std::size_t next_listed_ = 0;   ///< Of those that do not rest, the next one.
  std::size_t quiet_passed_ = 0;  ///< Quiet entities behind it.
  std::size_t next_changed_ = 0;  ///< Of the quiet ones that changed, the next one.
  std::size_t new_written_ = 0;
  bool has_new_here_ = false;         ///< In the block of known entities being written.
  std::uint32_t new_generation_ = 0;  ///< The generation of the new entity written last.
  bool follows_changed_ = false;
  SnapshotCost cost_;
  QuietWalk quiet_walk_;
  DeferredCode deferred_;

  std::vector<LaneValue> values_;
  EntityScratch scratch_;
};

}  // namespace muster
