// The size of the tables is known before compression, so the file is built in one buffer. The
// buffer first gets space for the header and the tables. Then the blocks are appended and their
// records are filled in. The hash is written last. Blocks are independent, so all threads compress
// a group of consecutive blocks, each into a separate slot, and then the slots are appended in
// order. If each entry had only one thread, the other threads would be idle while a large entry is
// packed.
#include "bundler/pack/bundle_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/content_hash.h"
#include "registry/base/parallel.h"
#include "runtime/bundle/decompressor.h"

namespace muster {

using namespace layout::bundle;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

bool is_before(const PackEntry& a, const PackEntry& b) {
  return a.guid < b.guid || (a.guid == b.guid && a.local_id < b.local_id);
}

std::uint64_t block_count_of(const PackEntry& entry, const PackOptions& options) {
  return (entry.plain.size() + options.block_plain_bytes - 1) / options.block_plain_bytes;
}

template <std::integral Integer>
void store(ByteVector& out, std::size_t offset, Integer value) {
  static_assert(std::endian::native == std::endian::little);
  assert(offset + sizeof value <= out.size());
  std::memcpy(out.data() + offset, &value, sizeof value);
}

void store(ByteVector& out, std::size_t offset, Bytes value) {
  assert(offset + value.size() <= out.size());
  std::ranges::copy(value, out.begin() + static_cast<std::ptrdiff_t>(offset));
}

Result<void> check_options(const PackOptions& options) {
  if (options.level < kMinLevel || options.level > kMaxLevel) {
    return fail(ErrorCode::invalid_argument,
                "compression level " + std::to_string(options.level) + " is not within 1 to 19");
  }
  if (!std::has_single_bit(options.block_plain_bytes) ||
      options.block_plain_bytes < kMinBlockPlainBytes ||
      options.block_plain_bytes > kMaxBlockPlainBytes) {
    return fail(ErrorCode::invalid_argument, "block size " +
                                                 std::to_string(options.block_plain_bytes) +
                                                 " is not a power of two from 4096 to 1048576");
  }
  return {};
}

Result<void> check_entries(const std::vector<PackEntry>& sorted, const PackOptions& options) {
  if (sorted.size() > kMaxEntries) {
    return fail(ErrorCode::limit_exceeded,
                "a bundle holds at most 1048576 entries, not " + std::to_string(sorted.size()));
  }
  std::uint64_t blocks = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const PackEntry& entry = sorted[i];
    const std::string name = entry.guid.to_string() + ":" + std::to_string(entry.local_id);
    if (i > 0 && !is_before(sorted[i - 1], entry)) {
      return fail(ErrorCode::already_exists, "two entries of the bundle are named " + name);
    }
    if (entry.plain.size() > kMaxEntryPlainBytes) {
      return fail(ErrorCode::limit_exceeded, "entry " + name + " has " +
                                                 std::to_string(entry.plain.size()) +
                                                 " bytes; at most 4294967296 fit");
    }
    blocks += block_count_of(entry, options);
  }
  if (blocks > kMaxBlocks) {
    return fail(ErrorCode::limit_exceeded, "the bundle needs " + std::to_string(blocks) +
                                               " blocks; at most 4194304 fit: split it");
  }
  return {};
}

// The number of blocks per thread in a group. At the end of a group, threads wait for each other,
// on average for half a block, which is short compared with 32 blocks. The slots of a thread need
// at most the memory of its blocks: 8 MiB at the default block size.
constexpr std::size_t kWindowBlocks = 32;

// A block to pack: its plain bytes, and the block of an earlier bundle with equal content if such a
// block exists.
struct PendingBlock {
  Bytes plain;
  const StagedBlock* staged = nullptr;
  std::size_t entry = 0;  ///< The index of the entry.
  int level = 0;
  const CompressionDictionary* dictionary = nullptr;
};

struct BlockSlot {
  ByteVector buffer;
  Bytes stored;  // The stored bytes, which are in `buffer` or are the plain bytes.
  BlockCoding coding = BlockCoding::stored;
  std::uint32_t dictionary_id = 0;
  std::optional<Error> failure;
};

// Uses the earlier block if its content is equal to the block to pack. Returns false if the block
// must be packed.
bool use_earlier_block(BlockSlot& slot, const PendingBlock& block, const StagedBundles& staged,
                       const std::shared_ptr<const DictionarySet>& dictionaries) {
  if (block.staged->coding == BlockCoding::stored) return true;
  const auto frame = staged.read(*block.staged, slot.buffer);
  if (!frame || frame.value().size() != block.staged->stored_bytes) return false;
  ByteVector plain(block.plain.size());
  Decompressor decompressor;
  decompressor.use(dictionaries);
  const std::uint32_t dictionary = block.dictionary == nullptr ? 0 : block.dictionary->id();
  if (!decompressor.decompress(frame.value(), plain, dictionary)) return false;
  if (!std::ranges::equal(plain, block.plain)) return false;
  slot.stored = frame.value();
  slot.coding = BlockCoding::zstd;
  slot.dictionary_id = dictionary;
  return true;
}

void fill_slot(BlockSlot& slot, const PendingBlock& block, Compressor& compressor,
               const PackWorkers& workers) {
  slot.stored = block.plain;
  slot.coding = BlockCoding::stored;
  slot.dictionary_id = 0;
  const bool is_earlier = block.staged != nullptr && block.staged->is_earlier;
  if (is_earlier && use_earlier_block(slot, block, *workers.staged, workers.dictionaries)) return;
  if (block.staged != nullptr && !is_earlier) {
    if (block.staged->coding == BlockCoding::stored) return;
    const auto frame = workers.staged->read(*block.staged, slot.buffer);
    if (!frame) {
      slot.failure = frame.error();
      return;
    }
    slot.stored = frame.value();
    slot.coding = block.staged->coding;
    slot.dictionary_id = block.dictionary == nullptr ? 0 : block.dictionary->id();
    return;
  }
  slot.buffer.clear();
  if (block.level == 0) return;
  if (!compressor.compress(block.plain, block.level, slot.buffer, block.dictionary)) return;
  slot.stored = slot.buffer;
  slot.coding = BlockCoding::zstd;
  slot.dictionary_id = block.dictionary == nullptr ? 0 : block.dictionary->id();
}

void append_block(ByteVector& out, std::size_t record, const BlockSlot& slot) {
  store(out, record + block::kOffsetAt, std::uint64_t{out.size()});
  store(out, record + block::kStoredBytesAt, static_cast<std::uint32_t>(slot.stored.size()));
  store(out, record + block::kCodingAt, static_cast<std::uint32_t>(slot.coding));
  out.insert(out.end(), slot.stored.begin(), slot.stored.end());
}

tl::unexpected<Error> stopped() { return fail(ErrorCode::cancelled, "stopped while packing"); }

// Appends all blocks and fills in their records.
Result<void> append_blocks(ByteVector& out, std::span<const PendingBlock> blocks,
                           std::size_t block_table, const PackWorkers& workers) {
  const auto jobs = static_cast<unsigned>(workers.compressors.size());
  const std::size_t window = kWindowBlocks * jobs;
  std::vector<BlockSlot> slots(std::min(window, blocks.size()));
  for (std::size_t first = 0; first < blocks.size(); first += window) {
    const auto pending = blocks.subspan(first, std::min(window, blocks.size() - first));
    const auto fill = [&](std::size_t i, unsigned worker) {
      fill_slot(slots[i], pending[i], workers.compressors[worker], workers);
    };
    if (!parallel_for(pending.size(), jobs, workers.stop, fill)) return stopped();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      if (slots[i].failure) return fail(*slots[i].failure);
      append_block(out, block_table + (first + i) * block::kBytes, slots[i]);
      // An entry with a dictionary has only one block.
      if (slots[i].dictionary_id == 0) continue;
      store(out, header::kBytes + pending[i].entry * entry::kBytes + entry::kDictionaryAt,
            slots[i].dictionary_id);
    }
  }
  return {};
}

void store_entry(ByteVector& out, std::size_t record, const PackEntry& entry,
                 const ContentHash& hash, std::uint32_t first_block) {
  store(out, record + entry::kGuidAt, entry.guid.bytes());
  store(out, record + entry::kLocalIdAt, entry.local_id);
  store(out, record + entry::kPlainHashAt, std::as_bytes(std::span(hash.bytes)));
  store(out, record + entry::kPlainBytesAt, std::uint64_t{entry.plain.size()});
  store(out, record + entry::kFirstBlockAt, first_block);
  store(out, record + entry::kKindAt, static_cast<std::uint16_t>(entry.kind));
}

// Fills in the records of the entries, and lists their blocks.
Result<std::vector<PendingBlock>> store_entries(ByteVector& out,
                                                const std::vector<PackEntry>& entries,
                                                const PackOptions& options,
                                                const PackWorkers& workers) {
  std::vector<ContentHash> hashes(entries.size());
  const auto jobs = static_cast<unsigned>(workers.compressors.size());
  if (!parallel_for(entries.size(), jobs, workers.stop,
                    [&](std::size_t i, unsigned) { hashes[i] = hash_bytes(entries[i].plain); })) {
    return stopped();
  }
  std::vector<PendingBlock> blocks;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Bytes plain = entries[i].plain;
    const auto first_block = static_cast<std::uint32_t>(blocks.size());
    store_entry(out, header::kBytes + i * entry::kBytes, entries[i], hashes[i], first_block);
    const int level = entries[i].level.value_or(options.level);
    const bool is_one_block = plain.size() <= options.block_plain_bytes;
    const CompressionDictionary* const dictionary =
        is_one_block && level > 0 ? entries[i].dictionary : nullptr;
    std::span<const StagedBlock> staged;
    if (workers.staged != nullptr) {
      staged = workers.staged->find(
          {hashes[i], plain.size(), level, dictionary == nullptr ? 0 : dictionary->id()});
    }
    assert(staged.empty() || staged.size() == block_count_of(entries[i], options));
    for (std::size_t at = 0; at < plain.size(); at += options.block_plain_bytes) {
      const std::size_t size = std::min<std::size_t>(options.block_plain_bytes, plain.size() - at);
      PendingBlock& added = blocks.emplace_back();
      added.plain = plain.subspan(at, size);
      added.entry = i;
      added.level = level;
      added.dictionary = dictionary;
      if (!staged.empty()) added.staged = &staged[at / options.block_plain_bytes];
    }
  }
  return blocks;
}

}  // namespace

Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options,
                               const PackWorkers& workers) {
  assert(!workers.compressors.empty());
  if (Result<void> checked = check_options(options); !checked) return fail(checked.error());
  std::vector<PackEntry> sorted(entries.begin(), entries.end());
  std::ranges::sort(sorted, is_before);
  if (Result<void> checked = check_entries(sorted, options); !checked) {
    return fail(checked.error());
  }

  std::uint64_t plain_total = 0;
  std::uint64_t block_count = 0;
  for (const PackEntry& entry : sorted) {
    plain_total += entry.plain.size();
    block_count += block_count_of(entry, options);
  }
  const std::size_t block_table = header::kBytes + sorted.size() * entry::kBytes;
  const std::size_t tables_end =
      block_table + static_cast<std::size_t>(block_count) * block::kBytes;
  ByteVector out;
  // A stored block is never larger than its plain bytes, so this is enough memory. Unused memory is
  // never touched.
  out.reserve(tables_end + static_cast<std::size_t>(plain_total));
  out.resize(tables_end);
  const auto blocks = store_entries(out, sorted, options, workers);
  if (!blocks) return fail(blocks.error());
  assert(blocks.value().size() == block_count);
  if (auto done = append_blocks(out, blocks.value(), block_table, workers); !done) {
    return fail(done.error());
  }

  store(out, 0, std::as_bytes(std::span(kMagic)));
  store(out, header::kVersionAt, kVersion);
  store(out, header::kFileBytesAt, std::uint64_t{out.size()});
  store(out, header::kEntryCountAt, static_cast<std::uint32_t>(sorted.size()));
  store(out, header::kBlockCountAt, static_cast<std::uint32_t>(block_count));
  store(out, header::kBlockPlainBytesAt, options.block_plain_bytes);
  store(out, header::kPlainBytesAt, plain_total);
  const ContentHash hash = hash_bytes(Bytes(out).subspan(header::kHashedFrom));
  store(out, header::kHashAt, std::as_bytes(std::span(hash.bytes)));
  return out;
}

Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options) {
  Compressor compressor;
  return pack_bundle(entries, options, {.compressors = std::span(&compressor, 1)});
}

}  // namespace muster
