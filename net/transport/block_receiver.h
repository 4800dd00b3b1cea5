// The receiving side of blocks: puts chunks together, within bounds that a peer cannot move.
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
#include "net/wire/byte_io.h"

namespace muster {

/// A fragment as it stands in a packet; a view into it.
struct Fragment {
  std::uint16_t block = 0;
  std::uint32_t block_bytes = 0;
  std::uint32_t first = 0;
  std::uint8_t count = 0;
  std::span<const std::byte> bytes;
};

/// Reads one fragment. Fails the reader when its numbers do not fit each other.
Fragment read_fragment(SectionReader& reader);

/// What became of a fragment.
enum class [[nodiscard]] FragmentFate : std::uint8_t{
    taken,    ///< Or there was nothing to do: its block is complete, or was refused.
    refused,  ///< Its block is refused, just now: `refusal` tells why.
    no_room,  ///< Complete blocks wait to be read: its packet must not be received.
    invalid,  ///< Contradicts what was said of the same block, or lies beyond the window.
};

/// Up to `kBlocksAtOnce` blocks that arrive or wait to be read. Memory follows the bytes that have
/// arrived, whatever sizes a peer announces: one and a half times the beginning that is complete,
/// and a page for chunks ahead of it. At most `block_bytes_max` each and `kBlocksOfLargestSize`
/// times that in all.
class BlockReceiver {
 public:
  explicit BlockReceiver(std::size_t block_bytes_max) : block_bytes_max_(block_bytes_max) {}

  /// What `take` would say. Changes nothing.
  FragmentFate look(const Fragment& fragment) const;
  /// The same for all fragments of a packet, which share the places that are free.
  FragmentFate look(std::span<const Fragment> fragments) const;
  /// Takes a fragment, unless its block is refused, just now: then it tells why. Requires: `look`
  /// said `taken` or `refused`.
  std::optional<BlockRefusal> take(Time now, const Fragment& fragment);
  /// Gives up a block of which nothing new came for `kBlockStallMax`: its id, to be refused.
  /// Nothing when there is none.
  std::optional<std::uint16_t> give_up_stalled(Time now);
  /// Why a new block of this size would be refused; nothing when it would not.
  std::optional<BlockRefusal> refusal(std::uint32_t block_bytes) const;

  /// The next complete block; empty when there is none. Good until `pop`.
  std::span<const std::byte> front() const;
  std::uint16_t front_id() const;
  /// The game has read it: its memory is given back. Requires: `front` was not empty.
  void pop();

  /// Complete blocks that wait to be read.
  std::size_t unread() const { return count_of(Block::State::complete); }
  /// Forgets all blocks, but not which ids are over.
  void clear() { blocks_ = {}; }

  /// Bytes that are held for blocks.
  std::size_t memory_bytes() const;

 private:
  /// Small, so that a peer that leaves gaps makes us hold a few times what it sends.
  static constexpr std::uint32_t kPageChunks = 4;
  struct Page {
    std::array<std::byte, kPageChunks * kChunkBytes> bytes;
    std::array<std::uint16_t, kPageChunks> sizes{};  ///< Of its chunks; 0: has not arrived.
  };
  struct Block {
    enum class State : std::uint8_t { free, arriving, complete };
    State state = State::free;
    std::uint16_t id = 0;
    std::uint32_t byte_count = 0;
    std::uint32_t first_missing = 0;
    std::uint64_t completed_order = 0;
    Time last_news{};              ///< When a chunk of it came that had not come before.
    std::vector<std::byte> bytes;  ///< All chunks below the first missing one.
    std::map<std::uint32_t, std::unique_ptr<Page>> ahead;  ///< By first chunk / `kPageChunks`.
  };

  /// The place of a block, of a free one, and of the complete one that waits longest;
  /// `kBlocksAtOnce` when there is none.
  std::size_t place_of(std::uint16_t id) const;
  std::size_t free_place() const;
  std::size_t oldest_complete() const;
  static bool store(Block& block, const Fragment& fragment);
  static bool store_chunk(Block& block, std::uint32_t chunk, std::span<const std::byte> bytes);
  static void append(Block& block, std::span<const std::byte> bytes);
  static void take_ahead(Block& block);
  std::optional<BlockRefusal> refuse(const Fragment& fragment, BlockRefusal reason);
  std::size_t count_of(Block::State state) const;
  bool has_memory(std::size_t block_bytes, bool are_complete_counted) const;
  bool is_new(std::uint16_t id) const;
  bool is_over(std::uint16_t id) const;
  void mark_over(std::uint16_t id);

  std::size_t block_bytes_max_;
  std::array<Block, kBlocksAtOnce> blocks_{};
  std::uint64_t completed_ = 0;
  /// Ids that were completed or refused: what still arrives of them says nothing. A sender has at
  /// most `kBlocksAtOnce` at a time, so 64 of the last ids suffice.
  std::uint16_t highest_over_ = 0;
  std::uint64_t over_ = ~std::uint64_t{0};
};

}  // namespace muster
