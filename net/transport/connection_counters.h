// The counters of a connection.
#pragma once

#include <cstdint>

namespace muster {

/// Totals since the connection began. `bytes_out` and `bytes_in` count whole datagrams.
struct ConnectionCounters {
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t packets_in = 0;
  std::uint64_t header_bits_in = 0;  ///< Bits of the headers of packet bodies.

  std::uint64_t delivered = 0;  ///< Sent packets that were delivered.
  std::uint64_t lost_out = 0;   ///< Sent packets that were lost, or in flight at the end.
  /// Sent packets that were acknowledged after they were reported as lost.
  std::uint64_t late_out = 0;
  /// Packets sent without contents, because too many packets were in flight.
  std::uint64_t choked = 0;

  std::uint64_t lost_in = 0;
  std::uint64_t duplicate_in = 0;
  std::uint64_t stale_in = 0;
  std::uint64_t out_of_order_in = 0;
  std::uint64_t malformed_in = 0;
  std::uint64_t unbelievable_in = 0;  ///< Packets that acknowledged a packet that was never sent.
  std::uint64_t no_room_in = 0;       ///< Packets rejected because too much data was unread.
  std::uint64_t unread_stops = 0;     ///< How often `is_stopped_unread` became true.
  /// Path challenges that were dropped, because a packet can answer only four.
  std::uint64_t path_challenges_dropped = 0;

  std::uint64_t payloads_out = 0;
  std::uint64_t payloads_in = 0;
  std::uint64_t payloads_lost = 0;
  /// Delivery reports dropped because the game did not clear earlier reports.
  std::uint64_t delivery_reports_unread = 0;
  std::uint64_t messages_out = 0;  ///< Messages written, including each resend.
  /// The part of `messages_out` that belongs to reliable channels.
  std::uint64_t messages_reliable_out = 0;
  std::uint64_t messages_lost = 0;  ///< Unreliable messages whose packet was lost.
  std::uint64_t messages_in = 0;
  std::uint64_t messages_resent = 0;
  std::uint64_t messages_duplicate = 0;
  /// Received unreliable messages dropped because too many were unread.
  std::uint64_t messages_dropped = 0;
  std::uint64_t fragments_out = 0;
  std::uint64_t fragments_in = 0;
  std::uint64_t fragments_lost = 0;  ///< Sent fragments whose packet was lost.
  std::uint64_t chunks_resent = 0;
  std::uint64_t blocks_refused = 0;     ///< Sent blocks that the peer refused.
  std::uint64_t blocks_refused_in = 0;  ///< Blocks of the peer that this end refused.
  /// The part of `blocks_refused_in` that got no new chunk for `kBlockStallMax`.
  std::uint64_t blocks_stalled = 0;
  std::uint64_t would_block = 0;  ///< Send requests that were refused, for any reason.
  /// Messages, payloads and blocks that were not confirmed as delivered when the connection ended.
  std::uint64_t lost_at_close = 0;
  std::uint64_t lost_at_map = 0;    ///< Messages not confirmed as delivered when a map ended.
  std::uint64_t unread_at_map = 0;  ///< Messages, payloads and blocks unread when a map ended.
  std::uint64_t past_map_in = 0;    ///< Packets of a past map, received without their contents.

  std::uint64_t control_bytes_out = 0;  ///< The bytes of control sections.
  std::uint64_t payload_bytes_out = 0;
  std::uint64_t message_bytes_out = 0;
  std::uint64_t block_bytes_out = 0;
  std::uint64_t control_bytes_in = 0;
  std::uint64_t payload_bytes_in = 0;
  std::uint64_t message_bytes_in = 0;
  std::uint64_t block_bytes_in = 0;
};

}  // namespace muster
