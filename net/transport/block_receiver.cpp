#include "net/transport/block_receiver.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "net/wire/sequence.h"

namespace muster {

namespace {

/// Grows the capacity by half, up to `maximum`. `std::vector` alone could allocate more than the
/// block's size.
void reserve(std::vector<std::byte>& bytes, std::size_t needed, std::size_t maximum) {
  if (needed <= bytes.capacity()) return;
  bytes.reserve(std::min(std::max(needed, bytes.capacity() + bytes.capacity() / 2), maximum));
}

}  // namespace

Fragment read_fragment(ByteReader& reader) {
  Fragment fragment;
  fragment.block = reader.u16();
  fragment.block_bytes = reader.u32();
  fragment.count = reader.u8();
  fragment.first = reader.u24();
  const bool has_sane_size = fragment.block_bytes >= 1 && fragment.block_bytes <= kBlockBytesMax;
  const bool has_sane_count = fragment.count >= 1 && fragment.count <= kFragmentChunksMax;
  if (!has_sane_size || !has_sane_count ||
      fragment.first + fragment.count > chunk_count(fragment.block_bytes)) {
    reader.fail();
    return fragment;
  }
  const std::size_t begin = fragment.first * kChunkBytes;
  const std::size_t end =
      std::min<std::size_t>(begin + fragment.count * kChunkBytes, fragment.block_bytes);
  fragment.bytes = reader.bytes(end - begin);
  return fragment;
}

std::size_t BlockReceiver::slot_of(std::uint16_t id) const {
  std::size_t slot = 0;
  for (; slot < kBlocksAtOnce; ++slot) {
    if (blocks_[slot].state != Block::State::free && blocks_[slot].id == id) break;
  }
  return slot;
}

std::size_t BlockReceiver::free_slot() const {
  std::size_t slot = 0;
  while (slot < kBlocksAtOnce && blocks_[slot].state != Block::State::free) ++slot;
  return slot;
}

bool BlockReceiver::is_over(std::uint16_t id) const {
  const std::int32_t age = distance(Sequence(id), Sequence(highest_over_));
  if (age < 0) return false;
  return age >= 64 || ((over_ >> static_cast<unsigned>(age)) & 1U) != 0;
}

void BlockReceiver::mark_over(std::uint16_t id) {
  std::int32_t age = distance(Sequence(id), Sequence(highest_over_));
  if (age < 0) {  // An id at exactly half the range counts as newer.
    over_ = age <= -64 ? 0 : over_ << static_cast<unsigned>(-age);
    highest_over_ = id;
    age = 0;
  }
  if (age < 64) over_ |= std::uint64_t{1} << static_cast<unsigned>(age);
}

std::size_t BlockReceiver::count_of(Block::State state) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(blocks_, [state](const Block& block) { return block.state == state; }));
}

/// Returns true when a new block fits besides the incomplete and unread blocks. The announced sizes
/// are added, not the received bytes, so that every begun block can be completed.
bool BlockReceiver::has_memory(std::size_t block_bytes, bool are_complete_counted) const {
  std::size_t sum = block_bytes;
  for (const Block& block : blocks_) {
    if (block.state == Block::State::complete && !are_complete_counted) continue;
    sum += block.byte_count;
  }
  return sum <= kBlocksOfLargestSize * block_bytes_max_;
}

bool BlockReceiver::is_new(std::uint16_t id) const {
  return slot_of(id) == kBlocksAtOnce && !is_over(id);
}

std::optional<BlockRefusal> BlockReceiver::refusal(std::uint32_t block_bytes) const {
  if (block_bytes > block_bytes_max_) return BlockRefusal::too_large;
  if (count_of(Block::State::arriving) >= kBlocksAtOnce) return BlockRefusal::too_many;
  if (!has_memory(block_bytes, false)) return BlockRefusal::no_memory;
  return std::nullopt;
}

FragmentVerdict BlockReceiver::classify(const Fragment& fragment) const {
  if (const std::size_t slot = slot_of(fragment.block); slot < kBlocksAtOnce) {
    const Block& block = blocks_[slot];
    if (block.byte_count != fragment.block_bytes) return FragmentVerdict::invalid;
    if (fragment.first >= block.first_missing + kChunkWindow) return FragmentVerdict::invalid;
    return FragmentVerdict::accepted;
  }
  if (is_over(fragment.block)) return FragmentVerdict::accepted;
  if (fragment.first >= kChunkWindow) return FragmentVerdict::invalid;
  if (refusal(fragment.block_bytes).has_value()) return FragmentVerdict::refused;
  const bool has_room = free_slot() < kBlocksAtOnce && has_memory(fragment.block_bytes, true);
  return has_room ? FragmentVerdict::accepted : FragmentVerdict::no_room;
}

FragmentVerdict BlockReceiver::classify(std::span<const Fragment> fragments) const {
  bool refuses = false;
  std::size_t begun = 0;
  for (std::size_t i = 0; i < fragments.size(); ++i) {
    const Fragment& fragment = fragments[i];
    const FragmentVerdict verdict = classify(fragment);
    if (verdict == FragmentVerdict::invalid || verdict == FragmentVerdict::no_room) return verdict;
    const auto same_block = std::ranges::find(fragments.first(i), fragment.block, &Fragment::block);
    if (same_block != fragments.begin() + static_cast<std::ptrdiff_t>(i)) {
      if (same_block->block_bytes != fragment.block_bytes) return FragmentVerdict::invalid;
      continue;
    }
    refuses = refuses || verdict == FragmentVerdict::refused;
    if (verdict == FragmentVerdict::refused || !is_new(fragment.block)) continue;
    if (++begun > count_of(Block::State::free)) return FragmentVerdict::no_room;
  }
  return refuses ? FragmentVerdict::refused : FragmentVerdict::accepted;
}

std::optional<BlockRefusal> BlockReceiver::refuse(const Fragment& fragment, BlockRefusal reason) {
  mark_over(fragment.block);
  return reason;
}

std::optional<BlockRefusal> BlockReceiver::store(Time now, const Fragment& fragment) {
  std::size_t slot = slot_of(fragment.block);
  if (slot == kBlocksAtOnce) {
    if (is_over(fragment.block)) return std::nullopt;
    if (const auto reason = refusal(fragment.block_bytes)) return refuse(fragment, *reason);
    slot = free_slot();
    // An earlier fragment of this packet may have completed a block, which keeps its slot until it
    // is read.
    if (slot == kBlocksAtOnce) return refuse(fragment, BlockRefusal::too_many);
    if (!has_memory(fragment.block_bytes, true)) return refuse(fragment, BlockRefusal::no_memory);
    blocks_[slot].state = Block::State::arriving;
    blocks_[slot].id = fragment.block;
    blocks_[slot].byte_count = fragment.block_bytes;
    blocks_[slot].last_news = now;
  }
  Block& block = blocks_[slot];
  if (block.state == Block::State::complete) return std::nullopt;
  bool is_news = false;
  try {
    is_news = store(block, fragment);
  } catch (const std::bad_alloc&) {
    block = {};
    return refuse(fragment, BlockRefusal::no_memory);
  }
  if (is_news) block.last_news = now;
  if (block.first_missing < chunk_count(block.byte_count)) return std::nullopt;
  block.state = Block::State::complete;
  block.completed_order = ++completed_;
  mark_over(block.id);
  return std::nullopt;
}

std::optional<std::uint16_t> BlockReceiver::give_up_stalled(Time now) {
  for (Block& block : blocks_) {
    if (block.state != Block::State::arriving || now - block.last_news < kBlockStallMax) continue;
    const std::uint16_t id = block.id;
    mark_over(id);
    block = {};
    return id;
  }
  return std::nullopt;
}

/// Stores a fragment. Returns true if at least one chunk is new.
bool BlockReceiver::store(Block& block, const Fragment& fragment) {
  bool is_news = false;
  for (std::uint32_t i = 0; i < fragment.count; ++i) {
    const std::size_t begin = i * kChunkBytes;
    const std::size_t size = std::min(kChunkBytes, fragment.bytes.size() - begin);
    if (store_chunk(block, fragment.first + i, fragment.bytes.subspan(begin, size))) is_news = true;
  }
  return is_news;
}

bool BlockReceiver::store_chunk(Block& block, std::uint32_t chunk,
                                std::span<const std::byte> bytes) {
  if (chunk < block.first_missing) return false;
  if (chunk == block.first_missing) {
    append(block, bytes);
    join_chunks_ahead(block);
    return true;
  }
  std::unique_ptr<Page>& page = block.ahead[chunk / kPageChunks];
  if (page == nullptr) page = std::make_unique_for_overwrite<Page>();
  std::uint16_t& size = page->sizes[chunk % kPageChunks];
  if (size != 0) return false;
  std::memcpy(page->bytes.data() + chunk % kPageChunks * kChunkBytes, bytes.data(), bytes.size());
  size = static_cast<std::uint16_t>(bytes.size());
  return true;
}

void BlockReceiver::append(Block& block, std::span<const std::byte> bytes) {
  reserve(block.bytes, block.bytes.size() + bytes.size(), block.byte_count);
  block.bytes.insert(block.bytes.end(), bytes.begin(), bytes.end());
  ++block.first_missing;
}

/// Moves chunks from pages to the block's contiguous bytes, up to the first missing chunk.
void BlockReceiver::join_chunks_ahead(Block& block) {
  while (!block.ahead.empty()) {
    const auto next = block.ahead.begin();
    if (next->first < block.first_missing / kPageChunks) {
      block.ahead.erase(next);
      continue;
    }
    const std::uint32_t in_page = block.first_missing % kPageChunks;
    const std::size_t size = next->second->sizes[in_page];
    if (next->first > block.first_missing / kPageChunks || size == 0) return;
    append(block, std::span(next->second->bytes).subspan(in_page * kChunkBytes, size));
  }
}

std::size_t BlockReceiver::memory_bytes() const {
  std::size_t sum = 0;
  for (const Block& block : blocks_) {
    sum += block.bytes.capacity() + block.ahead.size() * sizeof(Page);
  }
  return sum;
}

std::size_t BlockReceiver::oldest_complete() const {
  std::size_t oldest = kBlocksAtOnce;
  for (std::size_t slot = 0; slot < kBlocksAtOnce; ++slot) {
    if (blocks_[slot].state != Block::State::complete) continue;
    if (oldest == kBlocksAtOnce ||
        blocks_[slot].completed_order < blocks_[oldest].completed_order) {
      oldest = slot;
    }
  }
  return oldest;
}

std::span<const std::byte> BlockReceiver::front() const {
  const std::size_t slot = oldest_complete();
  if (slot == kBlocksAtOnce) return {};
  return blocks_[slot].bytes;
}

std::uint16_t BlockReceiver::front_id() const {
  const std::size_t slot = oldest_complete();
  return slot == kBlocksAtOnce ? std::uint16_t{0} : blocks_[slot].id;
}

void BlockReceiver::pop() {
  const std::size_t slot = oldest_complete();
  assert(slot < kBlocksAtOnce);
  blocks_[slot] = {};
}

}  // namespace muster
