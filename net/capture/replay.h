// Replays captures through the receiving side of connections.
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

/// The result of replaying one connection.
struct ReplayedConnection {
  RecordedConnection recorded;
  ReceivedHash received;          ///< Hash of the received data.
  std::uint64_t packets_in = 0;   ///< Received.
  std::uint64_t packets_out = 0;  ///< Sent in the recorded run.
  std::uint64_t refused = 0;      ///< Skipped: there was no room for them in the recorded run.
  std::uint64_t missing_out = 0;  ///< Sent in the recorded run, but missing in the capture.
  std::uint64_t unfit = 0;        ///< Skipped: out of the order in which a connection records.
  std::uint64_t differing = 0;    ///< Had another verdict than in the recorded run.
  std::optional<Close> end{};
  ConnectionCounters counters{};
};

/// The result of replaying a capture.
struct Replay {
  std::vector<ReplayedConnection> connections;  ///< In the order of their start.
  std::uint64_t handshakes = 0;
  std::uint64_t unknown_connection = 0;  ///< Packets of no recorded connection.
  std::uint64_t dropped = 0;             ///< Records that did not fit into the writer's memory.
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< The offset at which reading ended.

  /// True when everything recorded was replayed with equal results.
  bool is_faithful() const;
  /// The hash over the received data of all connections.
  std::uint64_t hash() const;
};

/// Passes every packet of a capture to a new connection with the recorded options, at its recorded
/// time. The replayed game reads all data at once, even data that the recorded game left unread
/// when a map ended. Recorded sent packets are sent again, empty, so that the peer's
/// acknowledgements find them. Values computed from those (rates, delivery reports of payloads)
/// differ from the recorded run. The same capture always gives the same replay. Memory holds one
/// connection at a time, and a few bytes per record.
Replay replay(std::span<const std::byte> capture);

}  // namespace muster
