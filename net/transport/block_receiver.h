// The receiving side of blocks: reassembles chunks within fixed memory limits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/transport/block.h"
#include "registry/base/bytes.h"

namespace muster {

/// A fragment in a packet; its bytes are a view into the packet.
struct Fragment {
  std::uint16_t block = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t first = 0;
  std::uint8_t count = 0;
  std::span<const std::byte> bytes;
};

/// Reads one fragment. Fails the reader if the fragment's size or chunk range is invalid.
Fragment read_fragment(ByteReader& reader);

/// The classification of a fragment.
enum class [[nodiscard]] FragmentVerdict : std::uint8_t{
    accepted,  ///< The fragment is stored, or ignored because its block is complete or refused.
    refused,   ///< The block must be refused; `refusal` returns the reason.
    no_room,   ///< Too many complete blocks are unread. The packet must not be received.
    invalid,   ///< The fragment contradicts an earlier fragment, or is beyond the window.
};

/// Reassembles blocks. At most `kBlocksAtOnce` blocks are incomplete or unread. Memory grows with
/// the received bytes, not with the block size that a peer announces. A block uses at most 1.5
/// times the bytes before its first missing chunk, plus pages of 4 chunks for the received chunks
/// after the missing chunk. A block has at most `block_bytes_max` bytes. All blocks together have
/// at most `kBlocksOfLargestSize` times `block_bytes_max` bytes.
class BlockReceiver {
 public:
  explicit BlockReceiver(std::size_t block_bytes_max) : block_bytes_max_(block_bytes_max) {}

  /// Classifies a fragment without storing it.
  FragmentVerdict classify(const Fragment& fragment) const;
  /// Classifies all fragments of a packet together, because their blocks share the free slots.
  FragmentVerdict classify(std::span<const Fragment> fragments) const;
  /// Stores a fragment. If the fragment's block must be refused, returns the reason. Requires:
  /// `classify` returned `accepted` or `refused`.
  std::optional<BlockRefusal> store(Time now, const Fragment& fragment);
  /// Drops a block that got no new chunk for `kBlockStallMax`, and returns its id. The caller must
  /// refuse the block. Returns nothing if no block stalled.
  std::optional<std::uint16_t> give_up_stalled(Time now);
  /// Returns why a new block of this size would be refused; nothing if it would be accepted.
  std::optional<BlockRefusal> refusal(std::uint32_t block_bytes) const;

  /// The next complete block; empty if no block is complete. Valid until `pop`.
  std::span<const std::byte> front() const;
  std::uint16_t front_id() const;
  /// Removes the front block and frees its memory. Requires: `front` was not empty.
  void pop();

  /// The number of complete unread blocks.
  std::size_t unread() const { return count_of(Block::State::complete); }
  /// Removes all blocks, but keeps the record of finished ids.
  void clear() { blocks_ = {}; }

  /// The memory used for blocks, in bytes.
  std::size_t memory_bytes() const;

 private:
  static constexpr std::uint32_t kPageChunks = 4;
  struct Page {
    std::array<std::byte, kPageChunks * kChunkBytes> bytes;
    /// The sizes of the chunks, in bytes; 0 for a chunk that was not received.
    std::array<std::uint16_t, kPageChunks> sizes{};
  };
  struct Block {
    enum class State : std::uint8_t { free, arriving, complete };
    State state = State::free;
    std::uint16_t id = 0;
    std::uint32_t byte_count = 0;
    std::uint32_t first_missing = 0;
    std::uint64_t completed_order = 0;
    Time last_news{};
    std::vector<std::byte> bytes;  ///< All chunks before the first missing one.
    /// The pages after `bytes`. The key of a page is its first chunk / `kPageChunks`.
    std::map<std::uint32_t, std::unique_ptr<Page>> ahead;
  };

  /// Each function returns a slot index, or `kBlocksAtOnce` if there is no such slot.
  std::size_t slot_of(std::uint16_t id) const;
  std::size_t free_slot() const;
  std::size_t oldest_complete() const;
  static bool store(Block& block, const Fragment& fragment);
  static bool store_chunk(Block& block, std::uint32_t chunk, std::span<const std::byte> bytes);
  static void append(Block& block, std::span<const std::byte> bytes);
  static void join_chunks_ahead(Block& block);
  std::optional<BlockRefusal> refuse(const Fragment& fragment, BlockRefusal reason);
  std::size_t count_of(Block::State state) const;
  bool has_memory(std::size_t block_bytes, bool are_complete_counted) const;
  bool is_new(std::uint16_t id) const;
  bool is_over(std::uint16_t id) const;
  void mark_over(std::uint16_t id);

  std::size_t block_bytes_max_;
  std::array<Block, kBlocksAtOnce> blocks_{};
  std::uint64_t completed_ = 0;
  /// The completed and refused blocks: the highest id, and a bit for each of the last 64 ids.
  /// Further chunks of these blocks are ignored. A sender has at most `kBlocksAtOnce` blocks in
  /// flight, so 64 ids are enough.
  std::uint16_t highest_over_ = 0;
  std::uint64_t over_ = ~std::uint64_t{0};
};

}  // namespace muster
