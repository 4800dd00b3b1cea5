// Reads a bundle in place. The format is BUNDLE_FORMAT.md, section 1.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/decompressor.h"

namespace muster {

std::string_view to_string(EntryKind kind);

/// One row of a bundle's table.
struct BundleEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  std::uint64_t plain_bytes = 0;
  ContentHash plain_hash{};
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
  std::uint32_t dictionary_id = 0;  ///< The dictionary of its compressed blocks; 0 means none.
};

/// One block of an entry.
struct BundleBlock {
  std::uint64_t offset_bytes = 0;  ///< From the start of the bundle.
  std::uint32_t stored_bytes = 0;
  std::uint32_t plain_bytes = 0;
  BlockCoding coding = BlockCoding::stored;
  std::uint32_t dictionary_id = 0;
};

/// Reads a bundle in the caller's memory (a mapped file, a buffer). The bytes must stay valid while
/// the reader and its views are used. Allocates nothing; copying is cheap. Several threads may
/// read, each with its own `Decompressor`.
///
///     Result<BundleReader> bundle = BundleReader::open(bytes);
///     if (const auto entry = bundle.value().find(guid, kFlattenedPrefab)) {
///       Result<Bytes> prefab = bundle.value().read(*entry, decompressor, buffer);
class BundleReader {
 public:
  /// Checks header and tables, in time linear in the tables; decompresses and hashes nothing. Fails
  /// with `truncated`, `unsupported_version`, `limit_exceeded` or `malformed`.
  static Result<BundleReader> open(Bytes bytes);
  /// The same for bytes that others can change, such as those of a mapped file: header and tables
  /// are copied into `tables` and used only there, so that they cannot change after the check.
  /// `tables` must live as long as the bytes; it may be moved.
  static Result<BundleReader> open_shared(Bytes bytes, ByteVector& tables);

  std::uint32_t entry_count() const { return entry_count_; }
  /// Requires: `index < entry_count()`.
  BundleEntry entry(std::uint32_t index) const;
  /// Binary search in the table.
  std::optional<BundleEntry> find(const Guid& guid, std::int64_t local_id) const;
  /// The same, as an index: for callers that store data per entry.
  std::optional<std::uint32_t> find_index(const Guid& guid, std::int64_t local_id) const;

  /// Returns the entry's plain bytes, checked against their hash. They are in `buffer`, which only
  /// grows, or in the bundle itself if no block is compressed; the view is valid while both exist.
  /// Fails with `malformed`, `hash_mismatch`, or `not_found` if the decompressor lacks the entry's
  /// dictionary. Requires: an entry of this bundle.
  Result<Bytes> read(const BundleEntry& entry, Decompressor& decompressor,
                     ByteVector& buffer) const;

  /// True when no block of an entry is compressed: the bundle contains its plain bytes.
  bool is_all_stored(const BundleEntry& entry) const;
  /// Those bytes, not checked against their hash. Requires: `is_all_stored(entry)`, an entry of
  /// this bundle.
  Bytes stored(const BundleEntry& entry) const;

  /// Requires: `index < entry.block_count`, an entry of this bundle.
  BundleBlock block(const BundleEntry& entry, std::uint32_t index) const;
  /// Decompresses one block into `plain`: for reading a large entry in parts or on several threads.
  /// No hash covers a single block. Requires: `plain.size() == block.plain_bytes`.
  Result<void> read_block(const BundleBlock& block, Decompressor& decompressor,
                          std::span<std::byte> plain) const;

  /// Checks the bundle's hash and every entry. Fails with `hash_mismatch`, or like `read`.
  Result<void> verify(Decompressor& decompressor, ByteVector& buffer) const;

  /// The hash in the header; `verify` compares it.
  ContentHash bundle_hash() const;
  /// Computes the hash of tables and blocks.
  ContentHash compute_hash() const;
  std::uint64_t file_bytes() const { return bytes_.size(); }
  /// The sum of the entries' plain sizes.
  std::uint64_t plain_bytes() const;
  std::uint32_t block_plain_bytes() const { return block_plain_bytes_; }

 private:
  BundleReader(Bytes bytes, Bytes tables) : bytes_(bytes), tables_(tables) {}
  Result<BundleReader> checked();
  Result<void> check_header();
  Result<void> check_tables() const;
  std::size_t entry_at(std::uint32_t index) const;
  std::size_t block_at(std::uint32_t index) const;

  Bytes bytes_;
  Bytes tables_;  ///< Header and tables; equal to `bytes_` if they are not copied.
  std::uint32_t entry_count_ = 0;
  std::uint32_t block_count_ = 0;
  std::uint32_t block_plain_bytes_ = 0;
};

}  // namespace muster
