// Replays captures: passes the recorded packets to new connections.
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
  ReceivedHash received;          ///< The hash of the received data.
  std::uint64_t packets_in = 0;   ///< The received packets of the capture.
  std::uint64_t packets_out = 0;  ///< The sent packets of the capture.
  /// The received packets that were skipped, because the recorded run had no room for them.
  std::uint64_t refused = 0;
  /// The packets that the recorded run sent and the capture does not contain.
  std::uint64_t missing_out = 0;
  /// The packets that were skipped, because no connection sends or receives packets in this order.
  std::uint64_t unfit = 0;
  std::uint64_t differing = 0;  ///< The packets whose verdict differs from the recorded run.
  std::optional<Close> end{};
  ConnectionCounters counters{};
};

/// The result of replaying a capture.
struct Replay {
  std::vector<ReplayedConnection> connections;  ///< In the order of their start.
  std::uint64_t handshakes = 0;
  std::uint64_t unknown_connection = 0;  ///< The packets whose connection was not recorded.
  std::uint64_t dropped = 0;             ///< The number of records that the writer dropped.
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< The offset at which reading ended.

  /// True when all recorded packets were replayed with equal results.
  bool is_faithful() const;
  /// The hash of the received data of all connections.
  std::uint64_t hash() const;
};

/// Passes every packet of a capture, at its recorded time, to a new connection with the recorded
/// options. The replay reads all data at once, even data that the recorded game left unread when a
/// map ended. The replay sends the packets of the recorded run again without contents, so that the
/// peer's acknowledgements refer to sent packets. Values that depend on sent contents (rates,
/// delivery reports of payloads) differ from the recorded run. The same capture always gives the
/// same replay. The replay needs memory for one connection at a time, and a few bytes per record.
Replay replay(std::span<const std::byte> capture);

}  // namespace muster
