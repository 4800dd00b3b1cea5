// A bundle out of blocks that are compressed already. The format is
// runtime/bundle/BUNDLE_FORMAT.md, section 1.
#pragma once

#include <cstdint>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// What an entry is called and holds.
struct AssembledEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  std::uint64_t plain_bytes = 0;
  ContentHash plain_hash{};
  std::uint32_t dictionary_id = 0;
};

/// Puts a bundle together: an entry, its blocks, the next entry. Checks nothing: whoever uses the
/// bundle opens it, and compares its hash.
class BundleAssembly {
 public:
  void add_entry(const AssembledEntry& entry);
  void add_block(Bytes stored, BlockCoding coding);
  /// What the file has so far, its header included.
  std::uint64_t file_bytes() const;
  /// The file. Nothing may be added after it.
  ByteVector finish(std::uint32_t block_plain_bytes);

 private:
  ByteWriter entries_;
  ByteWriter blocks_;  ///< Offsets count from the start of the data until the end.
  ByteVector data_;
  std::uint32_t entry_count_ = 0;
  std::uint32_t block_count_ = 0;
  std::uint64_t plain_bytes_ = 0;
};

}  // namespace muster
