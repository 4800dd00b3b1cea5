// Events to one client. An event about an entity waits until the client can receive the entity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/replication/client_entities.h"
#include "net/replication/client_view_counters.h"
#include "net/replication/snapshots_in_flight.h"
#include "net/replication/timed_events.h"
#include "registry/base/tick.h"

namespace muster {

/// The maximum number of events about entities that the client may receive soon.
inline constexpr std::size_t kOpenEventsMax = 1024;

/// The events of one client. Only one thread at a time may use this object. It allocates nothing in
/// steady state.
class ClientEvents {
 public:
  /// `views` must outlive this object.
  explicit ClientEvents(const TypeViews& views) : views_(&views) {}

  void clear();
  TimedEventSender& sender() { return sender_; }
  const TimedEventSender& sender() const { return sender_; }
  /// Queues an event if the client receives the entity now or after the next update of `entities`.
  /// Returns false if the event is too long, or if too many events wait.
  bool send_about(const ReplicatedWorld& world, const ClientEntities& entities, NetworkId entity,
                  Tick tick, std::span<const std::byte> event, ClientViewCounters& counters);
  /// Drops events about entities that the client will not receive. Call this function after each
  /// update of `entities`. `room_bytes` is the room for a state in a datagram.
  void update(const ClientEntities& entities, const SnapshotsInFlight& in_flight,
              std::size_t room_bytes, ClientViewCounters& counters);
  /// Call this function when the client has received a snapshot that lists this slice.
  void release(const ClientEntities& entities, const ListedSlice& listed);
  /// Allows the events whose entities this part of a snapshot contains.
  void allow_in_part(const ClientEntities& entities, const SnapshotWriter& writer,
                     const IdRange& range);
  std::size_t memory_bytes() const;

 private:
  /// An event in `open_bytes_`, about an entity that may be of interest soon.
  struct OpenEvent {
    EventSubject subject;
    Tick tick{};
    std::size_t size_bytes = 0;
  };

  void decide_open(const ClientEntities& entities, ClientViewCounters& counters);

  const TypeViews* views_;
  TimedEventSender sender_;
  std::vector<OpenEvent> open_;
  std::vector<std::byte> open_bytes_;  ///< The bytes of all open events, one after another.
};

}  // namespace muster
