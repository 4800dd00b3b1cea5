// Entries to a bundle. The format is runtime/bundle/BUNDLE_FORMAT.md, section 1.
#pragma once

#include <span>

#include "bundler/pack/compressor.h"
#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/guid.h"
#include "registry/vocabulary/result.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// What goes into a bundle. Views its plain bytes.
struct PackEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  Bytes plain{};
};

struct PackOptions {
  int level = kDefaultLevel;
  /// A power of two within the format's bounds.
  std::uint32_t block_plain_bytes = layout::bundle::kDefaultBlockPlainBytes;
};

/// Packs entries, given in any order, into the bytes of a bundle. Equal entries and options give
/// equal bytes. Fails with `already_exists` when two entries share (guid, local id), with
/// `limit_exceeded` when a bound of the format is reached, with `invalid_argument` for options out
/// of range.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options,
                               Compressor& compressor);

/// The same, with a compressor of its own.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options = {});

}  // namespace muster
