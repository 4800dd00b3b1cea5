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
  std::uint64_t packets_in = 0;   ///< Received packets.
  std::uint64_t packets_out = 0;  ///< Packets sent in the recorded run.
  std::uint64_t refused = 0;      ///< Skipped, because the recorded run had no room for them.
  std::uint64_t missing_out =
      0;                    ///< Packets sent in the recorded run that the capture does not contain.
  std::uint64_t unfit = 0;  ///< Skipped, because no connection records them in this order.
  std::uint64_t differing = 0;  ///< Packets with another verdict than in the recorded run.
  std::optional<Close> end{};
  ConnectionCounters counters{};
};

/// The result of replaying a capture.
struct Replay {
  std::vector<ReplayedConnection> connections;  ///< In the order of their start.
  std::uint64_t handshakes = 0;
  std::uint64_t unknown_connection = 0;  ///< Packets whose connection was not recorded.
  std::uint64_t dropped = 0;             ///< Records that did not fit into the writer's memory.
  CaptureStatus status = CaptureStatus::end;
  std::size_t offset = 0;  ///< The offset at which reading ended.

  /// True when everything recorded was replayed with equal results.
  bool is_faithful() const;
  /// The hash of the received data of all connections.
  std::uint64_t hash() const;
};

/// Passes every packet of a capture to a new connection with the recorded options, at its recorded
/// time. The replayed game reads all data at once, even data that the recorded game left unread
/// when a map ended. The packets that the recorded run sent are sent again without contents, so
/// that the peer's acknowledgements refer to sent packets. Values that depend on their contents
/// (rates, delivery reports of payloads) differ from the recorded run. The same capture always
/// gives the same replay. It needs memory for one connection at a time, and a few bytes per record.
Replay replay(std::span<const std::byte> capture);

}  // namespace muster
