// One verified bundle in memory, for a store and for background loading.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "registry/base/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"
#include "runtime/assets/shared_blocks.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// An entry's plain bytes, in their own memory or in place in the file. In a shared file, only raw
/// entries are used in place. Other entries contain offsets, which could change after they were
/// checked.
struct PlainEntry {
  Guid guid;  ///< From the table; kept here with the entry's data.
  std::int64_t local_id = kMainPayload;
  PooledMemory memory;
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
  bool is_in_place = false;  ///< Its bytes in the file are used.
  bool is_read = false;
  bool is_in_shared_file = false;
};

/// An open file of a bundle and its read entries. Move-only; moving keeps every view valid.
struct OpenedBundle {
  std::unique_ptr<HeldFile> file;
  ByteVector tables;  ///< The reader's, if others can change the file.
  BundleReader reader;
  std::vector<PlainEntry> plain;   ///< By index of the entry.
  std::uint64_t copied_bytes = 0;  ///< The size of entries that are not used in place.

  /// The memory of the file and of the read entries.
  std::uint64_t memory_bytes() const;
  /// The memory that is used when all entries are read. It is known before they are read. Reused
  /// buffers may be up to twice as large.
  std::uint64_t whole_memory_bytes() const {
    // The reader has checked the sum: it does not wrap.
    return file->bytes().size() + tables.size() + copied_bytes;
  }
  /// The index of an entry, like `BundleReader::find_index`, without reading the tables.
  std::optional<std::uint32_t> find_index(const Guid& guid, std::int64_t local_id) const;
  /// True if a read entry has lost bytes since it was read.
  bool is_lost(const PlainEntry& entry) const {
    return entry.is_in_shared_file && file->is_damaged();
  }
};

/// Opens a bundle of a catalog and compares all its bytes with the hash in the catalog. Fails with
/// `not_found`, like the source, for invalid bytes, or with `io` if bytes were lost meanwhile; the
/// message contains the bundle. Several threads may call it.
Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle);
/// The first half of the work: opens the bundle's file.
Result<std::unique_ptr<HeldFile>> open_file(const BundleSource& source,
                                            const CatalogReader& catalog, std::uint32_t bundle);
/// `open_files` opens many files, which are requested from the source together. `verify_opened` is
/// the second half of the work.
std::vector<Result<std::unique_ptr<HeldFile>>> open_files(const BundleSource& source,
                                                          const CatalogReader& catalog,
                                                          std::span<const std::uint32_t> bundles);
Result<OpenedBundle> verify_opened(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle, Result<std::unique_ptr<HeldFile>> file);

/// Decompresses an entry, and compares its hash if the file can have changed since it was opened;
/// does nothing if it was read. Uses memory of the pool. Fails with `hash_mismatch`, `malformed`,
/// `limit_exceeded` if there is no memory, or `io` if the file lost bytes. `shared` may let other
/// threads help with a large one; null means none.
Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory, SharedBlocks* shared = nullptr);

/// The error of an asset that no bundle contains: `not_found`, with the reason if known, and the
/// remedy. Requires: no bundle contains it (`CatalogReader::bundle_of`).
Error why_not_packed(const CatalogReader& catalog, const Guid& asset);

/// The name of a bundle in messages: `bundles/<guid>.mbundle (Prefabs/Hero.prefab)`.
std::string describe_bundle(const CatalogReader& catalog, std::uint32_t bundle);

}  // namespace muster
