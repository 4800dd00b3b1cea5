#include <map>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/block_receiver.h"
#include "net/transport/block_sender.h"
#include "registry/base/seed.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

constexpr Time kNow{};
constexpr std::size_t kRoom = kFragmentHeadBytes + kFragmentChunksMax * kChunkBytes;

/// A written fragment and a copy of its bytes.
struct Written {
  ChunkRange range;
  NetBytes bytes;
};

std::optional<Written> write_next(BlockSender& sender, std::size_t room = kRoom) {
  NetBytes memory(room);
  SectionWriter writer(memory);
  const std::optional<ChunkRange> range = sender.write_pending(writer, room);
  REQUIRE_FALSE(writer.overflowed());
  if (!range.has_value()) return std::nullopt;
  return Written{.range = *range, .bytes = copy_of(writer.written())};
}

Fragment fragment_of(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  const Fragment fragment = read_fragment(reader);
  REQUIRE(reader.is_finished());
  return fragment;
}

/// Returns a fragment of a block whose bytes are all zero.
Fragment plain(std::uint16_t block, std::uint32_t block_bytes, std::uint32_t first,
               std::uint8_t count = 1) {
  static const NetBytes zeros(kFragmentChunksMax * kChunkBytes);
  const std::size_t begin = first * kChunkBytes;
  const std::size_t end = std::min<std::size_t>(begin + count * kChunkBytes, block_bytes);
  return {.block = block,
          .block_bytes = block_bytes,
          .first = first,
          .count = count,
          .bytes = std::span(zeros).first(end - begin)};
}

bool reads(std::uint32_t block_bytes, unsigned count, std::uint32_t first, std::size_t follow) {
  NetBytes memory(2000);
  SectionWriter writer(memory);
  writer.write_u16(1);
  writer.write_u32(block_bytes);
  writer.write_u8(count);
  writer.write_u24(first);
  writer.write_zeros(follow);
  ByteReader reader(writer.written());
  static_cast<void>(read_fragment(reader));
  return reader.is_finished();
}

TEST_CASE("A fragment has one encoding, and malformed fragments are refused",
          "[net][transport][sys-30]") {
  REQUIRE(reads(1, 1, 0, 1));
  REQUIRE(reads(256, 1, 0, 256));
  REQUIRE(reads(257, 2, 0, 257));
  REQUIRE(reads(257, 1, 1, 1));
  REQUIRE(reads(1U << 26U, 5, (1U << 18U) - 5, 1280));
  REQUIRE_FALSE(reads(0, 1, 0, 0));
  REQUIRE_FALSE(reads((1U << 26U) + 1, 1, 0, 256));
  REQUIRE_FALSE(reads(~0U, 1, 0, 256));
  REQUIRE_FALSE(reads(2000, 0, 0, 0));
  REQUIRE_FALSE(reads(2000, 6, 0, 1536));
  REQUIRE_FALSE(reads(256, 1, 1, 0));
  REQUIRE_FALSE(reads(256, 2, 0, 256));
  REQUIRE_FALSE(reads(300, 1, 0xFFFFFF, 44));
  REQUIRE_FALSE(reads(300, 1, 1, 43));  // One byte too short.
  REQUIRE_FALSE(reads(300, 1, 1, 45));  // One byte too long.
}

TEST_CASE("Blocks arrive complete despite reordering, loss and duplicates",
          "[net][transport][sys-30]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U, 4U, 5U);
  CAPTURE(seed);
  Random random(seed);
  BlockSender sender;
  BlockReceiver receiver(1 << 20);
  std::map<std::uint16_t, NetBytes> sent;
  std::set<std::uint16_t> read;
  std::vector<Written> air;
  std::size_t finished = 0;
  const auto read_one = [&] {
    if (receiver.front().empty()) return;
    REQUIRE(copy_of(receiver.front()) == sent.at(receiver.front_id()));
    REQUIRE(read.insert(receiver.front_id()).second);
    receiver.pop();
  };
  while (finished < 40) {
    if (sent.size() < 40) {
      std::uint16_t id = 0;
      const std::size_t size = 1 + random.below(random.below(3) == 0 ? 60'000 : 900);
      const NetBytes block = pattern(static_cast<std::uint32_t>(sent.size()), size);
      const auto kept = sent.emplace(static_cast<std::uint16_t>(sent.size() + 1), block).first;
      if (sender.begin(kept->second, id) == SendStatus::queued) {
        REQUIRE(id == kept->first);
      } else {
        sent.erase(kept);
      }
    }
    const std::size_t room =
        kFragmentHeadBytes + kChunkBytes * (1 + random.below(5)) + random.below(256);
    for (std::uint64_t i = random.below(6); i > 0 && sender.has_pending(); --i) {
      air.push_back(*write_next(sender, room));
    }
    if (air.empty()) continue;
    const std::size_t at = random.below(air.size());
    const Written written = air[at];
    if (random.below(4) != 0) air.erase(air.begin() + static_cast<std::ptrdiff_t>(at));
    if (random.below(3) == 0) {
      sender.lost(written.range);
      continue;
    }
    const Fragment fragment = fragment_of(written.bytes);
    const FragmentVerdict verdict = receiver.classify(fragment);
    if (verdict == FragmentVerdict::no_room) {  // The packet was not received.
      sender.lost(written.range);
      read_one();
      continue;
    }
    REQUIRE(verdict == FragmentVerdict::accepted);
    receiver.store(kNow, fragment);
    sender.delivered(written.range);
    if (random.below(5) == 0) read_one();
    for (const SentBlock& block : sender.finished()) {
      REQUIRE_FALSE(block.refusal.has_value());
      ++finished;
    }
    sender.clear_finished();
  }
  while (!receiver.front().empty()) read_one();
  REQUIRE(read.size() == sent.size());
  REQUIRE(sender.chunks_resent() > 0);
}

TEST_CASE("Each refused block gets the right reason", "[net][transport][sys-30]") {
  BlockSender sender;
  std::uint16_t id = 0;
  REQUIRE(sender.begin({}, id) == SendStatus::empty);
  const NetBytes block = pattern(1, 1000);
  for (std::size_t i = 0; i < kBlocksAtOnce; ++i) {
    REQUIRE(sender.begin(block, id) == SendStatus::queued);
    REQUIRE(id == i + 1);
  }
  REQUIRE(sender.begin(block, id) == SendStatus::would_block);
  REQUIRE(sender.refused(2, BlockRefusal::no_memory));
  REQUIRE_FALSE(sender.refused(2, BlockRefusal::no_memory));
  REQUIRE_FALSE(sender.refused(99, BlockRefusal::no_memory));
  REQUIRE(sender.finished().size() == 1);
  REQUIRE(sender.begin(block, id) ==
          SendStatus::would_block);  // The finished block was not cleared yet.
  sender.clear_finished();
  REQUIRE(sender.begin(block, id) == SendStatus::queued);
  REQUIRE(id == kBlocksAtOnce + 1);
}

TEST_CASE("Blocks are sent in turns", "[net][transport][sys-30]") {
  BlockSender sender;
  const NetBytes block = pattern(1, 100'000);
  std::uint16_t id = 0;
  for (int i = 0; i < 3; ++i) REQUIRE(sender.begin(block, id) == SendStatus::queued);
  std::map<std::uint16_t, int> turns;
  for (int i = 0; i < 30; ++i) ++turns[write_next(sender)->range.block];
  REQUIRE(turns == std::map<std::uint16_t, int>{{1, 10}, {2, 10}, {3, 10}});
}

TEST_CASE("A sender sends no chunk beyond the receiver's window", "[net][transport][sys-30]") {
  const NetBytes block(4 * kChunkWindow * kChunkBytes);
  BlockSender sender;
  BlockReceiver receiver(block.size());
  std::uint16_t id = 0;
  REQUIRE(sender.begin(block, id) == SendStatus::queued);
  std::vector<Written> sent;
  while (sender.has_pending()) sent.push_back(*write_next(sender));
  const ChunkRange last = sent.back().range;
  REQUIRE(last.first + last.count == kChunkWindow);
  REQUIRE(receiver.classify(fragment_of(sent.back().bytes)) == FragmentVerdict::accepted);
  REQUIRE(receiver.classify(plain(1, static_cast<std::uint32_t>(block.size()), kChunkWindow)) ==
          FragmentVerdict::invalid);
  receiver.store(kNow, fragment_of(sent.front().bytes));
  const std::uint32_t moved = sent.front().range.count;
  REQUIRE(receiver.classify(plain(1, static_cast<std::uint32_t>(block.size()),
                                  kChunkWindow + moved - 1)) == FragmentVerdict::accepted);
  REQUIRE(receiver.classify(plain(1, static_cast<std::uint32_t>(block.size()),
                                  kChunkWindow + moved)) == FragmentVerdict::invalid);
}

TEST_CASE("A receiver accepts the blocks that fit and gives the reason for a refusal",
          "[net][transport][sys-30]") {
  BlockReceiver receiver(10'000);
  REQUIRE(receiver.classify(plain(1, 10'000, 0)) == FragmentVerdict::accepted);
  REQUIRE(receiver.classify(plain(1, 10'001, 0)) == FragmentVerdict::refused);
  receiver.store(kNow, plain(1, 10'001, 0));
  // Further chunks of a refused block are ignored.
  REQUIRE(receiver.classify(plain(1, 10'001, 3)) == FragmentVerdict::accepted);
  receiver.store(kNow, plain(1, 10'001, 3));
  REQUIRE(receiver.front().empty());
  for (std::uint16_t id = 2; id < 6; ++id) {
    REQUIRE(receiver.classify(plain(id, 1000, 0)) == FragmentVerdict::accepted);
    receiver.store(kNow, plain(id, 1000, 0));
    REQUIRE(receiver.classify(plain(id, 1001, 1)) == FragmentVerdict::invalid);
  }
  REQUIRE(receiver.classify(plain(6, 1000, 0)) == FragmentVerdict::refused);
  receiver.store(kNow, plain(3, 1000, 1, 3));
  REQUIRE(receiver.front_id() == 3);
  REQUIRE(receiver.front().size() == 1000);
  // One block is unread and three are incomplete, so no slot is free.
  REQUIRE(receiver.classify(plain(6, 1000, 0)) == FragmentVerdict::no_room);
  receiver.pop();
  REQUIRE(receiver.classify(plain(6, 1000, 0)) == FragmentVerdict::accepted);
  REQUIRE(receiver.classify(plain(3, 1000, 0)) == FragmentVerdict::accepted);
  receiver.store(kNow, plain(3, 1000, 0));
  REQUIRE(receiver.front().empty());
}

TEST_CASE("The blocks of a peer together use at most twice the memory of the largest block",
          "[net][transport][sys-30]") {
  BlockReceiver receiver(10'000);
  receiver.store(kNow, plain(1, 9'000, 0));
  receiver.store(kNow, plain(2, 9'000, 0));
  REQUIRE(receiver.refusal(2'000) == std::nullopt);
  REQUIRE(receiver.refusal(2'001) == BlockRefusal::no_memory);
  REQUIRE(receiver.classify(plain(3, 2'001, 0)) == FragmentVerdict::refused);
  REQUIRE(receiver.store(kNow, plain(3, 2'001, 0)) == BlockRefusal::no_memory);
  // Unread blocks also count, so the sender must wait.
  for (std::uint32_t first = 0; first < chunk_count(9'000); first += 4) {
    receiver.store(kNow, plain(1, 9'000, first, 4));
  }
  REQUIRE(receiver.front_id() == 1);
  REQUIRE(receiver.classify(plain(4, 2'001, 0)) == FragmentVerdict::no_room);
  REQUIRE(receiver.classify(plain(4, 2'000, 0)) == FragmentVerdict::accepted);
  receiver.pop();
  REQUIRE(receiver.classify(plain(4, 2'001, 0)) == FragmentVerdict::accepted);
}

TEST_CASE("A receiver drops a block if no new chunk arrives for a minute",
          "[net][transport][sys-30]") {
  using namespace std::chrono_literals;
  BlockReceiver receiver(10'000);
  REQUIRE_FALSE(receiver.store(kNow, plain(1, 1'000, 0)).has_value());
  REQUIRE_FALSE(receiver.store(kNow, plain(2, 200, 0)).has_value());
  // A repeated chunk does not count as new.
  REQUIRE_FALSE(receiver.store(kNow + 30s, plain(1, 1'000, 0)).has_value());
  REQUIRE(receiver.give_up_stalled(kNow + 60s - 1ns) == std::nullopt);
  REQUIRE_FALSE(receiver.store(kNow + 59s, plain(1, 1'000, 1)).has_value());
  REQUIRE(receiver.give_up_stalled(kNow + 119s - 1ns) == std::nullopt);
  REQUIRE(receiver.give_up_stalled(kNow + 119s) == 1);
  REQUIRE(receiver.give_up_stalled(kNow + 119s) == std::nullopt);
  // Further chunks of the stalled block are ignored. The complete block never stalls.
  receiver.store(kNow + 120s, plain(1, 1'000, 0, 4));
  REQUIRE(receiver.front_id() == 2);
  receiver.pop();
  REQUIRE(receiver.front().empty());
}

TEST_CASE("Each block number is accepted once", "[net][transport][sys-30]") {
  BlockReceiver receiver(1000);
  // The number after 1 is exactly half the range away.
  for (const unsigned number : {1U, 32769U, 32770U, 65535U, 63U, 64U, 128U, 192U}) {
    const auto id = static_cast<std::uint16_t>(number);
    CAPTURE(id);
    REQUIRE(receiver.classify(plain(id, 300, 0, 2)) == FragmentVerdict::accepted);
    for (int i = 0; i < 2; ++i) {
      receiver.store(kNow, plain(id, 300, 0, 2));
      if (i == 1) break;
      REQUIRE(receiver.front_id() == id);
      receiver.pop();
    }
    REQUIRE(receiver.front().empty());
  }
}

TEST_CASE("Block numbers wrap, and a finished block never begins again",
          "[net][transport][sys-30]") {
  BlockSender sender;
  BlockReceiver receiver(1000);
  const NetBytes block = pattern(3, 300);
  NetBytes before;
  for (std::uint32_t i = 1; i < 140'000; ++i) {
    std::uint16_t id = 0;
    REQUIRE(sender.begin(block, id) == SendStatus::queued);
    REQUIRE(id == (i & 0xFFFFU));
    const Written written = *write_next(sender);
    const Fragment fragment = fragment_of(written.bytes);
    if (receiver.classify(fragment) != FragmentVerdict::accepted) FAIL("block " << i);
    receiver.store(kNow, fragment);
    if (receiver.front_id() != id || receiver.front().size() != 300) FAIL("block " << i);
    receiver.pop();
    sender.delivered(written.range);
    sender.clear_finished();
    receiver.store(kNow, fragment);
    if (!before.empty()) receiver.store(kNow, fragment_of(before));
    if (!receiver.front().empty()) FAIL("block " << i << " or the one before came twice");
    before = written.bytes;
  }
}

TEST_CASE(
    "The memory for blocks is at most a few times the received bytes, for any size that a peer "
    "announces",
    "[net][transport][sys-30]") {
  const std::uint32_t gap = GENERATE(1U, 2U, 4U, 7U, 8000U);
  CAPTURE(gap);
  constexpr std::uint32_t kBytes = 8U << 20U;
  BlockReceiver receiver(16U << 20U);
  std::size_t arrived = 0;
  for (std::uint16_t block = 1; block <= kBlocksAtOnce; ++block) {
    for (std::uint32_t chunk = gap; chunk < kChunkWindow; chunk += gap) {
      const Fragment fragment = plain(block, kBytes, chunk);
      REQUIRE(receiver.classify(fragment) == FragmentVerdict::accepted);
      REQUIRE_FALSE(receiver.store(kNow, fragment).has_value());
      arrived += fragment.bytes.size();
      REQUIRE(receiver.memory_bytes() <= 5 * arrived);
    }
  }
  // Chunks in order need no pages, and at most the memory of the block's size.
  BlockReceiver in_order(16U << 20U);
  for (std::uint32_t chunk = 0; chunk < chunk_count(kBytes); ++chunk) {
    REQUIRE_FALSE(in_order.store(kNow, plain(1, kBytes, chunk)).has_value());
    REQUIRE(in_order.memory_bytes() <=
            std::min<std::size_t>(kBytes, (chunk + 1) * 3 * kChunkBytes));
  }
  REQUIRE(in_order.front().size() == kBytes);
}

TEST_CASE("Chunks in any order, with duplicates, form the block", "[net][transport][sys-30]") {
  const std::uint64_t seed = GENERATE(range(1U, 21U));
  CAPTURE(seed);
  Random random(seed);
  const std::size_t size = 1 + random.below(60'000);
  const NetBytes block = pattern(static_cast<std::uint32_t>(seed), size);
  std::vector<std::uint32_t> order;
  for (std::uint32_t chunk = 0; chunk < chunk_count(size); ++chunk) {
    order.insert(order.end(), 1 + random.below(2), chunk);
  }
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  BlockReceiver receiver(1U << 20U);
  for (const std::uint32_t chunk : order) {
    const std::size_t begin = chunk * kChunkBytes;
    const Fragment fragment{
        .block = 1,
        .block_bytes = static_cast<std::uint32_t>(size),
        .first = chunk,
        .count = 1,
        .bytes = std::span(block).subspan(begin, std::min(kChunkBytes, size - begin))};
    REQUIRE(receiver.classify(fragment) == FragmentVerdict::accepted);
    REQUIRE_FALSE(receiver.store(kNow, fragment).has_value());
  }
  REQUIRE(copy_of(receiver.front()) == block);
  receiver.pop();
  REQUIRE(receiver.memory_bytes() == 0);
}

}  // namespace
}  // namespace muster
