// Assembles a bundle from blocks that are already compressed. The format is
// runtime/bundle/BUNDLE_FORMAT.md, section 1.
#pragma once

#include <cstdint>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// The name and content of an entry.
struct AssembledEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  std::uint64_t plain_bytes = 0;
  ContentHash plain_hash{};
  std::uint32_t dictionary_id = 0;
};

/// Assembles a bundle. Add an entry, then its blocks, then the next entry. This class checks
/// nothing, so the caller must open the finished bundle and compare its hash.
class BundleAssembly {
 public:
  void add_entry(const AssembledEntry& entry);
  void add_block(Bytes stored, BlockCoding coding);
  /// The current size of the file, including its header.
  std::uint64_t file_bytes() const;
  /// Returns the bytes of the file. Nothing may be added after this call.
  ByteVector finish(std::uint32_t block_plain_bytes);

 private:
  ByteWriter entries_;
  /// The blocks. Until `finish`, the offsets of blocks count from the start of `data_`.
  ByteWriter blocks_;
  ByteVector data_;
  std::uint32_t entry_count_ = 0;
  std::uint32_t block_count_ = 0;
  std::uint64_t plain_bytes_ = 0;
};

}  // namespace muster
