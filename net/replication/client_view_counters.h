// What a server counts about one client.
#pragma once

#include <cstdint>

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

}  // namespace muster
