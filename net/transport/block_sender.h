// The sending side of blocks: chooses the chunks to send, and to send again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "net/transport/block.h"
#include "net/transport/channel.h"
#include "net/wire/section_writer.h"

namespace muster {

/// A block that was delivered, refused or ended.
struct SentBlock {
  std::uint16_t id = 0;
  std::optional<BlockRefusal> refusal{};  ///< Empty if the block was delivered.
};

/// Sends chunks of up to `kBlocksAtOnce` blocks in turn. Allocates only when a block begins. The
/// caller must keep a block's bytes until the block is in `finished()`.
class BlockSender {
 public:
  /// Begins a block and sets its id. Returns `would_block` when `kBlocksAtOnce` blocks are in
  /// flight.
  SendStatus begin(std::span<const std::byte> bytes, std::uint16_t& id);

  bool has_pending() const;
  /// Writes a fragment of at most `room` bytes. Returns nothing if no chunk fits or no chunk is
  /// pending.
  std::optional<ChunkRange> write_pending(SectionWriter& writer, std::size_t room);

  void delivered(const ChunkRange& range);
  void lost(const ChunkRange& range);
  /// Records that the receiver refused a block. Returns false if the block was not in flight.
  bool refused(std::uint16_t id, BlockRefusal reason);

  /// Ends all blocks in flight, and returns their number.
  std::size_t end_all(BlockRefusal reason);

  /// Blocks that were delivered, refused or ended since `clear_finished`.
  std::span<const SentBlock> finished() const {
    return std::span(finished_).first(finished_count_);
  }
  void clear_finished() { finished_count_ = 0; }
  /// Removes a block from `finished()` and returns it. Returns nothing if `finished()` does not
  /// contain it.
  std::optional<SentBlock> release_finished(std::uint16_t id);

  std::uint64_t chunks_resent() const { return chunks_resent_; }

 private:
  struct Block {
    bool is_active = false;
    std::uint16_t id = 0;
    std::span<const std::byte> bytes;
    std::uint32_t chunks = 0;
    std::uint32_t next_new = 0;       ///< The first chunk that was never sent.
    std::uint32_t first_missing = 0;  ///< All earlier chunks were delivered.
    std::uint32_t arrived_count = 0;
    std::uint32_t lost_count = 0;
    std::uint32_t lost_from = 0;  ///< No earlier chunk is lost.
    std::vector<std::uint8_t> states;
  };

  Block* find(std::uint16_t id);
  std::optional<ChunkRange> next_range(Block& block, std::uint32_t room_chunks) const;
  void finish(Block& block, std::optional<BlockRefusal> refusal);

  std::array<Block, kBlocksAtOnce> blocks_{};
  std::array<SentBlock, kBlocksAtOnce> finished_{};
  std::size_t finished_count_ = 0;
  std::size_t turn_ = 0;
  std::uint16_t next_id_ = 1;
  std::uint64_t chunks_resent_ = 0;
};

}  // namespace muster
