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

/// The plain bytes of an entry. They are copied to `memory`, or are used in place in the file. In a
/// shared file, only raw entries are used in place. Objects and prefabs contain offsets, and
/// another program could change an offset after it was checked.
struct PlainEntry {
  Guid guid;
  std::int64_t local_id = kMainPayload;
  PooledMemory memory;
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
  bool is_in_place = false;  ///< True if `bytes` is in the file.
  bool is_read = false;
  bool is_in_shared_file = false;
};

/// The open file of a bundle, and the entries that were read. Move-only; moving keeps every view
/// valid.
struct OpenedBundle {
  std::unique_ptr<BundleFile> file;
  ByteVector tables;  ///< The tables that `reader` uses, copied if other programs can change the
                      ///< file; otherwise empty.
  BundleReader reader;
  std::vector<PlainEntry> plain;   ///< The entries, by index.
  std::uint64_t copied_bytes = 0;  ///< The total size of the entries that are not used in place.

  /// The memory of the file and of the read entries, in bytes.
  std::uint64_t memory_bytes() const;
  /// The memory in bytes that the bundle uses when all entries are read. The value is known before
  /// any entry is read. The real memory can be larger, because a reused buffer can have up to twice
  /// the needed size.
  std::uint64_t whole_memory_bytes() const {
    // The reader has checked the sum: it does not wrap.
    return file->bytes().size() + tables.size() + copied_bytes;
  }
  /// Returns the same index as `BundleReader::find_index`, but does not read the tables.
  std::optional<std::uint32_t> find_index(const Guid& guid, std::int64_t local_id) const;
  /// True if the bytes of `entry` are damaged because the file became shorter after reading.
  bool is_lost(const PlainEntry& entry) const {
    return entry.is_in_shared_file && file->is_damaged();
  }
};

/// Opens a bundle of a catalog and compares all its bytes with the hash in the catalog. Fails with
/// `not_found` if the file is missing, and with `io` if the file loses bytes during the call. If
/// the file cannot be opened, fails with the code of the source's error. Also fails if the bytes
/// are invalid. The message names the bundle. Several threads may call this function.
Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle);
/// The first half of `open_verified`: opens the bundle's file.
Result<std::unique_ptr<BundleFile>> open_file(const BundleSource& source,
                                              const CatalogReader& catalog, std::uint32_t bundle);
/// `open_files` does the same as `open_file` for many bundles, and requests their files from the
/// source together. `verify_opened` is the second half of `open_verified`.
std::vector<Result<std::unique_ptr<BundleFile>>> open_files(const BundleSource& source,
                                                            const CatalogReader& catalog,
                                                            std::span<const std::uint32_t> bundles);
Result<OpenedBundle> verify_opened(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle, Result<std::unique_ptr<BundleFile>> file);

/// Decompresses an entry. Does nothing if the entry was already read. Also compares the entry's
/// hash if the file can have changed since it was opened. The memory comes from the pool. Fails
/// with `hash_mismatch` or `malformed` for damaged bytes, with `limit_exceeded` if there is not
/// enough memory, or with `io` if the file lost bytes. If `shared` is not null, other threads can
/// help with a large entry.
Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory, SharedBlocks* shared = nullptr);

/// The error for an asset that no bundle contains. The code is `not_found`, and the message has the
/// remedy and, if known, the reason. Requires: no bundle contains the asset
/// (`CatalogReader::bundle_of`).
Error why_not_packed(const CatalogReader& catalog, const Guid& asset);

/// The name that messages use for a bundle, for example `bundles/<guid>.mbundle
/// (Prefabs/Hero.prefab)`.
std::string describe_bundle(const CatalogReader& catalog, std::uint32_t bundle);

}  // namespace muster
