// The entities of interest of one client: their current values, and which of them the client has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/interest.h"
#include "net/replication/replicated_world.h"
#include "net/replication/timed_events.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/slice_id.h"
#include "net/snapshot/snapshot_writer.h"
#include "registry/base/tick.h"

namespace muster {

/// The range of a snapshot's part: the codec's ids from `first_id` up to `end_id`, which is not
/// included.
struct IdRange {
  SliceId first_id{};
  SliceId end_id{};
};

/// One entity of interest, or one slice of it.
struct ClientEntity {
  static constexpr Tick kNotAcked{0xFFFF'FFFF};

  SliceId id{};
  std::uint32_t generation = 0;
  Tick since;  ///< The tick at which the entity became of interest.
  /// The first tick at which the client's confirmed values were current. This tick identifies the
  /// row of these values, which may no longer be stored. `kNotAcked` if the client has no confirmed
  /// values.
  Tick acked_since = kNotAcked;
  Tick sent_at{};        ///< The tick of the last snapshot that contained the entity.
  Tick waiting_since{};  ///< The tick since which a change waits; `Tick()` if no change waits.
  /// The first tick at which the client's confirmed values may be out of date.
  Tick outdated_since{};
  CodecType codec_type{};  ///< The codec type with which the client receives the entity.
  bool was_sent = false;
  /// True if a snapshot that certainly contained the entity is confirmed.
  bool is_confirmed = false;
  bool is_active = false;  ///< True if the entity is in `active()`.
  bool is_first = false;   ///< True if the entity was of interest when the client began.
  bool may_be_shown =
      false;  ///< True if a snapshot with the entity was sent, even a lost snapshot.
  /// The last state that did not fit into a datagram: the first tick of its values, its codec type,
  /// and the room that was available.
  Tick unfit_since{};
  CodecType unfit_type{};
  std::uint16_t unfit_bytes = 0;  ///< 0 if there is no such state.

  bool is_acked() const { return acked_since != kNotAcked; }
};

/// The entities of interest of one client. An index `i` is an index into `states()`, and is valid
/// until the next `update`. Unchanged entities need no work, and nothing is allocated in steady
/// state. Only one thread at a time may use this object.
class ClientEntities {
 public:
  /// Both arguments must outlive this object.
  ClientEntities(const TypeViews& views, const InterestOptions& interest)
      : views_(&views), interest_options_(&interest) {}

  /// Starts again, as for a client without any state.
  void clear();
  /// Call this function if the client may have lost its state. After this call, no entity is
  /// confirmed.
  void forget_all(Tick tick);
  /// Call this function if the client may have lost this slice.
  void forget(const EventSubject& slice, Tick tick);
  /// Applies the world of this tick. `is_comparable` is true if the last update was at most
  /// `kPastTicksMax` ticks ago. After a longer time, rows may be reused. Then an entity may have
  /// changed even if it has the same row as before.
  void update(const ReplicatedWorld& world, const InterestGrid& grid, const Viewer& viewer,
              bool is_comparable);
  /// True after the first `update` since `clear`.
  bool has_first() const { return has_first_; }

  /// The states of all entities of interest, sorted by id. The slices of an entity are neighbours.
  std::span<const EntityState> states() const { return states_; }
  EntityState& state(std::size_t i) { return states_[i]; }
  const EntityState& state(std::size_t i) const { return states_[i]; }
  ClientEntity& operator[](std::size_t i) { return entities_[i]; }
  const ClientEntity& operator[](std::size_t i) const { return entities_[i]; }
  const ReplicatedEntity& source(std::size_t i) const { return *sources_[i]; }
  std::size_t size() const { return entities_.size(); }
  std::size_t index_of(const ClientEntity& entity) const {
    return static_cast<std::size_t>(&entity - entities_.data());
  }
  /// Returns null if the slice is not of interest.
  const ClientEntity* find(SliceId slice) const;
  const ClientEntity* find(const EventSubject& slice) const;
  ClientEntity* find(const EventSubject& slice);
  /// All slices of an entity. Requires: `first` is the entity's first slice.
  std::span<const ClientEntity> slices_of(const ClientEntity& first) const;
  /// True when the client has all slices of an entity. Requires: `first` is the entity's first
  /// slice.
  bool is_complete(const ClientEntity& first) const;

  /// The tick since which all values of the entity are unchanged.
  Tick row_since(std::size_t i) const;
  /// True when the client is confirmed to have the current values.
  bool is_current(std::size_t i) const { return entities_[i].acked_since == row_since(i); }
  /// True when the client may have an entity from a snapshot that is not confirmed.
  bool is_unknown(std::size_t i) const {
    return entities_[i].may_be_shown && !entities_[i].is_acked();
  }
  /// True when the entity's current state did not fit into this room before. If the path can carry
  /// larger datagrams later, the result is false again.
  bool is_unfit(std::size_t i, std::size_t room_bytes) const;
  /// True when the last written part of a snapshot certainly contains an entity. Before the part is
  /// written, true when the part may contain the entity.
  bool is_certain_in(const SnapshotWriter& writer, std::size_t i, const IdRange& range) const;

  /// The indices of entities whose current values are not confirmed.
  std::span<const std::uint32_t> active() const { return active_; }
  /// Removes confirmed entities from `active()`.
  void drop_confirmed();
  /// Makes the next snapshot leave the entity unchanged at the client.
  void defer(std::size_t i);

  /// True when the whole list was replaced since `clear_changes`.
  bool is_replaced() const { return is_replaced_; }
  /// The indices of states that changed since `clear_changes`, unless the list was replaced.
  std::span<const std::uint32_t> changed() const { return changed_; }
  void clear_changes();

  /// The number of entity checks so far, by all functions.
  std::uint64_t checked_count() const { return checked_count_; }
  std::size_t memory_bytes() const;

 private:
  bool refresh_interest(const ReplicatedWorld& world, const InterestGrid& grid,
                        const Viewer& viewer);
  bool apply_changes(const ReplicatedWorld& world);
  void merge(const ReplicatedWorld& world);
  void add_slice(const ReplicatedEntity& source, EntityKind kind, SliceId id,
                 const ClientEntity& before);
  SeenBy seen_by(const ReplicatedEntity& entity) const;
  void set_values(std::size_t i);
  void activate(std::size_t i, Tick tick);

  const TypeViews* views_;
  const InterestOptions* interest_options_;
  std::vector<NetworkId> interest_;
  std::vector<NetworkId> next_interest_;
  Viewer viewer_{};  ///< The viewer of the last search.
  std::uint64_t world_version_ = 0;
  std::uint64_t grid_version_ = 0;
  /// The position in the world's list of changes up to which changes are applied.
  std::uint64_t changes_seen_ = 0;
  Tick interest_tick_{};
  bool has_interest_ = false;
  bool has_first_ = false;
  bool is_replaced_ = true;
  std::vector<ClientEntity> entities_;  ///< Sorted by id, like `states_` and `sources_`.
  std::vector<ClientEntity> next_entities_;
  std::vector<EntityState> states_;
  std::vector<const ReplicatedEntity*> sources_;
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> deferred_;
  std::uint64_t checked_count_ = 0;
};

}  // namespace muster
