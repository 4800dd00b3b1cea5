// What a server knows of one client: what it has, what it should have, and what is worth its
// bandwidth now.
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
  std::uint64_t too_late = 0;  ///< Of those delivered: known too late to be built on.
  std::uint64_t choked = 0;    ///< Snapshots that were due when there was too little room.
  /// Snapshots put off until more is known of earlier ones.
  std::uint64_t paced = 0;
  std::uint64_t held = 0;              ///< Changes deferred for lack of room.
  std::uint64_t resyncs = 0;           ///< The client asked for everything again.
  std::uint64_t events_refused = 0;    ///< Too many or too long.
  std::uint64_t events_not_meant = 0;  ///< About entities that the client does not get.
  std::uint64_t divergences = 0;       ///< The client had other values than the server.
  std::uint64_t disowned = 0;          ///< Snapshots that arrived too late to be read.
  std::uint64_t malformed = 0;         ///< Messages that no client of ours sends.
  std::uint64_t unfit = 0;             ///< States of an entity that no datagram has room for.
  std::uint64_t setups_refused = 0;    ///< The client's end does not take so large a block.
};

/// Events about entities of which it is not known yet whether a client gets them.
inline constexpr std::size_t kOpenEventsMax = 1024;

/// A state of an entity, or of a slice of one, that does not fit into a datagram, as may happen
/// when priors were trained on something else altogether: the client is not told of it.
struct UnfitState {
  std::uint32_t id = 0;
  std::uint16_t codec_type = 0;
  std::size_t payload_bytes = 0;  ///< What a datagram has room for.
};

/// What does not change while a server runs. All must outlive the views.
struct ClientViewOptions {
  const TypeViews& views;
  const SnapshotModel& model;  ///< Of these views.
  SnapshotOptions snapshot{};
  const std::vector<UpdateClass>& classes;
  const InterestOptions& interest;
  std::uint16_t ticks_per_second = 60;
  std::uint16_t checksum_interval = 0;  ///< One of so many payloads carries a checksum; 0: none.
};

/// One client's view. Threads may work at different views at once.
class ClientView {
 public:
  explicit ClientView(const ClientViewOptions& options)
      : options_(options),
        writer_(std::in_place, options.model, options.snapshot),
        pace_(options.ticks_per_second) {}

  Viewer viewer;                           ///< May be changed at any time.
  std::uint32_t bytes_per_second_max = 0;  ///< Of payloads; 0: as the path carries.

  /// The client knows nothing any more, and what is on its way does not count.
  void restart();
  /// The client may know nothing any more: the next snapshot says everything.
  void resync();

  /// The client could not read a snapshot that arrived.
  void disown(SnapshotNumber number);
  /// Payloads arrived or were lost.
  void take_fates(std::span<const PayloadFate> fates);
  TimedEventSender& events() { return events_; }
  /// An event for the client if it gets the entity, now or with the next `send`; it does not arrive
  /// before the entity. False when it is too long, or too many wait.
  bool send_event_about(const ReplicatedWorld& world, std::uint32_t entity, std::uint32_t tick,
                        std::span<const std::byte> event);
  /// Whether the client was told of an entity's slice, and as what.
  bool knows(std::uint32_t slice_id) const;
  bool knows_as(std::uint32_t slice_id, std::uint16_t codec_type) const;

  /// Keeps what the client may be coded against. Requires: calls at most 8 ticks apart, before
  /// `send`.
  void keep(std::uint32_t tick) { writer_->keep(tick); }
  /// Sends the world of this tick in as many payloads as `connection` has room for.
  void send(const ReplicatedWorld& world, const InterestGrid& grid, Connection& connection,
            Time now);

  const ClientViewCounters& counters() const { return counters_; }
  ClientViewCounters& counters() { return counters_; }
  /// What did not fit since `clear_unfit`, each state once.
  std::span<const UnfitState> unfit() const { return unfit_; }
  void clear_unfit() { unfit_.clear(); }
  /// Of interest to the client; of one in slices, each of them.
  std::size_t entity_count() const { return records_.size(); }
  /// What was done for single entities so far, from interest to the snapshot's bytes, since the
  /// last map began: for one at rest nothing is.
  std::uint64_t looked_at_count() const { return looked_at_ + writer_->looked_at_count(); }
  std::size_t memory_bytes() const;

 private:
  /// One entity of the client's interest, or one slice of it. `id` is here, and wherever else the
  /// codec's are meant, the slice's.
  struct Record {
    std::uint32_t id = 0;
    std::uint32_t generation = 0;
    std::uint32_t since = 0;  ///< The tick at which it became of interest.
    /// Since when the values were current that the client is known to have: that tick names the
    /// row, which itself may be gone by now. `kNotAcked` when the client is not known to have any.
    std::uint32_t acked_since = kNotAcked;
    std::uint32_t told_at = 0;        ///< The tick of the last snapshot that said it.
    std::uint32_t waiting_since = 0;  ///< The tick since when a change waits; 0 when none does.
    /// The first tick at which what the client is known to have may not have been the truth.
    std::uint32_t outdated_since = 0;
    std::uint16_t codec_type = 0;  ///< As which the client sees it.
    bool was_told = false;
    bool is_there = false;   ///< A snapshot that is known to have arrived told of it, for certain.
    bool is_active = false;  ///< The client is not known to have its values: it is in `active_`.
    bool is_first = false;   ///< It was of interest when the client began.
    bool may_be_shown = false;  ///< A snapshot was sent that has it, whatever became of that.
    float urgency = 0;
    float overdue = 0;  ///< Ticks that it has waited, to those of its class; 1 or more is too long.
    /// Of the state that did not fit last, since when it was so, in which view, and into how much.
    std::uint32_t unfit_since = 0;
    std::uint16_t unfit_type = 0;
    std::uint16_t unfit_bytes = 0;  ///< 0: none.
  };
  static constexpr std::uint32_t kNotAcked = 0xFFFF'FFFF;
  struct Written {
    std::size_t payload_bytes = 0;
    std::size_t snapshot_bytes = 0;
  };
  /// What a snapshot on its way says anew.
  struct Said {
    EventSubject entity;
    std::uint16_t codec_type = 0;
    bool is_certain = false;
    std::uint32_t row_since = 0;
  };
  /// An event of `open_bytes_`, about an entity that may be of interest soon.
  struct OpenEvent {
    EventSubject subject;
    std::uint32_t tick = 0;
    std::size_t size_bytes = 0;
  };
  struct InFlight {
    std::uint16_t number = 0;
    bool is_used = false;  ///< Its fate is not known.
    bool has_arrived = false;
    bool is_settled = false;  ///< All that it said was noted, with the parts before it.
    std::uint32_t part = 0;   ///< Of its tick.
    std::uint32_t tick = 0;
    std::vector<Said> said;
  };

  void decide_open_events();
  void settle_events();
  void release_events(const Said& said);
  bool is_still(const Said& said, const Record& record) const;
  Record* find_said(const InFlight& flight, const Said& said);
  std::span<const Record> slices_of(const Record& first) const;
  bool is_whole(const Record& first) const;
  void settle_events_of_part(std::uint32_t first_id, std::uint32_t end_id);
  bool is_on_its_way(const EventSubject& entity) const;
  bool is_told_for_certain(std::size_t i, std::uint32_t first_id, std::uint32_t end_id) const;
  const Record* find_record(std::uint32_t id) const;
  const Record* find_record(const EventSubject& entity) const;
  Record* find_record(const EventSubject& entity);
  bool refresh_interest(const ReplicatedWorld& world, const InterestGrid& grid);
  bool take_changes(const ReplicatedWorld& world);
  void merge_records(const ReplicatedWorld& world);
  SeenBy seen_by(const ReplicatedEntity& entity) const;
  void set_values(std::uint32_t i);
  void activate(std::uint32_t i, std::uint32_t tick);
  void take_loss(std::uint16_t number);
  void settle_parts(const InFlight& flight);
  void forget(const Said& said);
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
  std::optional<SnapshotWriter> writer_;  ///< Never empty: begins anew with each map.
  TimedEventSender events_;
  std::vector<OpenEvent> open_events_;
  std::vector<std::byte> open_bytes_;  ///< Of all of them, one after the other.
  std::uint64_t epoch_ = 0;            ///< Rises with each restart; tells fates of before.
  std::vector<std::uint32_t> interest_;
  std::vector<std::uint32_t> next_interest_;
  Viewer interest_viewer_{};
  std::uint64_t world_version_ = 0;
  std::uint64_t grid_version_ = 0;
  std::uint64_t changes_seen_ = 0;  ///< Of the world's.
  std::uint32_t interest_tick_ = 0;
  bool has_interest_ = false;
  bool has_first_ = false;       ///< It is known what was of interest when the client began, ...
  bool is_complete_ = false;     ///< ... and that the client has all of it.
  std::vector<Record> records_;  ///< Sorted by id, as `states_`.
  std::vector<Record> next_records_;
  std::vector<EntityState> states_;
  std::vector<const ReplicatedEntity*> entities_;  ///< Of each state.
  std::vector<std::uint32_t> changed_;  ///< Of `states_`, since the writer was last told ...
  bool is_merged_ = true;               ///< ... unless these are others altogether.
  std::vector<std::uint32_t> active_;   ///< Indices of those not known to be up to date ...
  std::vector<std::uint32_t>
      deferred_;  ///< ... and of those that this snapshot leaves as they were.
  std::vector<std::uint32_t> candidates_;
  std::vector<float> distances_;  ///< One per candidate.
  std::uint64_t looked_at_ = 0;   ///< Entities.
  std::array<InFlight, kSnapshotWindow> in_flight_;
  // Measured costs, each relative to what was predicted without any measurement.
  double update_cost_ = 1;
  double new_cost_ = 1;
  double overhead_bits_ = 64;  ///< A tick's snapshots without updates and new entities.
  double tick_overhead_bits_ = 0;
  bool is_short_ = false;  ///< The last snapshot deferred what it had no room for.
  /// The tick of the last snapshots after which the client had no entity that the server does not
  /// know it to have.
  std::uint32_t settled_at_ = 0;
  std::uint32_t sent_at_ = 0;            ///< The tick of the last snapshot, ...
  std::uint64_t delivered_at_send_ = 0;  ///< ... and the packets delivered by then.
  double bytes_saved_ = 0;               ///< Saved from the client's own limit.
  SnapshotPace pace_;
  std::uint32_t budget_tick_ = 0;
  std::uint32_t next_checksum_ = 0;
  std::uint32_t payload_count_ = 0;
  std::vector<std::byte> memory_;  ///< As large as a payload may be.
  std::vector<UnfitState> unfit_;
  ClientViewCounters counters_;
};

}  // namespace muster
