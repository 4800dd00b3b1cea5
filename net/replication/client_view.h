// A server's view of one client. The view stores the entities that the client has and the entities
// that it should have, and chooses the changes to send now. README.md shows the work for one
// snapshot as pseudo-code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/replication/bit_estimate.h"
#include "net/replication/change_priority.h"
#include "net/replication/client_entities.h"
#include "net/replication/client_events.h"
#include "net/replication/client_view_counters.h"
#include "net/replication/interest.h"
#include "net/replication/payload_writer.h"
#include "net/replication/replicated_world.h"
#include "net/replication/snapshot_pace.h"
#include "net/replication/snapshots_in_flight.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/snapshot_writer.h"
#include "net/transport/connection.h"
#include "registry/base/tick.h"

namespace muster {

/// The constant inputs of all views. The referenced objects must outlive the views.
struct ClientViewOptions {
  const TypeViews& views;
  const SnapshotModel& model;  ///< The codec's model for `views`.
  SnapshotOptions snapshot{};
  const std::vector<UpdateClass>& classes;
  const InterestOptions& interest;
  std::uint16_t ticks_per_second = 60;
  /// One of this many payloads carries a checksum; 0 for no checksums.
  std::uint16_t checksum_interval = 0;
};

/// The server's view of one client. Different views may be used by different threads.
class ClientView {
 public:
  explicit ClientView(const ClientViewOptions& options);

  Viewer viewer;  ///< May change at any time.
  /// The limit of payload bytes per second; 0 for the rate that the path carries.
  std::uint32_t bytes_per_second_max = 0;

  /// Starts again, as for a client without any state. Payloads in flight no longer count.
  void restart();
  /// Call this function if the client may have lost its state. The next snapshot then contains
  /// everything.
  void resync();

  /// Call this function when the client could not read a snapshot that arrived.
  void disown(SnapshotNumber number);
  /// Applies delivery reports of payloads.
  void apply_delivery_reports(std::span<const DeliveryReport> reports);
  TimedEventSender& events() { return events_.sender(); }
  const TimedEventSender& events() const { return events_.sender(); }
  /// Queues an event for the client if it receives the entity now or with the next `send`. The
  /// event is never delivered before the entity. Returns false if the event is too long, or if too
  /// many events wait.
  bool send_event_about(const ReplicatedWorld& world, NetworkId entity, Tick tick,
                        std::span<const std::byte> event);
  /// `knows` returns true if a slice was sent to the client. `knows_as` returns true if the slice
  /// was sent as this codec type.
  bool knows(SliceId slice) const;
  bool knows_as(SliceId slice, CodecType codec_type) const;

  /// Keeps the values that the client's updates may refer to. Call this function before `send`.
  /// Requires: successive calls are at most 8 ticks apart.
  void keep(Tick tick) { writer_->keep(tick); }
  /// Sends the world of this tick. `connection` determines how many payloads can be sent.
  void send(const ReplicatedWorld& world, const InterestGrid& grid, Connection& connection,
            Time now);

  const ClientViewCounters& counters() const { return counters_; }
  ClientViewCounters& counters() { return counters_; }
  /// The states that did not fit into a datagram since `clear_unfit`. Each state is listed once.
  std::span<const UnfitState> unfit() const { return payloads_.unfit(); }
  void clear_unfit() { payloads_.clear_unfit(); }
  /// The number of entities of interest. Each slice of an entity counts as one.
  std::size_t entity_count() const { return entities_.size(); }
  /// The number of entity checks since the last map began. Each step, from the search for interest
  /// to the bytes of the snapshot, counts its checks. Idle entities are not checked.
  std::uint64_t checked_count() const {
    return entities_.checked_count() + writer_->checked_count();
  }
  std::size_t memory_bytes() const;

 private:
  ClientEntity* find_listed(const SnapshotInFlight& flight, const ListedSlice& listed);
  void confirm(const SnapshotInFlight& flight, const ListedSlice& listed, Tick tick);
  void apply_loss(SnapshotNumber number);
  std::size_t byte_budget(const Connection& connection, Time now, std::uint32_t ticks);
  bool waits_for_acknowledgement(const Connection& connection) const;
  bool waits_for_room(std::size_t budget) const;
  void choose(Tick tick, std::size_t budget_bytes);
  void find_candidates(Tick tick, bool is_settling);
  bool is_settling(Tick tick) const;
  float distance_to(const ReplicatedEntity& entity) const;
  double expected_bits(std::size_t i) const;
  std::size_t parts_for_new() const;
  void send_parts(const ReplicatedWorld& world, Connection& connection, std::size_t parts_max,
                  std::size_t budget);
  void record(std::uint32_t part, const IdRange& range, Tick tick, std::size_t snapshot_bytes);
  void note_complete();

  ClientViewOptions options_;
  std::optional<SnapshotWriter> writer_;  ///< Always has a value. A new map replaces it.
  ClientEntities entities_;
  SnapshotsInFlight in_flight_;
  ClientEvents events_;
  ChangePriority priority_;
  BitEstimate estimate_;
  PayloadWriter payloads_;
  SnapshotPace pace_;
  /// Grows with each restart, so that delivery reports of earlier payloads are recognized.
  std::uint64_t epoch_ = 0;
  /// True if the client has all entities that were of interest when it began.
  bool is_complete_ = false;
  bool is_short_ = false;  ///< True if the last snapshot deferred changes for lack of room.
  /// The tick of the last snapshot, with all its parts, that deferred no unknown entities.
  Tick settled_at_{};
  Tick sent_at_{};                       ///< The tick of the last snapshot.
  std::uint64_t delivered_at_send_ = 0;  ///< The number of delivered packets, at `sent_at_`.
  double bytes_saved_ = 0;               ///< The unused bytes of `bytes_per_second_max`.
  Tick budget_tick_{};                   ///< The tick of the last `send`.
  ClientViewCounters counters_;
};

}  // namespace muster
