// Packs entries into a bundle. runtime/bundle/BUNDLE_FORMAT.md, section 1, defines the format.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>

#include "bundler/pack/compressor.h"
#include "bundler/pack/staged_bundles.h"
#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// An entry to pack. `plain` is a view of its bytes.
struct PackEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  Bytes plain{};
  /// The compression level; 0 stores the entry unchanged, and no value means the level of the
  /// options.
  std::optional<int> level{};
  /// A dictionary for the entry's level; null for no dictionary. The dictionary is not used for
  /// entries with more than one block.
  const CompressionDictionary* dictionary = nullptr;
};

struct PackOptions {
  int level = kDefaultLevel;
  /// A power of two within the format's limits.
  std::uint32_t block_plain_bytes = layout::bundle::kDefaultBlockPlainBytes;
};

/// The threads that pack: one per compressor. Requires: there is at least one compressor.
struct PackWorkers {
  std::span<Compressor> compressors;
  std::stop_token stop{};
  /// Earlier bundles with the same block size, or null. If an earlier bundle has an equal entry
  /// that was packed with the same settings, the entry is copied.
  const StagedBundles* staged = nullptr;
  /// The dictionaries of the entries, for reading earlier bundles.
  std::shared_ptr<const DictionarySet> dictionaries{};
};

/// Packs entries into the bytes of a bundle. The entries may be in any order. Equal entries and
/// options give equal bytes, for any number of workers. Needs memory for the bundle and a few
/// blocks per worker. Fails with `already_exists` if two entries have the same (guid, local id),
/// with `limit_exceeded` if the bundle would exceed a limit of the format, with `invalid_argument`
/// if an option is out of range, and with `cancelled` after a stop request. If an earlier bundle
/// cannot be read, fails with the code of that failure.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options,
                               const PackWorkers& workers);

/// Packs entries on this thread, with a temporary compressor.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options = {});

}  // namespace muster
