// What one receiver is to see and what it knows of it, entity by entity.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/baseline_links.h"
#include "net/snapshot/kept_rows.h"
#include "net/snapshot/quiet_walk.h"
#include "net/snapshot/snapshot_head.h"
#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// When the caller does not know since when an entity has been as it is.
inline constexpr std::uint32_t kUnknownTick = 0xFFFF'FFFF;

/// An entity of the world that a receiver is to see. The values must stay where they are,
/// unchanged, until they have not been the truth for `kPastTicksMax` ticks.
struct EntityState {
  std::uint32_t id = 0;
  EntityKind kind;
  /// The sender would rather not say now that this entity changed: it stays as it was.
  bool is_deferred = false;
  /// The receiver may show a state of this entity: an earlier snapshot contained it.
  bool may_be_shown = true;
  const LaneValue* values = nullptr;
  /// The first tick of those up to now in which its values were these. Found by comparison when it
  /// is not given; a caller with many receivers finds it once for all.
  std::uint32_t since = kUnknownTick;
};

/// An entity that the receiver knows and that has to be looked at, in the snapshot being written.
struct ListedEntity {
  const EntityState* state = nullptr;  ///< Null when it is gone.
  std::uint32_t place = 0;             ///< Of its track.
  std::uint32_t rank = 0;              ///< So many known entities come before it, ...
  std::uint32_t quiet_rank = 0;        ///< ... and so many quiet ones.
  std::uint32_t known = 0;             ///< In `known()`, or `kSteady`.
  bool is_quiet = false;
  bool is_changed = false;
  bool is_deferred = false;  ///< Changed, but not said so.

  static constexpr std::uint32_t kSteady = 0xFFFF'FFFF;
};

/// An entity that is new to the receiver.
struct ListedNew {
  const EntityState* state = nullptr;
  std::uint32_t rank = 0;  ///< So many known entities have lesser ids.
};

/// The first `due` of `left` equal shares of the entities that a sweep has not visited yet.
struct SweepShare {
  std::size_t due = 1;
  std::size_t left = 1;
};

/// How far a snapshot came.
struct SnapshotReach {
  std::uint32_t first_id = 0;
  std::uint32_t end_id = 0;
  std::size_t new_written = 0;  ///< Of those listed.
  /// The next part tells new entities that lie behind the end again: this one may be lost.
  bool is_told_again = false;
};

/// The tracks of a writer. An entity *rests* when it has been as it is for longer than any snapshot
/// that can still be built upon, and every one of these said so: then all that is known of it
/// follows from the references, its run grows by itself, and nobody looks at it until it changes or
/// a snapshot leaves it out. Not thread-safe; nothing is allocated while the world does not grow.
class FollowedWorld {
 public:
  explicit FollowedWorld(const SnapshotModel& model) : model_(model), kept_(model), links_(model) {}

  /// Takes over what every entity is at a tick. `next`: the snapshot that will be written next.
  void take(std::uint32_t tick, std::span<const EntityState> world, SnapshotSerial next);
  /// The same of a world that stands where it stood and has the entities that it had, when all is
  /// as it was but for those at `changed`.
  void take_changes(std::uint32_t tick, std::span<const EntityState> world,
                    std::span<const std::uint32_t> changed, SnapshotSerial next);

  /// The next call of `keep` begins with the first track.
  void begin_keep() { keep_id_ = 0; }
  /// Keeps the values of all states of `oldest_tick` and before that are needed: the owner of the
  /// world is about to drop them. Visits a share of the tracks that were not visited since
  /// `begin_keep`. Resting entities are not visited.
  /// `is_needed(record, place)`: whether the record is of the snapshot at that place of the window,
  /// and that one may still be a reference.
  template <typename IsNeeded>
  void keep(std::uint32_t oldest_tick, const SnapshotTicks& ticks, SweepShare share,
            const IsNeeded& is_needed);
  /// Ends every run and drops every kept value: the values may not be readable any more.
  /// Requires: nothing is coded against an earlier snapshot.
  void forget();

  /// Sorts the world into what the receiver knows and what is new to it, for a snapshot against
  /// these references; `head` learns whether anything is held.
  void list(SnapshotHead& head, const ReferenceStates& references);
  /// Of the known entities that the snapshot may speak of, those that do not rest; in their order.
  std::span<const ListedEntity> listed() const { return listed_; }
  std::span<const KnownEntity> known() const { return known_; }
  std::span<const ListedNew> listed_new() const { return new_; }
  /// Whether the snapshot passes an entity over because an earlier part of the tick has it as new.
  bool passes_over(std::uint32_t id) const { return std::ranges::binary_search(passed_over_, id); }
  /// The quiet ones that changed, as numbers among all quiet ones.
  std::span<const std::uint32_t> changed_quiet() const { return changed_quiet_; }
  std::size_t known_count() const { return known_count_; }
  std::size_t quiet_count() const { return quiet_count_; }
  /// The track of a known entity by its number. Requires: numbers that do not fall since `rewind`.
  const EntityTrack& track_of_rank(std::size_t rank);
  void rewind();
  const EntityTrack& track(std::uint32_t place) const { return tracks_[place].track; }
  /// What is known of an entity that rests.
  KnownEntity resting(const EntityTrack& track) const;

  /// Notes what the receiver will know of every entity once it has the snapshot that was listed,
  /// whose number is `serial`.
  void remember(const SnapshotReach& reach, SnapshotSerial serial);

  /// Looks at every entity in the next snapshot: slower, and the same bytes.
  void wake_all();
  std::size_t resting_count() const;
  /// Entities looked at one by one so far, by all functions together.
  std::uint64_t looked_at_count() const { return looked_at_count_; }
  std::size_t memory_bytes() const;

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;
  /// A track, and what is known of the world that it follows.
  struct Followed {
    EntityTrack track;
    const EntityState* state = nullptr;  ///< In the world being written; null when it is not there.
    const LaneValue* values = nullptr;   ///< Of the newest tick, ...
    EntityKind kind;
    std::uint32_t since = 0;  ///< ... since when they are so.
    bool rests = false;       ///< As `resting_` has it; goes with the track when that moves.
    KeptRows::List kept = 0;
  };

  void follow(std::size_t place, const EntityState& state);
  void leave(std::size_t place);
  void put_in_order();
  void merge_new();
  void wake(std::size_t place);
  void rest(std::size_t place);
  template <typename Visit>
  void for_awake(std::size_t first, std::size_t end, const Visit& visit);
  void list_track(SnapshotHead& head, std::size_t place, std::size_t rank, std::size_t quiet_rank);
  std::uint32_t share_of_deferred() const;
  void list_words(SnapshotHead& head, std::size_t first);
  KnownEntity known_of(const EntityTrack& track) const;
  void add_link(const ListedEntity& listed, EntityTrack& track);
  const TrackRecords& records_of(const EntityTrack& track) const;
  TrackRecords& make_records(EntityTrack& track);
  void wake_outside(const SnapshotReach& reach);
  void remember_track(Followed& followed, const ListedEntity* listed, bool is_said, bool is_there);
  std::size_t place_of_id(std::uint32_t id) const;
  std::size_t lanes_of(EntityKind kind) const { return model_.types[kind.type].lanes.size(); }

  const SnapshotModel& model_;
  std::uint32_t tick_ = 0;
  SnapshotSerial next_ = 0;
  bool is_comparable_ = false;    ///< The values of the tick before are still there.
  bool has_gone_ = false;         ///< Entities that are there no more still have tracks.
  std::vector<Followed> tracks_;  ///< Sorted by id.
  std::vector<Followed> added_;   ///< Of `merge_new`.
  std::vector<Word> resting_;     ///< A bit for each track.
  TrackStore records_;
  std::uint32_t keep_id_ = 0;  ///< `keep` continues at this id; `kEveryId`: all were visited.
  KeptRows kept_;
  BaselineLinks links_;
  ReferenceStates references_;  ///< Of the snapshot listed last.
  KnownEntity resting_known_;   ///< What is known of any entity that rests, but for its values.

  std::vector<ListedEntity> listed_;
  std::vector<KnownEntity> known_;
  std::vector<ListedNew> new_;
  std::vector<std::uint32_t> passed_over_;  ///< Ids; rising.
  std::vector<std::uint32_t> changed_quiet_;
  std::vector<Word> known_places_;  ///< A bit for each track whose entity is known.
  std::size_t known_count_ = 0;
  std::size_t quiet_count_ = 0;
  std::size_t cursor_word_ = 0;  ///< Of `track_of_rank`, ...
  std::size_t cursor_rank_ = 0;  ///< ... and known entities before that word.
  std::uint64_t looked_at_count_ = 0;
};

/// Calls `visit(place)` for every track of the words from `first` up to `end` that does not rest.
/// Those that `visit` wakes or puts to rest are not visited for that.
template <typename Visit>
void FollowedWorld::for_awake(std::size_t first, std::size_t end, const Visit& visit) {
  for (std::size_t w = first; w < std::min(end, resting_.size()); ++w) {
    for (Word awake = ~resting_[w]; awake != 0; awake &= awake - 1) {
      const std::size_t place = w * kWordBits + static_cast<std::size_t>(std::countr_zero(awake));
      if (place >= tracks_.size()) return;
      ++looked_at_count_;
      visit(place);
    }
  }
}

/// Continues at an id and not at an index, since indices move when entities are added and removed.
template <typename IsNeeded>
void FollowedWorld::keep(std::uint32_t oldest_tick, const SnapshotTicks& ticks, SweepShare share,
                         const IsNeeded& is_needed) {
  if (keep_id_ == kEveryId) return;
  const std::size_t first = std::min(place_of_id(keep_id_) / kWordBits, resting_.size());
  const std::size_t words = (resting_.size() - first) * share.due;
  const std::size_t end = first + (words + share.left - 1) / share.left;
  TrackRecords none{};
  for_awake(first, end, [&](std::size_t at) {
    Followed& followed = tracks_[at];
    TrackRecords& records = followed.track.has_records() ? records_[followed.track.place] : none;
    kept_.keep(followed.kept, followed.track, records, ticks, oldest_tick, is_needed);
    links_.drop_unneeded(followed.track.links, followed.track, records, ticks, is_needed);
  });
  keep_id_ = end * kWordBits < tracks_.size() ? tracks_[end * kWordBits].track.id : kEveryId;
}

}  // namespace muster
