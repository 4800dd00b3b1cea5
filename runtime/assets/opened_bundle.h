// One bundle in memory, verified: what a store holds, and what background loading hands over.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "registry/vocabulary/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"
#include "runtime/bundle/bundle_reader.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// An entry's plain bytes: in memory of their own, or in the file when they are stored there.
struct PlainEntry {
  PooledMemory memory;
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
  bool is_read = false;
};

/// An open file of a bundle and those of its entries that have been read. Move-only; moving keeps
/// every view.
struct OpenedBundle {
  std::unique_ptr<HeldFile> file;
  BundleReader reader;
  std::vector<PlainEntry> plain;  ///< By index of the entry.

  /// Of the file and of the entries that have been read out of it.
  std::uint64_t memory_bytes() const;
};

/// Opens a bundle of a catalog and compares it, byte for byte, with the hash that the catalog has.
/// Fails with `not_found`, as the source does, or with what is wrong with the bytes; the message
/// names the bundle. Safe from several threads at once.
Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle);

/// Decompresses an entry and compares its hash; nothing happens when it has been read. Takes memory
/// from the pool.
Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory);

/// `bundles/<guid>.mbundle (Prefabs/Hero.prefab)`: what a message calls a bundle.
std::string describe_bundle(const CatalogReader& catalog, std::uint32_t bundle);

}  // namespace muster
