// Blocks: large things that are cut in chunks and put together again at the other end.
#pragma once

#include <cstddef>
#include <cstdint>

#include "registry/base/clock.h"

namespace muster {

/// What a block is cut in, and what is acknowledged. Small, so that a slow path is not blocked.
inline constexpr std::size_t kChunkBytes = 256;
/// The most chunks that one fragment carries: what fits in the safe datagram.
inline constexpr std::uint32_t kFragmentChunksMax = 5;
/// The most fragments in one packet.
inline constexpr std::size_t kFragmentsPerPacketMax = 4;
/// The head of a fragment.
inline constexpr std::size_t kFragmentHeadBytes = 2 + 4 + 1 + 3;
/// What the format can tell of: 64 MiB.
inline constexpr std::size_t kBlockBytesMax = std::size_t{1} << 26U;
/// Blocks of one direction that are on their way at a time.
inline constexpr std::size_t kBlocksAtOnce = 4;
/// A chunk this far above the first missing one is not sent and not taken: what a receiver
/// allocates is never more than this ahead of what it received.
inline constexpr std::uint32_t kChunkWindow = 8192;

/// All blocks together that arrive or wait to be read are no larger than so many of the largest.
inline constexpr std::size_t kBlocksOfLargestSize = 2;
/// A block of which nothing new came for this long is given up. A peer that is there sends some of
/// it in every second, and one that is not has been closed by then.
inline constexpr Duration kBlockStallMax = std::chrono::seconds(60);

/// How many chunks so many bytes have.
constexpr std::uint32_t chunk_count(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kChunkBytes - 1) / kChunkBytes);
}

/// Part of a block, as a packet's sender remembers it.
struct ChunkRange {
  std::uint16_t block = 0;  ///< Its id.
  std::uint8_t count = 0;
  std::uint32_t first = 0;
};

/// Why a block did not arrive; travels.
enum class BlockRefusal : std::uint8_t {
  too_large = 1,
  too_many = 2,
  no_memory = 3,   ///< Or not any longer: nothing came of it for `kBlockStallMax`.
  closed = 254,    ///< Never travels: the connection ended before it was known to have arrived.
  map_over = 255,  ///< Never travels: both ends know.
};

}  // namespace muster
