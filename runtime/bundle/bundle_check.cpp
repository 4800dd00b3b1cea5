// Checks a bundle when it is opened, by the rules of BUNDLE_FORMAT.md, section 1. All other code
// may trust the tables, but not the content of blocks.
#include <cstring>
#include <string>

#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::bundle;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

constexpr std::string_view kEncoding = "bundle";

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                            std::uint64_t found) {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

tl::unexpected<Error> wrong_entry(std::uint32_t index, std::string_view field, std::size_t offset,
                                  std::string_view expected, std::uint64_t found) {
  const std::string name = "entry " + std::to_string(index) + ": " + std::string(field);
  return wrong(name, offset, expected, found);
}

bool is_kind(std::uint16_t value) {
  return value >= static_cast<std::uint16_t>(EntryKind::object) &&
         value <= static_cast<std::uint16_t>(EntryKind::text);
}

// True if the sizes of a block fit together. Requires: the coding is known.
bool is_sane(const BundleBlock& block) {
  if (block.coding == BlockCoding::stored) return block.stored_bytes == block.plain_bytes;
  return block.stored_bytes > 0 && block.stored_bytes < block.plain_bytes &&
         block.plain_bytes <= block.stored_bytes * kMaxCompressionRatio;
}

bool is_coding(BlockCoding coding) {
  return coding == BlockCoding::stored || coding == BlockCoding::zstd;
}

bool is_sound(const BundleBlock& block, std::uint64_t expected_offset, std::uint64_t bytes_left) {
  return block.offset_bytes == expected_offset && block.stored_bytes <= bytes_left &&
         is_coding(block.coding) && is_sane(block);
}

// The error for an invalid block.
tl::unexpected<Error> wrong_block(const BundleBlock& block, std::uint32_t index, std::size_t at,
                                  std::uint64_t expected_offset, std::uint64_t bytes_left) {
  const auto named = [&](std::string_view field) {
    return "block " + std::to_string(index) + ": " + std::string(field);
  };
  if (block.offset_bytes != expected_offset) {
    return wrong(named("offset"), at + block::kOffsetAt, std::to_string(expected_offset),
                 block.offset_bytes);
  }
  if (block.stored_bytes > bytes_left) {
    return format_error(ErrorCode::truncated,
                        {kEncoding, named("stored_bytes"), at + block::kStoredBytesAt},
                        "at most " + std::to_string(bytes_left), block.stored_bytes);
  }
  if (!is_coding(block.coding)) {
    return wrong(named("coding"), at + block::kCodingAt, "0 or 1",
                 static_cast<std::uint32_t>(block.coding));
  }
  return wrong(named("stored_bytes"), at + block::kStoredBytesAt,
               "a size that fits " + std::to_string(block.plain_bytes) + " plain bytes",
               block.stored_bytes);
}

}  // namespace

Result<void> BundleReader::check_header() {
  if (bytes_.size() < header::kBytes) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0}, "64 bytes", bytes_.size());
  }
  const auto head = tables_.first<header::kBytes>();
  if (std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0) {
    return format_error(ErrorCode::malformed, {kEncoding, "magic", 0}, "MBND CR LF SUB LF",
                        "other bytes: not a bundle, or damaged in transfer");
  }
  const auto version = load<std::uint16_t>(head, header::kVersionAt);
  if (version != kVersion) {
    return format_error(ErrorCode::unsupported_version, {kEncoding, "version", header::kVersionAt},
                        std::to_string(kVersion), version);
  }
  const auto flags = load<std::uint16_t>(head, header::kFlagsAt);
  if (flags != 0) return wrong("flags", header::kFlagsAt, "0", flags);
  for (const std::size_t at : {header::kReservedAt, header::kReserved2At}) {
    const auto reserved = load<std::uint32_t>(head, at);
    if (reserved != 0) return wrong("reserved", at, "0", reserved);
  }
  const auto file_bytes = load<std::uint64_t>(head, header::kFileBytesAt);
  if (file_bytes != bytes_.size()) {
    const ErrorCode code = file_bytes > bytes_.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "file_bytes", header::kFileBytesAt},
                        "the file's size of " + std::to_string(bytes_.size()), file_bytes);
  }
  entry_count_ = load<std::uint32_t>(head, header::kEntryCountAt);
  if (entry_count_ > kMaxEntries) {
    return format_error(ErrorCode::limit_exceeded,
                        {kEncoding, "entry_count", header::kEntryCountAt}, "at most 1048576",
                        entry_count_);
  }
  block_count_ = load<std::uint32_t>(head, header::kBlockCountAt);
  if (block_count_ > kMaxBlocks) {
    return format_error(ErrorCode::limit_exceeded,
                        {kEncoding, "block_count", header::kBlockCountAt}, "at most 4194304",
                        block_count_);
  }
  block_plain_bytes_ = load<std::uint32_t>(head, header::kBlockPlainBytesAt);
  const bool is_power_of_two = (block_plain_bytes_ & (block_plain_bytes_ - 1)) == 0;
  if (!is_power_of_two || block_plain_bytes_ < kMinBlockPlainBytes ||
      block_plain_bytes_ > kMaxBlockPlainBytes) {
    return wrong("block_plain_bytes", header::kBlockPlainBytesAt,
                 "a power of two from 4096 to 1048576", block_plain_bytes_);
  }
  const std::uint64_t tables_end = header::kBytes + std::uint64_t{entry_count_} * entry::kBytes +
                                   std::uint64_t{block_count_} * block::kBytes;
  if (tables_end > bytes_.size()) {
    return format_error(ErrorCode::truncated, {kEncoding, "tables", header::kBytes},
                        std::to_string(tables_end) + " bytes of header and tables", bytes_.size());
  }
  return {};
}

Result<void> BundleReader::check_tables() const {
  std::uint64_t offset = block_at(block_count_);
  std::uint64_t plain_total = 0;
  std::uint64_t blocks_total = 0;
  Guid previous_guid;
  std::int64_t previous_local_id = 0;
  for (std::uint32_t i = 0; i < entry_count_; ++i) {
    const std::size_t at = entry_at(i);
    const auto row = tables_.subspan(at).first<entry::kBytes>();
    const BundleEntry now = entry(i);
    const bool is_sorted = i == 0 || previous_guid < now.guid ||
                           (previous_guid == now.guid && previous_local_id < now.local_id);
    if (!is_sorted) {
      return format_error(ErrorCode::malformed, {kEncoding, "entry " + std::to_string(i), at},
                          "a greater (guid, local id) than the entry before",
                          now.guid.to_string() + ":" + std::to_string(now.local_id));
    }
    const auto kind = load<std::uint16_t>(row, entry::kKindAt);
    if (!is_kind(kind)) return wrong_entry(i, "kind", at + entry::kKindAt, "1 to 5", kind);
    const auto flags = load<std::uint16_t>(row, entry::kFlagsAt);
    if (flags != 0) return wrong_entry(i, "flags", at + entry::kFlagsAt, "0", flags);
    const auto reserved = load<std::uint32_t>(row, entry::kReservedAt);
    if (reserved != 0) return wrong_entry(i, "reserved", at + entry::kReservedAt, "0", reserved);
    if (now.plain_bytes > kMaxEntryPlainBytes) {
      return format_error(
          ErrorCode::limit_exceeded,
          {kEncoding, "entry " + std::to_string(i) + ": plain_bytes", at + entry::kPlainBytesAt},
          "at most 4294967296", now.plain_bytes);
    }
    if (now.first_block != blocks_total) {
      return wrong_entry(i, "first_block", at + entry::kFirstBlockAt, std::to_string(blocks_total),
                         now.first_block);
    }
    plain_total += now.plain_bytes;
    blocks_total += now.block_count;
    if (blocks_total > block_count_) {
      return wrong("block_count", header::kBlockCountAt, "at least " + std::to_string(blocks_total),
                   block_count_);
    }
    bool is_compressed = false;
    for (std::uint32_t b = 0; b < now.block_count; ++b) {
      const BundleBlock part = block(now, b);
      const std::uint64_t bytes_left = bytes_.size() - offset;
      if (!is_sound(part, offset, bytes_left)) {
        const std::uint32_t index = now.first_block + b;
        return wrong_block(part, index, block_at(index), offset, bytes_left);
      }
      offset += part.stored_bytes;
      is_compressed = is_compressed || part.coding == BlockCoding::zstd;
    }
    if (now.dictionary_id != 0 && !is_compressed) {
      return wrong_entry(i, "dictionary_id", at + entry::kDictionaryAt, "0: no block is compressed",
                         now.dictionary_id);
    }
    previous_guid = now.guid;
    previous_local_id = now.local_id;
  }
  if (blocks_total != block_count_) {
    return wrong("block_count", header::kBlockCountAt, std::to_string(blocks_total), block_count_);
  }
  if (plain_total != plain_bytes()) {
    return wrong("plain_bytes", header::kPlainBytesAt, std::to_string(plain_total), plain_bytes());
  }
  if (offset != bytes_.size()) {
    return wrong("file_bytes", header::kFileBytesAt,
                 "the end of the last block at " + std::to_string(offset), bytes_.size());
  }
  return {};
}

}  // namespace muster
