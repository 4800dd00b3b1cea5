#include "net/transport/block_sender.h"

#include <algorithm>
#include <cassert>

namespace muster {

namespace {

enum ChunkState : std::uint8_t { kUnsent, kInFlight, kLost, kArrived };

}  // namespace

SendStatus BlockSender::begin(std::span<const std::byte> bytes, std::uint16_t& id) {
  if (bytes.empty()) return SendStatus::empty;
  if (bytes.size() > kBlockBytesMax) return SendStatus::too_large;
  const auto is_free = [](const Block& block) { return !block.is_active; };
  Block* const block = std::ranges::find_if(blocks_, is_free);
  // A finished block counts until the game has called `clear_finished`.
  const auto active = static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [](const Block& each) { return each.is_active; }));
  if (block == blocks_.end() || active + finished_count_ >= kBlocksAtOnce) {
    return SendStatus::would_block;
  }
  id = next_id_++;
  block->is_active = true;
  block->id = id;
  block->bytes = bytes;
  block->chunks = chunk_count(bytes.size());
  block->next_new = block->first_missing = 0;
  block->arrived_count = block->lost_count = block->lost_from = 0;
  block->states.assign(block->chunks, kUnsent);
  return SendStatus::queued;
}

BlockSender::Block* BlockSender::find(std::uint16_t id) {
  for (Block& block : blocks_) {
    if (block.is_active && block.id == id) return &block;
  }
  return nullptr;
}

bool BlockSender::has_pending() const {
  return std::ranges::any_of(blocks_, [](const Block& block) {
    const bool has_new =
        block.next_new < block.chunks && block.next_new - block.first_missing < kChunkWindow;
    return block.is_active && (block.lost_count > 0 || has_new);
  });
}

/// Returns the next consecutive chunks to send. Lost chunks are sent before new chunks.
std::optional<ChunkRange> BlockSender::next_range(Block& block, std::uint32_t room_chunks) const {
  const std::uint32_t maximum = std::min(room_chunks, kFragmentChunksMax);
  std::uint32_t first = block.next_new;
  std::uint32_t end = std::min({first + maximum, block.chunks, block.first_missing + kChunkWindow});
  if (block.lost_count > 0) {
    first = std::max(block.lost_from, block.first_missing);
    while (block.states[first] != kLost) ++first;
    block.lost_from = first;
    end = first;
    while (end < block.next_new && end - first < maximum && block.states[end] == kLost) ++end;
  }
  if (first >= end) return std::nullopt;
  return ChunkRange{
      .block = block.id, .count = static_cast<std::uint8_t>(end - first), .first = first};
}

std::optional<ChunkRange> BlockSender::write_pending(SectionWriter& writer, std::size_t room) {
  if (room < kFragmentHeadBytes + kChunkBytes) return std::nullopt;
  const auto room_chunks = static_cast<std::uint32_t>((room - kFragmentHeadBytes) / kChunkBytes);
  for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
    Block& block = blocks_[(turn_ + i) % kBlocksAtOnce];
    if (!block.is_active) continue;
    const std::optional<ChunkRange> range = next_range(block, room_chunks);
    if (!range.has_value()) continue;
    turn_ = (turn_ + i + 1) % kBlocksAtOnce;
    for (std::uint32_t chunk = range->first; chunk < range->first + range->count; ++chunk) {
      if (block.states[chunk] == kLost) {
        --block.lost_count;
        ++chunks_resent_;
      }
      block.states[chunk] = kInFlight;
    }
    block.next_new = std::max(block.next_new, range->first + range->count);
    const std::size_t begin = range->first * kChunkBytes;
    const std::size_t size = std::min(range->count * kChunkBytes, block.bytes.size() - begin);
    writer.write_u16(block.id);
    writer.write_u32(static_cast<std::uint32_t>(block.bytes.size()));
    writer.write_u8(range->count);
    writer.write_u24(range->first);
    writer.write_bytes(block.bytes.subspan(begin, size));
    return range;
  }
  return std::nullopt;
}

void BlockSender::delivered(const ChunkRange& range) {
  Block* const block = find(range.block);
  if (block == nullptr) return;
  for (std::uint32_t chunk = range.first; chunk < range.first + range.count; ++chunk) {
    std::uint8_t& state = block->states[chunk];
    if (state == kArrived) continue;
    if (state == kLost) --block->lost_count;
    state = kArrived;
    ++block->arrived_count;
  }
  while (block->first_missing < block->chunks && block->states[block->first_missing] == kArrived) {
    ++block->first_missing;
  }
  if (block->arrived_count == block->chunks) finish(*block, std::nullopt);
}

void BlockSender::lost(const ChunkRange& range) {
  Block* const block = find(range.block);
  if (block == nullptr) return;
  for (std::uint32_t chunk = range.first; chunk < range.first + range.count; ++chunk) {
    if (block->states[chunk] != kInFlight) continue;
    block->states[chunk] = kLost;
    ++block->lost_count;
    block->lost_from = std::min(block->lost_from, chunk);
  }
}

bool BlockSender::refused(std::uint16_t id, BlockRefusal reason) {
  Block* const block = find(id);
  if (block != nullptr) finish(*block, reason);
  return block != nullptr;
}

std::size_t BlockSender::end_all(BlockRefusal reason) {
  std::size_t count = 0;
  for (Block& block : blocks_) {
    if (!block.is_active) continue;
    finish(block, reason);
    ++count;
  }
  return count;
}

std::optional<SentBlock> BlockSender::release_finished(std::uint16_t id) {
  const auto end = finished_.begin() + static_cast<std::ptrdiff_t>(finished_count_);
  const auto found =
      std::find_if(finished_.begin(), end, [&](const SentBlock& block) { return block.id == id; });
  if (found == end) return std::nullopt;
  const SentBlock block = *found;
  std::copy(found + 1, end, found);
  --finished_count_;
  return block;
}

void BlockSender::finish(Block& block, std::optional<BlockRefusal> refusal) {
  assert(finished_count_ < kBlocksAtOnce);
  finished_[finished_count_++] = {.id = block.id, .refusal = refusal};
  block.is_active = false;
  block.bytes = {};
}

}  // namespace muster
