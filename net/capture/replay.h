// Feeds captures into the receiving side of connections again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/capture/capture_reader.h"
#include "net/capture/received_hash.h"
#include "net/transport/connection.h"

namespace muster {

/// What became of one connection of a capture.
struct ReplayedConnection {
  RecordedConnection recorded;
  ReceivedHash received;          ///< What came out.
  std::uint64_t packets_in = 0;   ///< Received.
  std::uint64_t packets_out = 0;  ///< Sent in the recorded run.
  std::uint64_t refused = 0;      ///< Left out: the recorded run had no room for them.
  std::uint64_t missing_out = 0;  ///< Sent in the recorded run, but not in the capture.
  std::uint64_t unfit = 0;        ///< Left out: out of any order that a connection records.
  std::uint64_t differing = 0;    ///< Ended in another verdict than in the recorded run.
  std::optional<Close> end{};
  ConnectionCounters counters{};
};

/// What became of a capture.
struct Replay {
  std::vector<ReplayedConnection> connections;  ///< In the order in which they began.
  std::uint64_t handshakes = 0;
  std::uint64_t homeless = 0;  ///< Packets of no recorded connection.
  std::uint64_t dropped = 0;   ///< Records that the writer had no room for.
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< Where reading ended.

  /// True when all that was recorded was replayed, as it was.
  bool is_faithful() const;
  /// Over what came out of all connections.
  std::uint64_t hash() const;
};

/// Gives every packet of a capture to a new connection with the options of the recorded one, at its
/// recorded time. The game of a replay reads at once whatever comes, also what the recorded one
/// left unread when a map ended. Packets that were sent are sent again, empty, so that the
/// acknowledgements of the peer find them; what is computed from those (rates, fates of payloads)
/// is not what it was. The same capture gives the same replay. One connection is in memory at a
/// time, besides some bytes per record.
Replay replay(std::span<const std::byte> capture);

}  // namespace muster
