// What a connection counts: everything that went wrong, and everything that did not.
#pragma once

#include <cstdint>

namespace muster {

/// Totals since the connection began. Bytes are those of datagrams.
struct ConnectionCounters {
  std::uint64_t bytes_out = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t packets_in = 0;
  std::uint64_t header_bits_in = 0;  ///< Heads of packets' bodies.

  std::uint64_t delivered = 0;  ///< Packets of ours that arrived.
  std::uint64_t lost_out = 0;   ///< Packets of ours that were lost, or open at the end.
  std::uint64_t late_out = 0;   ///< Acknowledged after they had been called lost.
  std::uint64_t choked = 0;     ///< Packets sent almost empty, since too many were on their way.

  std::uint64_t lost_in = 0;
  std::uint64_t duplicate_in = 0;
  std::uint64_t stale_in = 0;
  std::uint64_t out_of_order_in = 0;
  std::uint64_t malformed_in = 0;
  std::uint64_t unbelievable_in = 0;    ///< Acknowledged what was never sent.
  std::uint64_t no_room_in = 0;         ///< Refused until the game reads what it got.
  std::uint64_t unread_stops = 0;       ///< Times that `is_stopped_unread` became true.
  std::uint64_t questions_dropped = 0;  ///< Of a path, beyond those that one packet answers.

  std::uint64_t payloads_out = 0;
  std::uint64_t payloads_in = 0;
  std::uint64_t payloads_lost = 0;
  std::uint64_t fates_unread = 0;  ///< Not told, since the game did not clear those before.
  std::uint64_t messages_out = 0;  ///< Each time that one was written.
  std::uint64_t messages_reliable_out = 0;  ///< Those of them that are repeated until they arrive.
  std::uint64_t messages_lost = 0;          ///< Unreliable ones whose packet was lost.
  std::uint64_t messages_in = 0;
  std::uint64_t messages_resent = 0;
  std::uint64_t messages_duplicate = 0;
  std::uint64_t messages_dropped = 0;  ///< Unreliable ones that came while the game did not read.
  std::uint64_t fragments_out = 0;
  std::uint64_t fragments_in = 0;
  std::uint64_t fragments_lost = 0;  ///< Of ours, with their packets.
  std::uint64_t chunks_resent = 0;
  std::uint64_t blocks_refused = 0;     ///< Of ours, by the peer.
  std::uint64_t blocks_refused_in = 0;  ///< Of the peer's, by us.
  std::uint64_t blocks_stalled = 0;     ///< Of these, such as stopped on their way.
  std::uint64_t would_block = 0;        ///< Wishes to send that were refused, for whatever reason.
  std::uint64_t lost_at_close = 0;  ///< Messages, payloads and blocks that may not have arrived.
  std::uint64_t lost_at_map = 0;    ///< Messages that were not known to have arrived.
  std::uint64_t unread_at_map = 0;  ///< Messages, payloads and blocks that the game had not read.
  std::uint64_t past_map_in = 0;    ///< Packets received without what they brought.

  std::uint64_t control_bytes_out = 0;  ///< The parts of packets, for the breakdown.
  std::uint64_t payload_bytes_out = 0;
  std::uint64_t message_bytes_out = 0;
  std::uint64_t block_bytes_out = 0;
  std::uint64_t control_bytes_in = 0;
  std::uint64_t payload_bytes_in = 0;
  std::uint64_t message_bytes_in = 0;
  std::uint64_t block_bytes_in = 0;
};

}  // namespace muster
