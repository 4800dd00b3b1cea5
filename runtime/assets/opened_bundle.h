// One bundle in memory, verified: what a store holds, and what background loading hands over.
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

/// An entry's plain bytes: in memory of their own, or in the file when they are stored there. Of a
/// file that others can change, only raw entries are used in place: to follow an offset that
/// changed after it was checked would lead anywhere.
struct PlainEntry {
  Guid guid;  ///< What the table calls it, here beside what is read of it anyway.
  std::int64_t local_id = kMainPayload;
  PooledMemory memory;
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
  bool is_in_place = false;  ///< It is used where it lies in the file.
  bool is_read = false;
  bool is_in_shared_file = false;
};

/// An open file of a bundle and those of its entries that have been read. Move-only; moving keeps
/// every view.
struct OpenedBundle {
  std::unique_ptr<HeldFile> file;
  ByteVector tables;  ///< The reader's, when others can change the file.
  BundleReader reader;
  std::vector<PlainEntry> plain;   ///< By index of the entry.
  std::uint64_t copied_bytes = 0;  ///< Of all entries that are not used in place.

  /// Of the file and of the entries that have been read out of it.
  std::uint64_t memory_bytes() const;
  /// What that will be once all entries have been read: known before any of them is. Buffers that
  /// served before may be up to twice as large.
  std::uint64_t whole_memory_bytes() const {
    // The reader has checked the sum: it does not wrap around.
    return file->bytes().size() + tables.size() + copied_bytes;
  }
  /// The index of an entry, as `BundleReader::find_index`, without a look at the tables.
  std::optional<std::uint32_t> find_index(const Guid& guid, std::int64_t local_id) const;
  /// Whether an entry that has been read lost bytes since.
  bool is_lost(const PlainEntry& entry) const {
    return entry.is_in_shared_file && file->is_damaged();
  }
};

/// Opens a bundle of a catalog and compares it, byte for byte, with the hash that the catalog has.
/// Fails with `not_found`, as the source does, with what is wrong with the bytes, or with `io` when
/// they were lost meanwhile; the message names the bundle. Safe from several threads at once.
Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle);
/// The first half of the work: the bundle's file, as the source opens it.
Result<std::unique_ptr<HeldFile>> open_file(const BundleSource& source,
                                            const CatalogReader& catalog, std::uint32_t bundle);
/// The same for many, which the source is asked for at once, and the second half of the work.
std::vector<Result<std::unique_ptr<HeldFile>>> open_files(const BundleSource& source,
                                                          const CatalogReader& catalog,
                                                          std::span<const std::uint32_t> bundles);
Result<OpenedBundle> verify_opened(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle, Result<std::unique_ptr<HeldFile>> file);

/// Decompresses an entry, and compares its hash where the file can have changed since it was
/// opened; nothing happens when it has been read. Takes memory from the pool. Fails with
/// `hash_mismatch`, `malformed`, `limit_exceeded` when there is no memory, or `io` when the file
/// lost bytes. `shared`: who may help with a large one; null for nobody.
Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory, SharedBlocks* shared = nullptr);

/// Why an asset is in no bundle: `not_found`, with what is known of it and what to do. Requires: it
/// is in none (`CatalogReader::bundle_of`).
Error why_not_packed(const CatalogReader& catalog, const Guid& asset);

/// `bundles/<guid>.mbundle (Prefabs/Hero.prefab)`: what a message calls a bundle.
std::string describe_bundle(const CatalogReader& catalog, std::uint32_t bundle);

}  // namespace muster
