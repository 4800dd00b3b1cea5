// Sends a recorded world from a server to one client, snapshot by snapshot, over a link with delay
// and loss, and measures the cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "net/snapshot/snapshot_model.h"
#include "net/snapshot/snapshot_options.h"
#include "net/tools/training/trace.h"

namespace muster {

/// The link and the rate of sending.
struct StreamSettings {
  std::uint32_t rate = 20;  ///< Snapshots per second.
  /// The time from sending a snapshot to receiving its acknowledgement.
  std::uint32_t rtt_ms = 100;
  double loss = 0;         ///< The fraction of lost datagrams, in each direction.
  std::uint64_t seed = 1;  ///< Seed of the losses.
  /// The maximum size of a datagram. Longer snapshots are split. An entity that needs more gets a
  /// larger datagram.
  std::size_t datagram_bytes = 1200;
  /// The maximum number of datagrams per tick. A world that needs more is sent gradually at the
  /// start: the other data waits until the client has these datagrams. Over long links, a tick may
  /// have fewer datagrams or none.
  std::size_t datagrams_per_snapshot = 4;
  SnapshotOptions options;
  std::uint32_t from_seconds = 1;  ///< The first measured second.
};

/// The ticks from one snapshot to the next. The result is a whole number, so the real rate may be
/// higher than the requested rate.
std::uint32_t tick_step(const Trace& trace, const StreamSettings& settings);
/// The ticks from a snapshot to its acknowledgement.
std::uint32_t ack_ticks(const Trace& trace, const StreamSettings& settings);

/// The results of a stream. Bytes and times do not include the start of the stream.
struct StreamResult {
  bool is_verified = false;
  std::string fault;               ///< The first difference, if there is one, as text.
  std::vector<std::size_t> bytes;  ///< The size of each snapshot, with all its datagrams.
  std::size_t datagrams = 0;
  std::size_t largest_datagram_bytes = 0;
  std::uint64_t ticks = 0;  ///< The measured ticks of the world, with or without a snapshot.
  /// Ticks without a snapshot, because the maximum that the codec can refer to was in flight.
  std::size_t left_out = 0;
  double encode_ns = 0;
  double decode_ns = 0;
  std::size_t entities = 0;             ///< The number of entities in all snapshots together.
  std::size_t changed_entities = 0;     ///< The entities that differed from the acknowledged
                                        ///< state.
  std::size_t memory_bytes = 0;         ///< The memory of the writer.
  std::size_t reader_memory_bytes = 0;  ///< The memory of the reader.
  /// The codec's allocations in the second half. Only the growth of the world causes allocations.
  std::uint64_t allocations = 0;
};

/// Streams a trace and compares every integer at the client with the sent integer.
StreamResult stream_trace(const Trace& trace, const SnapshotModel& model,
                          const StreamSettings& settings);

}  // namespace muster
