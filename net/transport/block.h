// Blocks: large data that is sent in chunks and reassembled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/base/clock.h"

namespace muster {

/// The size of a chunk. Blocks are sent and acknowledged in chunks. A chunk is small, so that it
/// does not delay other data on a slow path.
inline constexpr std::size_t kChunkBytes = 256;
/// The maximum number of chunks in one fragment. A fragment of this size fits in a datagram of the
/// safe size.
inline constexpr std::uint32_t kFragmentChunksMax = 5;
/// The maximum number of fragments in one packet.
inline constexpr std::size_t kFragmentsPerPacketMax = 4;
/// The size of a fragment's header.
inline constexpr std::size_t kFragmentHeadBytes = 2 + 4 + 1 + 3;
/// The maximum size of a block in the wire format: 64 MiB.
inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 26U;
/// The maximum number of blocks in flight in one direction.
inline constexpr std::size_t kBlocksAtOnce = 4;
/// A chunk is sent and accepted only if its index minus the index of the first missing chunk is
/// less than this value. This bounds the memory that a receiver allocates for chunks after the
/// first missing chunk.
inline constexpr std::uint32_t kChunkWindow = 8192;

/// The maximum size of all incomplete and unread blocks together, as a multiple of the largest
/// allowed block.
inline constexpr std::size_t kBlocksOfLargestSize = 2;
/// A receiver refuses a block that gets no new chunk for this time. A peer that works sends a part
/// of each block every second, and a connection without packets ends earlier.
inline constexpr Duration kBlockStallMax = std::chrono::seconds(60);

/// The number of chunks of a block.
constexpr std::uint32_t chunk_count(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kChunkBytes - 1) / kChunkBytes);
}

/// A range of consecutive chunks of a block. The sender stores the range of each fragment in
/// flight.
struct ChunkRange {
  std::uint16_t block = 0;
  std::uint8_t count = 0;
  std::uint32_t first = 0;
};

/// Why a block was not delivered. The first three values are sent in packets.
enum class BlockRefusal : std::uint8_t {
  too_large = 1,
  too_many = 2,
  no_memory = 3,   ///< Memory is exhausted, or no new chunk arrived for `kBlockStallMax`.
  closed = 254,    ///< Never sent: the connection ended before the delivery was confirmed.
  map_over = 255,  ///< Never sent: the map ended.
};

}  // namespace muster
