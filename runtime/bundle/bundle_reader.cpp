// Records are decoded on request. Opening a bundle reads only the tables and allocates nothing. A
// record is read as a span of constant size, so one bounds check covers all fields of the record.
#include "runtime/bundle/bundle_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <string>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::bundle;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

constexpr std::string_view kEncoding = "bundle";

std::uint64_t blocks_for(std::uint64_t plain_bytes, std::uint32_t block_plain_bytes) {
  // `block_plain_bytes` is a power of two. A shift is used because a division would take longer
  // than all other work of reading an entry.
  const std::uint64_t before = plain_bytes + block_plain_bytes - 1;
  return before >> static_cast<unsigned>(std::countr_zero(block_plain_bytes));
}

std::string name_of(const BundleEntry& entry) {
  return "entry " + entry.guid.to_string() + ":" + std::to_string(entry.local_id);
}

}  // namespace

std::string_view to_string(EntryKind kind) {
  switch (kind) {
    case EntryKind::object:
      return "object";
    case EntryKind::prefab:
      return "prefab";
    case EntryKind::raw:
      return "raw";
    case EntryKind::import_settings:
      return "import_settings";
    case EntryKind::text:
      return "text";
  }
  return "unknown";
}

Result<BundleReader> BundleReader::open(Bytes bytes) {
  return BundleReader(bytes, bytes).checked();
}

Result<BundleReader> BundleReader::open_shared(Bytes bytes, ByteVector& tables) {
  // Copies the header first. The header contains the size of the tables, and another program may
  // change it at any time.
  std::array<std::byte, header::kBytes> head{};
  const Bytes first = bytes.first(std::min(bytes.size(), head.size()));
  std::ranges::copy(first, head.begin());
  std::uint64_t end = first.size();
  if (first.size() == head.size()) {
    const std::uint64_t tables_end =
        header::kBytes +
        std::uint64_t{load<std::uint32_t>(head, header::kEntryCountAt)} * entry::kBytes +
        std::uint64_t{load<std::uint32_t>(head, header::kBlockCountAt)} * block::kBytes;
    if (tables_end <= bytes.size()) end = tables_end;
  }
  tables.resize(static_cast<std::size_t>(end));
  const auto rest = std::ranges::copy(Bytes(head).first(first.size()), tables.begin()).out;
  std::ranges::copy(bytes.first(tables.size()).subspan(first.size()), rest);
  return BundleReader(bytes, tables).checked();
}

Result<BundleReader> BundleReader::checked() {
  if (Result<void> result = check_header(); !result) return fail(result.error());
  if (Result<void> result = check_tables(); !result) return fail(result.error());
  return *this;
}

ContentHash BundleReader::compute_hash() const {
  // If the tables are not a copy, the whole bundle is hashed in one piece, which is faster.
  if (tables_.data() == bytes_.data()) return hash_bytes(bytes_.subspan(header::kHashedFrom));
  const std::size_t tables_end = block_at(block_count_);
  ContentHasher hasher;
  hasher.update(tables_.first(tables_end).subspan(header::kHashedFrom));
  hasher.update(bytes_.subspan(tables_end));
  return hasher.finish();
}

BundleEntry BundleReader::entry(std::uint32_t index) const {
  assert(index < entry_count_);
  const auto row = tables_.subspan(entry_at(index)).first<entry::kBytes>();
  BundleEntry entry;
  entry.guid = load_guid(row, entry::kGuidAt);
  entry.local_id = load<std::int64_t>(row, entry::kLocalIdAt);
  entry.kind = static_cast<EntryKind>(load<std::uint16_t>(row, entry::kKindAt));
  entry.plain_bytes = load<std::uint64_t>(row, entry::kPlainBytesAt);
  entry.plain_hash = load_hash(row, entry::kPlainHashAt);
  entry.first_block = load<std::uint32_t>(row, entry::kFirstBlockAt);
  entry.block_count = static_cast<std::uint32_t>(blocks_for(entry.plain_bytes, block_plain_bytes_));
  entry.dictionary_id = load<std::uint32_t>(row, entry::kDictionaryAt);
  return entry;
}

std::optional<BundleEntry> BundleReader::find(const Guid& guid, std::int64_t local_id) const {
  const std::optional<std::uint32_t> index = find_index(guid, local_id);
  if (!index) return std::nullopt;
  return entry(*index);
}

std::optional<std::uint32_t> BundleReader::find_index(const Guid& guid,
                                                      std::int64_t local_id) const {
  std::uint32_t low = 0;
  std::uint32_t high = entry_count_;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const std::size_t at = entry_at(middle);
    const Guid here = load_guid(tables_, at + entry::kGuidAt);
    const bool is_before =
        here < guid ||
        (here == guid && load<std::int64_t>(tables_, at + entry::kLocalIdAt) < local_id);
    if (is_before) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == entry_count_) return std::nullopt;
  const std::size_t at = entry_at(low);
  if (load_guid(tables_, at + entry::kGuidAt) != guid ||
      load<std::int64_t>(tables_, at + entry::kLocalIdAt) != local_id) {
    return std::nullopt;
  }
  return low;
}

Result<Bytes> BundleReader::read(const BundleEntry& entry, Decompressor& decompressor,
                                 ByteVector& buffer) const {
  const auto size = static_cast<std::size_t>(entry.plain_bytes);
  Bytes plain;
  if (is_all_stored(entry)) {
    plain = stored(entry);
  } else {
    if (buffer.size() < size) buffer.resize(size);
    const std::span<std::byte> target(buffer.data(), size);
    std::size_t done = 0;
    for (std::uint32_t i = 0; i < entry.block_count; ++i) {
      const BundleBlock part = block(entry, i);
      Result<void> read = read_block(part, decompressor, target.subspan(done, part.plain_bytes));
      if (!read) {
        return fail(read.error().code, name_of(entry) + ", " + read.error().message);
      }
      done += part.plain_bytes;
    }
    plain = target;
  }
  const ContentHash found = hash_bytes(plain);
  if (found != entry.plain_hash) {
    return fail(ErrorCode::hash_mismatch, name_of(entry) + ": its content has the hash " +
                                              found.to_string() + ", the table has " +
                                              entry.plain_hash.to_string());
  }
  return plain;
}

BundleBlock BundleReader::block(const BundleEntry& entry, std::uint32_t index) const {
  assert(index < entry.block_count);
  assert(entry.first_block + index < block_count_);
  const auto row = tables_.subspan(block_at(entry.first_block + index)).first<block::kBytes>();
  const bool is_last = index + 1 == entry.block_count;
  const std::uint64_t before = std::uint64_t{index} * block_plain_bytes_;
  BundleBlock block;
  block.offset_bytes = load<std::uint64_t>(row, block::kOffsetAt);
  block.stored_bytes = load<std::uint32_t>(row, block::kStoredBytesAt);
  block.coding = static_cast<BlockCoding>(load<std::uint32_t>(row, block::kCodingAt));
  block.plain_bytes =
      is_last ? static_cast<std::uint32_t>(entry.plain_bytes - before) : block_plain_bytes_;
  block.dictionary_id = entry.dictionary_id;
  return block;
}

Result<void> BundleReader::read_block(const BundleBlock& block, Decompressor& decompressor,
                                      std::span<std::byte> plain) const {
  assert(plain.size() == block.plain_bytes);
  const Bytes stored =
      bytes_.subspan(static_cast<std::size_t>(block.offset_bytes), block.stored_bytes);
  if (block.coding == BlockCoding::stored) {
    std::ranges::copy(stored, plain.begin());
    return {};
  }
  Result<void> done = decompressor.decompress(stored, plain, block.dictionary_id);
  if (!done) {
    return fail(done.error().code, "block at byte " + std::to_string(block.offset_bytes) + ": " +
                                       done.error().message);
  }
  return {};
}

Result<void> BundleReader::verify(Decompressor& decompressor, ByteVector& buffer) const {
  // Hashes the stored bytes of an entry directly before their decompression, so that they are read
  // from memory only once. The error of a damaged entry is returned first, because its message is
  // more exact than the error of a wrong hash.
  ContentHasher whole;
  std::size_t hashed = block_at(block_count_);
  whole.update(tables_.subspan(header::kHashedFrom, hashed - header::kHashedFrom));
  for (std::uint32_t i = 0; i < entry_count_; ++i) {
    const BundleEntry now = entry(i);
    if (now.block_count > 0) {
      const BundleBlock last = block(now, now.block_count - 1);
      const auto end = static_cast<std::size_t>(last.offset_bytes) + last.stored_bytes;
      whole.update(bytes_.subspan(hashed, end - hashed));
      hashed = end;
    }
    Result<Bytes> plain = read(now, decompressor, buffer);
    if (!plain) return fail(plain.error());
  }
  const ContentHash found = whole.finish();
  if (found != bundle_hash()) {
    return format_error(ErrorCode::hash_mismatch, {kEncoding, "bundle_hash", header::kHashAt},
                        bundle_hash().to_string(), found.to_string());
  }
  return {};
}

ContentHash BundleReader::bundle_hash() const { return load_hash(tables_, header::kHashAt); }

std::uint64_t BundleReader::plain_bytes() const {
  return load<std::uint64_t>(tables_, header::kPlainBytesAt);
}

std::size_t BundleReader::entry_at(std::uint32_t index) const {
  return header::kBytes + std::size_t{index} * entry::kBytes;
}

std::size_t BundleReader::block_at(std::uint32_t index) const {
  return entry_at(entry_count_) + std::size_t{index} * block::kBytes;
}

bool BundleReader::is_all_stored(const BundleEntry& entry) const {
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    const std::size_t at = block_at(entry.first_block + i);
    const auto coding = load<std::uint32_t>(tables_, at + block::kCodingAt);
    if (static_cast<BlockCoding>(coding) != BlockCoding::stored) return false;
  }
  return true;
}

Bytes BundleReader::stored(const BundleEntry& entry) const {
  if (entry.block_count == 0) return {};
  return bytes_.subspan(static_cast<std::size_t>(block(entry, 0).offset_bytes),
                        static_cast<std::size_t>(entry.plain_bytes));
}

}  // namespace muster
