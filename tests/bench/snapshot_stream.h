// A recorded world sent from a server to one client, snapshot by snapshot, over a link that delays
// and loses; with what it took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/tools/training/trace.h"

namespace muster {

/// The link, and how often is sent.
struct StreamSettings {
  std::uint32_t rate = 20;     ///< Snapshots a second.
  std::uint32_t rtt_ms = 100;  ///< From a snapshot's sending to its acknowledgement's arrival.
  double loss = 0;             ///< Share of datagrams lost, in both directions.
  std::uint64_t seed = 1;      ///< Of the losses.
  /// Snapshots that are longer are split; an entity that alone is longer has a larger datagram.
  std::size_t datagram_bytes = 1200;
  /// The rest of a world that takes more waits until the client has this: it joins bit by bit. Over
  /// long ways a tick has fewer, or none.
  std::size_t datagrams_per_snapshot = 4;
  SnapshotOptions options;
  std::uint32_t from_seconds = 1;  ///< What comes before is sent, but not counted.
};

/// The ticks from one snapshot to the next: whole ones, so that more may be sent than was asked
/// for.
std::uint32_t tick_step(const Trace& trace, const StreamSettings& settings);
/// The ticks from a snapshot to its acknowledgement.
std::uint32_t ack_ticks(const Trace& trace, const StreamSettings& settings);

/// What a stream took. Its beginning is left out of bytes and times.
struct StreamResult {
  bool is_verified = false;
  std::string fault;               ///< When it is not: what differed first, for people.
  std::vector<std::size_t> bytes;  ///< Of each snapshot, all its datagrams together.
  std::size_t datagrams = 0;
  std::size_t largest_datagram_bytes = 0;
  std::uint64_t ticks = 0;  ///< Of the world, in which the counted ones were sent, or left out.
  /// Ticks for which none was sent: there were as many on the way as the codec can look back upon.
  std::size_t left_out = 0;
  double encode_ns = 0;
  double decode_ns = 0;
  std::size_t entities = 0;             ///< In all snapshots together, ...
  std::size_t changed_entities = 0;     ///< ... and those that differed from what was acknowledged.
  std::size_t memory_bytes = 0;         ///< Of the server, for this client, ...
  std::size_t reader_memory_bytes = 0;  ///< ... and of the client.
  /// How often the codec asked for memory in the second half: what the world's growth needs.
  std::uint64_t allocations = 0;
};

/// Streams a trace and compares every integer that the client has with what was sent.
StreamResult stream_trace(const Trace& trace, const SnapshotModel& model,
                          const StreamSettings& settings);

}  // namespace muster
