// The tables' size is known before any compression, so the file is built in one buffer: space for
// header and tables first, blocks appended, records filled in along the way, hash last.
#include "bundler/pack/bundle_writer.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <concepts>
#include <cstring>
#include <string>
#include <vector>

#include "registry/vocabulary/content_hash.h"

namespace muster {

using namespace layout::bundle;  // NOLINT(google-build-using-namespace): this file is that layout

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

// Appends the blocks of one entry and fills in their records; returns the next free block index.
std::uint32_t append_blocks(ByteVector& out, const PackEntry& entry, std::size_t block_table,
                            std::uint32_t first_block, const PackOptions& options,
                            Compressor& compressor) {
  std::uint32_t index = first_block;
  for (std::size_t at = 0; at < entry.plain.size(); at += options.block_plain_bytes) {
    const std::size_t size =
        std::min<std::size_t>(options.block_plain_bytes, entry.plain.size() - at);
    const Bytes plain = entry.plain.subspan(at, size);
    const std::size_t offset = out.size();
    const bool is_compressed = compressor.compress(plain, options.level, out);
    if (!is_compressed) out.insert(out.end(), plain.begin(), plain.end());
    const std::size_t record = block_table + std::size_t{index} * block::kBytes;
    const auto stored_bytes = static_cast<std::uint32_t>(out.size() - offset);
    const BlockCoding coding = is_compressed ? BlockCoding::zstd : BlockCoding::stored;
    store(out, record + block::kOffsetAt, std::uint64_t{offset});
    store(out, record + block::kStoredBytesAt, stored_bytes);
    store(out, record + block::kCodingAt, static_cast<std::uint32_t>(coding));
    ++index;
  }
  return index;
}

void store_entry(ByteVector& out, std::size_t record, const PackEntry& entry,
                 std::uint32_t first_block) {
  const ContentHash hash = hash_bytes(entry.plain);
  store(out, record + entry::kGuidAt, entry.guid.bytes());
  store(out, record + entry::kLocalIdAt, entry.local_id);
  store(out, record + entry::kPlainHashAt, std::as_bytes(std::span(hash.bytes)));
  store(out, record + entry::kPlainBytesAt, std::uint64_t{entry.plain.size()});
  store(out, record + entry::kFirstBlockAt, first_block);
  store(out, record + entry::kKindAt, static_cast<std::uint16_t>(entry.kind));
}

}  // namespace

Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options,
                               Compressor& compressor) {
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
  ByteVector out(block_table + static_cast<std::size_t>(block_count) * block::kBytes);

  std::uint32_t next_block = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    store_entry(out, header::kBytes + i * entry::kBytes, sorted[i], next_block);
    next_block = append_blocks(out, sorted[i], block_table, next_block, options, compressor);
  }
  assert(next_block == block_count);

  store(out, 0, std::as_bytes(std::span(kMagic)));
  store(out, header::kVersionAt, kVersion);
  store(out, header::kFileBytesAt, std::uint64_t{out.size()});
  store(out, header::kEntryCountAt, static_cast<std::uint32_t>(sorted.size()));
  store(out, header::kBlockCountAt, next_block);
  store(out, header::kBlockPlainBytesAt, options.block_plain_bytes);
  store(out, header::kPlainBytesAt, plain_total);
  const ContentHash hash = hash_bytes(Bytes(out).subspan(header::kHashedFrom));
  store(out, header::kHashAt, std::as_bytes(std::span(hash.bytes)));
  return out;
}

Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options) {
  Compressor compressor;
  return pack_bundle(entries, options, compressor);
}

}  // namespace muster
