// Counters of a server about one client.
#pragma once

#include <cstdint>

namespace muster {

struct ClientViewCounters {
  std::uint64_t snapshots = 0;  ///< Sent datagrams with a snapshot.
  std::uint64_t snapshot_bytes = 0;
  std::uint64_t delivered = 0;
  std::uint64_t lost = 0;
  /// Delivered snapshots whose acknowledgement came too late for references.
  std::uint64_t too_late = 0;
  std::uint64_t choked = 0;  ///< Snapshots that were due but had too little room.
  /// Snapshots that were delayed until earlier snapshots are acknowledged.
  std::uint64_t paced = 0;
  std::uint64_t deferred = 0;  ///< Changes deferred for lack of room.
  std::uint64_t resyncs = 0;   ///< Requests of the client for the whole state.
  /// Events that were refused, because they were too long or too many other events waited.
  std::uint64_t events_refused = 0;
  /// Events with `EventLoss::counted` that the client may not have received, because its world
  /// began again.
  std::uint64_t events_lost = 0;
  std::uint64_t events_not_meant = 0;  ///< Events about entities that the client does not receive.
  std::uint64_t divergences = 0;       ///< Reports that client and server had different values.
  std::uint64_t disowned = 0;          ///< Snapshots that arrived too late to be read.
  std::uint64_t malformed = 0;         ///< Messages that no valid client sends.
  std::uint64_t unfit = 0;             ///< Entity states that are too large for a datagram.
  /// Setups that are larger than the blocks that the client's connection accepts.
  std::uint64_t setups_refused = 0;
};

}  // namespace muster
