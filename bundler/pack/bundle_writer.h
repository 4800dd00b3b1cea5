// Entries to a bundle. The format is runtime/bundle/BUNDLE_FORMAT.md, section 1.
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

/// What goes into a bundle. Views its plain bytes.
struct PackEntry {
  Guid guid{};
  std::int64_t local_id = kMainPayload;
  EntryKind kind = EntryKind::raw;
  Bytes plain{};
  /// 0 stores it as it is; nothing means the options' level.
  std::optional<int> level{};
  /// Of the entry's level; null for none. Not used for what takes more than one block.
  const CompressionDictionary* dictionary = nullptr;
};

struct PackOptions {
  int level = kDefaultLevel;
  /// A power of two within the format's bounds.
  std::uint32_t block_plain_bytes = layout::bundle::kDefaultBlockPlainBytes;
};

/// Who packs: one thread per compressor, until told to stop. Requires: at least one.
struct PackWorkers {
  std::span<Compressor> compressors;
  std::stop_token stop{};
  /// What was packed before, with the same block size, or null: equal entries that were packed
  /// alike are copied from there.
  const StagedBundles* staged = nullptr;
  /// Those of the entries, for looking into what an earlier build packed.
  std::shared_ptr<const DictionarySet> dictionaries{};
};

/// Packs entries, given in any order, into the bytes of a bundle. Equal entries and options give
/// equal bytes, whatever the workers. Needs room for the bundle and a few blocks per worker. Fails
/// with `already_exists` when two entries share (guid, local id), with `limit_exceeded` when a
/// bound of the format is reached, with `invalid_argument` for options out of range, with
/// `cancelled` when it was told to stop, or as reading what was packed before fails.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options,
                               const PackWorkers& workers);

/// The same on this thread, with a compressor of its own.
Result<ByteVector> pack_bundle(std::span<const PackEntry> entries, const PackOptions& options = {});

}  // namespace muster
