// Reads a bundle in place. The format is described in BUNDLE_FORMAT.md, section 1.
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
  /// The id of the dictionary for the compressed blocks; 0 if the blocks need no dictionary.
  std::uint32_t dictionary_id = 0;
};

/// One block of an entry.
struct BundleBlock {
  std::uint64_t offset_bytes = 0;  ///< The offset from the start of the bundle.
  std::uint32_t stored_bytes = 0;
  std::uint32_t plain_bytes = 0;
  BlockCoding coding = BlockCoding::stored;
  std::uint32_t dictionary_id = 0;
};

/// Reads a bundle in the caller's memory, for example a mapped file or a buffer. The bytes must
/// stay valid while the reader and its views are used. Allocates nothing. A copy takes little time.
/// Several threads may use a reader, each with its own `Decompressor`.
///
///     Result<BundleReader> bundle = BundleReader::open(bytes);
///     if (const auto entry = bundle.value().find(guid, kFlattenedPrefab)) {
///       Result<Bytes> prefab = bundle.value().read(*entry, decompressor, buffer);
class BundleReader {
 public:
  /// Checks the header and the tables. The time is linear in the size of the tables. Decompresses
  /// and hashes nothing. Fails with `truncated`, `unsupported_version`, `limit_exceeded` or
  /// `malformed`.
  static Result<BundleReader> open(Bytes bytes);
  /// Does the same as `open`, for bytes that other programs can change, for example in a mapped
  /// file. Copies the header and the tables into `tables` and uses only the copy. So the tables
  /// cannot change after the check. `tables` must be valid as long as the bytes, but may be moved.
  static Result<BundleReader> open_shared(Bytes bytes, ByteVector& tables);

  std::uint32_t entry_count() const { return entry_count_; }
  /// Requires: `index < entry_count()`.
  BundleEntry entry(std::uint32_t index) const;
  /// Finds an entry by a binary search in the table.
  std::optional<BundleEntry> find(const Guid& guid, std::int64_t local_id) const;
  /// Does the same as `find`, but returns the index, for callers that store data per entry.
  std::optional<std::uint32_t> find_index(const Guid& guid, std::int64_t local_id) const;

  /// Returns the plain bytes of an entry and compares them with their hash. The bytes are in
  /// `buffer`, which only grows, or in the bundle itself if no block is compressed. The view is
  /// valid while the buffer and the bundle exist. Fails with `malformed` or `hash_mismatch`, or
  /// with `not_found` if the decompressor does not have the entry's dictionary. Requires: `entry`
  /// is from this bundle.
  Result<Bytes> read(const BundleEntry& entry, Decompressor& decompressor,
                     ByteVector& buffer) const;

  /// True if no block of an entry is compressed, so that the bundle contains the plain bytes.
  bool is_all_stored(const BundleEntry& entry) const;
  /// The plain bytes of an entry in the bundle. The bytes are not compared with their hash.
  /// Requires: `is_all_stored(entry)`, and `entry` is from this bundle.
  Bytes stored(const BundleEntry& entry) const;

  /// Requires: `index < entry.block_count`, and `entry` is from this bundle.
  BundleBlock block(const BundleEntry& entry, std::uint32_t index) const;
  /// Decompresses one block into `plain`. Use this function to read a large entry in parts or on
  /// several threads. A single block has no hash, so its bytes are not verified. Requires:
  /// `plain.size() == block.plain_bytes`.
  Result<void> read_block(const BundleBlock& block, Decompressor& decompressor,
                          std::span<std::byte> plain) const;

  /// Checks the hash of the bundle and reads every entry. Fails with `hash_mismatch`, or with the
  /// codes of `read`.
  Result<void> verify(Decompressor& decompressor, ByteVector& buffer) const;

  /// The hash in the header. `verify` compares this hash with `compute_hash()`.
  ContentHash bundle_hash() const;
  /// Computes the hash of the tables and the blocks.
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
  Bytes tables_;  ///< The header and the tables; equal to `bytes_` if they are not copied.
  std::uint32_t entry_count_ = 0;
  std::uint32_t block_count_ = 0;
  std::uint32_t block_plain_bytes_ = 0;
};

}  // namespace muster
