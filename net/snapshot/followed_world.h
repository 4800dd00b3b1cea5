// A writer's data about one receiver: for each entity, the state that the receiver should see and
// the states that the receiver has.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/baseline_links.h"
#include "net/snapshot/constant_walk.h"
#include "net/snapshot/entity_track.h"
#include "net/snapshot/kept_rows.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/tick.h"

namespace muster {

/// The value of `EntityState::since` if the caller does not know the tick.
inline constexpr Tick kUnknownTick{0xFFFF'FFFF};

/// An entity that a receiver should see. `values` must stay valid and unchanged for `kPastTicksMax`
/// ticks after newer values replace them.
struct EntityState {
  SliceId id{};
  EntityKind kind;
  /// True if the sender defers this entity's change. The receiver then keeps the state that it has.
  bool is_deferred = false;
  /// True if an earlier snapshot contained this entity, so that the receiver may show the entity.
  bool may_be_shown = true;
  const LaneValue* values = nullptr;
  /// The tick since which the values are unchanged. If it is `kUnknownTick`, the writer finds the
  /// tick by comparing values. A caller with many receivers can find the tick once for all
  /// receivers.
  Tick since = kUnknownTick;
};

/// A known entity that must be checked for the current snapshot.
struct ListedEntity {
  const EntityState* state = nullptr;  ///< Null if the entity was removed.
  std::uint32_t track_index = 0;
  std::uint32_t rank = 0;           ///< The number of known entities before this entity.
  std::uint32_t constant_rank = 0;  ///< The number of constant entities before this entity.
  /// The index of the entity's known states in `known()`; `kUnchanged` if the entity is unchanged
  /// in all references.
  std::uint32_t known = 0;
  bool is_constant = false;
  bool is_changed = false;
  bool is_deferred = false;  ///< True if the snapshot omits the entity's change.

  static constexpr std::uint32_t kUnchanged = 0xFFFF'FFFF;
};

/// An entity that is new to the receiver.
struct ListedNew {
  const EntityState* state = nullptr;
  std::uint32_t rank = 0;  ///< The number of known entities with smaller ids.
};

/// The part of a sweep that one call of `keep` does. The entities that the sweep has not visited
/// yet are divided into `left` equal shares, and the call visits the first `due` shares.
struct SweepShare {
  std::size_t due = 1;
  std::size_t left = 1;
};

/// The range that a snapshot covers.
struct SnapshotReach {
  SliceId first_id{};
  SliceId end_id{};
  std::size_t new_written = 0;  ///< The number of listed new entities that were written.
  /// True if this part may contain new entities after `end_id`. The next part contains these
  /// entities again, because this part may be lost.
  bool is_listed_again = false;
};

/// The tracks of all entities for one receiver. An entity is *idle* when every snapshot that can
/// still be a reference contained the entity with its current values. The known states of an idle
/// entity follow from the references alone. An idle entity needs no work until it changes or a
/// snapshot omits it. Not thread-safe; nothing is allocated while the world does not grow.
class FollowedWorld {
 public:
  explicit FollowedWorld(const SnapshotModel& model) : model_(model), kept_(model), links_(model) {}

  /// Applies the world of a tick. `next` is the serial of the snapshot that will be written next.
  void apply(Tick tick, std::span<const EntityState> world, SnapshotSerial next);
  /// Does the same as `apply`, for a world that has the same entities at the same indices as the
  /// previous world. Only the entities at the indices in `changed` differ.
  void apply_changes(Tick tick, std::span<const EntityState> world,
                     std::span<const std::uint32_t> changed, SnapshotSerial next);

  /// Makes the next call of `keep` start with the first track.
  void begin_keep() { keep_id_ = {}; }
  /// Copies the values of all needed states whose tick is `oldest_tick` or earlier, because the
  /// owner of the world will drop these values. Visits a share of the tracks that were not visited
  /// since `begin_keep`, and skips idle entities. `is_needed(record, index)` returns true when the
  /// record belongs to the snapshot at that index of the window, and that snapshot may still be a
  /// reference.
  template <typename IsNeeded>
  void keep(Tick oldest_tick, const SnapshotTicks& ticks, SweepShare share,
            const IsNeeded& is_needed);
  /// Ends every run and drops every copied value, because the values may no longer be readable.
  /// Requires: no snapshot that is written after this call refers to a snapshot that was written
  /// before it.
  void forget();

  /// For a snapshot with these references, divides the world into entities that the receiver knows
  /// and entities that are new to the receiver. Sets `head.defers` if any entity is deferred.
  void list(SnapshotHead& head, const ReferenceStates& references);
  /// The known entities in the snapshot's range that are not idle, in the order of their ids.
  std::span<const ListedEntity> listed() const { return listed_; }
  std::span<const KnownEntity> known() const { return known_; }
  std::span<const ListedNew> listed_new() const { return new_; }
  /// True when the snapshot omits an entity because an earlier part of the same tick contains it as
  /// new.
  bool passes_over(SliceId id) const { return std::ranges::binary_search(passed_over_, id); }
  /// The constant entities that changed, as indices among all constant entities.
  std::span<const std::uint32_t> changed_constant() const { return changed_constant_; }
  std::size_t known_count() const { return known_count_; }
  std::size_t constant_count() const { return constant_count_; }
  /// The track of a known entity by its rank. Requires: no call since `rewind` had a higher rank.
  const EntityTrack& track_of_rank(std::size_t rank);
  void rewind();
  const EntityTrack& track(std::uint32_t index) const { return tracks_[index].track; }
  /// The known states of an idle entity.
  KnownEntity idle_entity(const EntityTrack& track) const;

  /// Records what the receiver will know about every entity after it receives the listed snapshot,
  /// whose number is `serial`.
  void remember(const SnapshotReach& reach, SnapshotSerial serial);

  /// Makes the next snapshot check every entity. This takes more time and gives the same bytes.
  void activate_all();
  std::size_t idle_count() const;
  /// The number of entity checks so far, by all functions.
  std::uint64_t checked_count() const { return checked_count_; }
  std::size_t memory_bytes() const;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;
  /// A track, and the entity's state in the world.
  struct Followed {
    EntityTrack track;
    /// The state in the current world; null if the entity was removed.
    const EntityState* state = nullptr;
    const LaneValue* values = nullptr;  ///< The values at the newest tick.
    EntityKind kind;
    StateStamp stamp{};  ///< The stamp of `values`.
    /// A copy of the track's bit in `idle_`, used when the track's index changes.
    bool is_idle = false;
    KeptRows::List kept = 0;
  };

  void follow(std::size_t index, const EntityState& state);
  void leave(std::size_t index);
  void put_in_order();
  void merge_new();
  void activate(std::size_t index);
  void make_idle(std::size_t index);
  template <typename Visit>
  void for_active(std::size_t first, std::size_t end, const Visit& visit);
  void list_track(SnapshotHead& head, std::size_t index, std::size_t rank,
                  std::size_t constant_rank);
  std::uint32_t share_of_deferred() const;
  void list_words(SnapshotHead& head, std::size_t first);
  KnownEntity known_of(const EntityTrack& track) const;
  void add_link(const ListedEntity& listed, EntityTrack& track);
  const TrackRecords& records_of(const EntityTrack& track) const;
  TrackRecords& make_records(EntityTrack& track);
  void activate_outside(const SnapshotReach& reach);
  void remember_track(Followed& followed, const ListedEntity* listed, bool is_certain,
                      bool is_there);
  std::size_t index_of_id(SliceId id) const;
  std::size_t lanes_of(EntityKind kind) const {
    return model_.types[codec_index(kind.type)].lanes.size();
  }

  const SnapshotModel& model_;
  Tick tick_{};
  SnapshotSerial next_ = 0;
  bool is_comparable_ = false;    ///< True if the values of the previous tick are still readable.
  bool has_gone_ = false;         ///< True if removed entities still have tracks.
  std::vector<Followed> tracks_;  ///< Sorted by id.
  std::vector<Followed> added_;
  std::vector<Word> idle_;  ///< One bit per track.
  TrackStore records_;
  /// The id at which `keep` continues; `kEveryId` if all tracks were visited.
  SliceId keep_id_{};
  KeptRows kept_;
  BaselineLinks links_;
  ReferenceStates references_;  ///< The references of the snapshot listed last.
  KnownEntity idle_known_;      ///< The known states of every idle entity, without values.

  std::vector<ListedEntity> listed_;
  std::vector<KnownEntity> known_;
  std::vector<ListedNew> new_;
  std::vector<SliceId> passed_over_;  ///< Ids in ascending order.
  std::vector<std::uint32_t> changed_constant_;
  std::vector<Word> known_bits_;  ///< One bit for each track whose entity is known.
  std::size_t known_count_ = 0;
  std::size_t constant_count_ = 0;
  std::size_t cursor_word_ = 0;  ///< The word of `known_bits_` that `track_of_rank` reached.
  std::size_t cursor_rank_ = 0;  ///< The number of known entities before that word.
  std::uint64_t checked_count_ = 0;
};

/// Calls `visit(index)` for each track that is not idle. Searches only the tracks whose bits are in
/// the words of `idle_` from `first` to `end - 1`. Visits each track at most once, even if `visit`
/// changes its idle state.
template <typename Visit>
void FollowedWorld::for_active(std::size_t first, std::size_t end, const Visit& visit) {
  for (std::size_t w = first; w < std::min(end, idle_.size()); ++w) {
    for (Word active = ~idle_[w]; active != 0; active &= active - 1) {
      const std::size_t index = w * kWordBits + static_cast<std::size_t>(std::countr_zero(active));
      if (index >= tracks_.size()) return;
      ++checked_count_;
      visit(index);
    }
  }
}

/// The position of a sweep is stored as an id and not as an index, because a track's index changes
/// when entities are added or removed.
template <typename IsNeeded>
void FollowedWorld::keep(Tick oldest_tick, const SnapshotTicks& ticks, SweepShare share,
                         const IsNeeded& is_needed) {
  if (keep_id_ == kEveryId) return;
  const std::size_t first = std::min(index_of_id(keep_id_) / kWordBits, idle_.size());
  const std::size_t words = (idle_.size() - first) * share.due;
  const std::size_t end = first + (words + share.left - 1) / share.left;
  TrackRecords none{};
  for_active(first, end, [&](std::size_t at) {
    Followed& followed = tracks_[at];
    TrackRecords& records =
        followed.track.has_records() ? records_[followed.track.records_index] : none;
    kept_.keep(followed.kept, followed.track, records, ticks, oldest_tick, is_needed);
    links_.drop_unneeded(followed.track.links, followed.track, records, ticks, is_needed);
  });
  keep_id_ = end * kWordBits < tracks_.size() ? tracks_[end * kWordBits].track.id : kEveryId;
}

}  // namespace muster
