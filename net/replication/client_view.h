// A server's view of one client: what the client has, what it should have, and which changes to
// send now.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/interest.h"
#include "net/replication/replicated_world.h"
#include "net/replication/replication_messages.h"
#include "net/replication/snapshot_pace.h"
#include "net/replication/timed_events.h"
#include "net/snapshot/snapshot_writer.h"
#include "net/transport/connection.h"

namespace muster {

struct ClientViewCounters {
  std::uint64_t snapshots = 0;  ///< Datagrams with a snapshot.
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  std::uint64_t too_late = 0;  ///< Delivered ones whose acknowledgement came too late for
                               ///< references.
  std::uint64_t choked = 0;    ///< Snapshots that were due but had too little room.
  /// Snapshots delayed until earlier ones are acknowledged.
  std::uint64_t paced = 0;
  std::uint64_t deferred = 0;          ///< Changes deferred for lack of room.
  std::uint64_t resyncs = 0;           ///< The client requested the whole state again.
  std::uint64_t events_refused = 0;    ///< Too many or too long.
  std::uint64_t events_not_meant = 0;  ///< About entities that the client does not receive.
  std::uint64_t divergences = 0;       ///< The client had other values than the server.
  std::uint64_t disowned = 0;          ///< Snapshots that arrived too late to be read.
  std::uint64_t malformed = 0;         ///< Messages that no valid client sends.
  std::uint64_t unfit = 0;             ///< Entity states that are too large for a datagram.
  std::uint64_t setups_refused = 0;    ///< The client's connection does not accept so large a
                                       ///< block.
};

/// The maximum number of events about entities that the client may receive soon.
inline constexpr std::size_t kOpenEventsMax = 1024;

/// An entity state, or a slice of one, that does not fit into a datagram. It is not sent to the
/// client. This can happen when the priors were trained on very different data.
struct UnfitState {
  std::uint32_t id = 0;
  std::uint16_t codec_type = 0;
  std::size_t payload_bytes = 0;  ///< The room in a datagram.
};

/// The constant inputs of all views. Each must outlive them.
struct ClientViewOptions {
  const TypeViews& views;
  const SnapshotModel& model;  ///< For these views.
  SnapshotOptions snapshot{};
  const std::vector<UpdateClass>& classes;
  const InterestOptions& interest;
  std::uint16_t ticks_per_second = 60;
  std::uint16_t checksum_interval = 0;  ///< One of this many payloads carries a checksum; 0: none.
};

/// The server's view of one client. Different views may be used by different threads.
class ClientView {
 public:
  explicit ClientView(const ClientViewOptions& options)
      : options_(options),
        writer_(std::in_place, options.model, options.snapshot),
        pace_(options.ticks_per_second) {}

  Viewer viewer;                           ///< May change at any time.
  std::uint32_t bytes_per_second_max = 0;  ///< Limit for payloads; 0: what the path carries.

  /// Starts again for a client without any state; payloads in flight no longer count.
  void restart();
  /// The client may have lost its state: the next snapshot contains everything.
  void resync();

  /// The client could not read a snapshot that arrived.
  void disown(SnapshotNumber number);
  /// Applies delivery reports of payloads.
  void apply_delivery_reports(std::span<const DeliveryReport> reports);
  TimedEventSender& events() { return events_; }
  /// Queues an event for the client if it receives the entity now or with the next `send`. The
  /// event is never delivered before the entity. Returns false if it is too long, or too many wait.
  bool send_event_about(const ReplicatedWorld& world, std::uint32_t entity, std::uint32_t tick,
                        std::span<const std::byte> event);
  /// True when the client was sent an entity's slice; `knows_as`: as this type.
  bool knows(std::uint32_t slice_id) const;
  bool knows_as(std::uint32_t slice_id, std::uint16_t codec_type) const;

  /// Keeps the values that the client's updates may refer to. Requires: calls at most 8 ticks
  /// apart, before `send`.
  void keep(std::uint32_t tick) { writer_->keep(tick); }
  /// Sends the world of this tick in as many payloads as `connection` has room for.
  void send(const ReplicatedWorld& world, const InterestGrid& grid, Connection& connection,
            Time now);

  const ClientViewCounters& counters() const { return counters_; }
  ClientViewCounters& counters() { return counters_; }
  /// States that did not fit since `clear_unfit`, each once.
  std::span<const UnfitState> unfit() const { return unfit_; }
  void clear_unfit() { unfit_.clear(); }
  /// The number of entities of interest; an entity in slices counts each slice.
  std::size_t entity_count() const { return records_.size(); }
  /// The number of steps done for single entities since the last map began, from interest to the
  /// snapshot's bytes. An idle entity needs none.
  std::uint64_t checked_count() const { return checked_count_ + writer_->checked_count(); }
  std::size_t memory_bytes() const;

 private:
  /// One entity of interest, or one slice of it. `id` is the codec's id, that is, the slice's.
  struct Record {
    std::uint32_t id = 0;
    std::uint32_t generation = 0;
    std::uint32_t since = 0;  ///< The tick at which it became of interest.
    /// The tick since which the client's confirmed values were current. It identifies the row,
    /// which may be gone. `kNotAcked` if the client has no confirmed values.
    std::uint32_t acked_since = kNotAcked;
    std::uint32_t sent_at = 0;        ///< The tick of the last snapshot that contained it.
    std::uint32_t waiting_since = 0;  ///< The tick since which a change waits; 0: none waits.
    /// The first tick at which the client's confirmed values may be out of date.
    std::uint32_t outdated_since = 0;
    std::uint16_t codec_type = 0;  ///< The type as which the client sees it.
    bool was_sent = false;
    bool is_there = false;      ///< A snapshot that certainly contained it is confirmed.
    bool is_active = false;     ///< The client's values are not confirmed; it is in `active_`.
    bool is_first = false;      ///< It was of interest when the client began.
    bool may_be_shown = false;  ///< A snapshot that contains it was sent, delivered or not.
    float urgency = 0;
    float overdue = 0;  ///< Waiting time relative to its class's limit; above 1 is too long.
    /// The last state that did not fit: since when, in which view, and the room that was available.
    std::uint32_t unfit_since = 0;
    std::uint16_t unfit_type = 0;
    std::uint16_t unfit_bytes = 0;  ///< 0: none.
  };
  static constexpr std::uint32_t kNotAcked = 0xFFFF'FFFF;
  struct Written {
    std::size_t payload_bytes = 0;
    std::size_t snapshot_bytes = 0;
  };
  /// An entity that a snapshot in flight lists.
  struct ListedSlice {
    EventSubject entity;
    std::uint16_t codec_type = 0;
    bool is_certain = false;
    std::uint32_t row_since = 0;
  };
  /// An event in `open_bytes_`, about an entity that may be of interest soon.
  struct OpenEvent {
    EventSubject subject;
    std::uint32_t tick = 0;
    std::size_t size_bytes = 0;
  };
  struct InFlight {
    std::uint16_t number = 0;
    bool is_used = false;  ///< Its delivery is not reported yet.
    bool has_arrived = false;
    bool is_settled = false;  ///< Everything that it and the parts before it contained was noted.
    std::uint32_t part = 0;   ///< Index within its tick.
    std::uint32_t tick = 0;
    std::vector<ListedSlice> listed;
  };

  void decide_open_events();
  void settle_events();
  void release_events(const ListedSlice& listed);
  bool is_still(const ListedSlice& listed, const Record& record) const;
  Record* find_listed(const InFlight& flight, const ListedSlice& listed);
  std::span<const Record> slices_of(const Record& first) const;
  bool is_complete(const Record& first) const;
  void settle_events_of_part(std::uint32_t first_id, std::uint32_t end_id);
  bool is_in_flight(const EventSubject& entity) const;
  bool is_certainly_listed(std::size_t i, std::uint32_t first_id, std::uint32_t end_id) const;
  const Record* find_record(std::uint32_t id) const;
  const Record* find_record(const EventSubject& entity) const;
  Record* find_record(const EventSubject& entity);
  bool refresh_interest(const ReplicatedWorld& world, const InterestGrid& grid);
  bool apply_changes(const ReplicatedWorld& world);
  void merge_records(const ReplicatedWorld& world);
  SeenBy seen_by(const ReplicatedEntity& entity) const;
  void set_values(std::uint32_t i);
  void activate(std::uint32_t i, std::uint32_t tick);
  void apply_loss(std::uint16_t number);
  void settle_parts(const InFlight& flight);
  void forget(const ListedSlice& listed);
  double oldest_flight_ticks() const;
  void defer(std::uint32_t i);
  std::size_t byte_budget(const Connection& connection, Time now, std::uint32_t ticks);
  void choose(const ReplicatedWorld& world, std::size_t budget_bytes);
  std::size_t parts_for_new() const;
  void note_complete();
  float distance_to(const ReplicatedEntity& entity) const;
  double predicted_bits(std::size_t i) const;
  Written write_part(const ReplicatedWorld& world, std::uint32_t first_id);
  Written write_payload(const ReplicatedWorld& world, std::uint32_t first_id, bool has_events,
                        bool has_checksum);
  bool is_current(std::uint32_t i) const;
  void find_candidates(const ReplicatedWorld& world);
  void choose_most_urgent(std::uint32_t tick, double room_bits);
  bool is_unknown(std::uint32_t i) const;
  bool settles(std::uint32_t tick) const;
  std::size_t put_unknown_first(double room_bits);
  bool waits_for_news(const Connection& connection) const;
  bool waits_for_room(std::size_t budget) const;
  bool leave_out(std::uint32_t id);
  bool is_unfit(std::size_t i) const;
  std::uint32_t row_since(std::size_t i) const;
  void write_checksum(SectionWriter& writer, const ReplicatedWorld& world, std::uint32_t first_id);
  void remember(std::size_t part, std::uint32_t first_id, std::uint32_t tick,
                std::size_t snapshot_bytes);
  void learn_cost(double predicted, double predicted_new, std::size_t snapshot_bytes);

  ClientViewOptions options_;
  std::optional<SnapshotWriter> writer_;  ///< Always has a value; replaced with each map.
  TimedEventSender events_;
  std::vector<OpenEvent> open_events_;
  std::vector<std::byte> open_bytes_;  ///< The bytes of all open events, one after another.
  std::uint64_t epoch_ = 0;            ///< Grows with each restart; identifies delivery reports of
                                       ///< earlier payloads.
  std::vector<std::uint32_t> interest_;
  std::vector<std::uint32_t> next_interest_;
  Viewer interest_viewer_{};
  std::uint64_t world_version_ = 0;
  std::uint64_t grid_version_ = 0;
  std::uint64_t changes_seen_ = 0;  ///< Position in the world's list of changes.
  std::uint32_t interest_tick_ = 0;
  bool has_interest_ = false;
  bool has_first_ = false;       ///< The entities of interest at the client's start are known, ...
  bool is_complete_ = false;     ///< ... and the client has all of them.
  std::vector<Record> records_;  ///< Sorted by id, like `states_`.
  std::vector<Record> next_records_;
  std::vector<EntityState> states_;
  std::vector<const ReplicatedEntity*> entities_;  ///< One per state.
  std::vector<std::uint32_t> changed_;  ///< Indices in `states_` changed since the writer was last
                                        ///< updated ...
  bool is_merged_ = true;               ///< ... unless the whole list was replaced.
  std::vector<std::uint32_t> active_;   ///< Indices of states that are not confirmed up to date ...
  std::vector<std::uint32_t> deferred_;  ///< ... and of states that this snapshot defers.
  std::vector<std::uint32_t> candidates_;
  std::vector<float> distances_;     ///< One per candidate.
  std::uint64_t checked_count_ = 0;  ///< Number of entities.
  std::array<InFlight, kSnapshotWindow> in_flight_;
  // Measured costs, relative to the predicted ones.
  double update_cost_ = 1;
  double new_cost_ = 1;
  double overhead_bits_ = 64;  ///< Per tick: snapshot bits outside updates and new entities.
  double tick_overhead_bits_ = 0;
  bool is_short_ = false;  ///< The last snapshot deferred changes for lack of room.
  /// The tick of the last snapshots after which every entity of the client was a confirmed one.
  std::uint32_t settled_at_ = 0;
  std::uint32_t sent_at_ = 0;            ///< The tick of the last snapshot, ...
  std::uint64_t delivered_at_send_ = 0;  ///< ... and the number of packets delivered by then.
  double bytes_saved_ = 0;               ///< Bytes saved under the client's own limit.
  SnapshotPace pace_;
  std::uint32_t budget_tick_ = 0;
  std::uint32_t next_checksum_ = 0;
  std::uint32_t payload_count_ = 0;
  std::vector<std::byte> memory_;  ///< Room for the largest payload.
  std::vector<UnfitState> unfit_;
  ClientViewCounters counters_;
};

}  // namespace muster
