// Blocks: large data that is sent in chunks and reassembled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/base/clock.h"

namespace muster {

/// The unit in which blocks are split and acknowledged. It is small, so that a chunk does not delay
/// other data on a slow path.
inline constexpr std::size_t kChunkBytes = 256;
/// The maximum number of chunks in one fragment. A fragment of this size fits in a datagram of the
/// safe size.
inline constexpr std::uint32_t kFragmentChunksMax = 5;
/// The maximum number of fragments in one packet.
inline constexpr std::size_t kFragmentsPerPacketMax = 4;
/// The size of a fragment's header.
inline constexpr std::size_t kFragmentHeadBytes = 2 + 4 + 1 + 3;
/// The limit of the format: 64 MiB.
inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 26U;
/// The maximum number of blocks in flight in one direction.
inline constexpr std::size_t kBlocksAtOnce = 4;
/// A chunk this far above the first missing one is neither sent nor accepted. So a receiver never
/// allocates memory for more chunks than this beyond the first missing one.
inline constexpr std::uint32_t kChunkWindow = 8192;

/// All blocks that arrive or are unread together are at most this many times the largest allowed
/// block.
inline constexpr std::size_t kBlocksOfLargestSize = 2;
/// A block without new chunks for this long is refused. A live peer sends a part of each block
/// every second, and the connection to a dead peer has ended by then.
inline constexpr Duration kBlockStallMax = std::chrono::seconds(60);

/// The number of chunks of a block.
constexpr std::uint32_t chunk_count(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kChunkBytes - 1) / kChunkBytes);
}

/// A part of a block. The sender stores one for each fragment of a packet in flight.
struct ChunkRange {
  std::uint16_t block = 0;  ///< The block's id.
  std::uint8_t count = 0;
  std::uint32_t first = 0;
};

/// Why a block was not delivered; a wire value.
enum class BlockRefusal : std::uint8_t {
  too_large = 1,
  too_many = 2,
  no_memory = 3,   ///< Out of memory, or stalled for `kBlockStallMax`.
  closed = 254,    ///< Not on the wire: the connection ended before the delivery was confirmed.
  map_over = 255,  ///< Not on the wire: the map ended, at both ends.
};

}  // namespace muster
