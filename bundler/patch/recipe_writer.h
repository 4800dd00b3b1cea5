// Writes the program of a patch that makes new bundles from old bundles. `BundleRebuild` runs the
// program.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "bundler/patch/bundle_rebuild.h"
#include "bundler/patch/patch_layout.h"

namespace muster {

struct RecipeOptions {
  /// The level with which most blocks of the new build were packed.
  int level = kDefaultLevel;
  /// True if applying the patch must not compress any block, so that the patch works with every
  /// release of zstd.
  bool is_portable = false;
};

/// Finds content of a new bundle that is also in the bundles of the pool, and writes the program.
/// One thread may use this object at a time.
class RecipeWriter {
 public:
  /// `pool` and `dictionaries` must outlive this object.
  RecipeWriter(BundlePool& pool, PatchDictionaries& dictionaries, const RecipeOptions& options);

  /// Reads all bundles of the base. Fails if a bundle cannot be opened, with the code of that
  /// failure. Call this function before the first `add`.
  Result<void> learn_base();
  /// Appends the program that makes `file`, and adds the bundle to the pool. The program is
  /// verified: it makes exactly these bytes. Fails if `file` or a bundle of the pool cannot be
  /// opened, with the code of that failure.
  Result<void> add(const AssetPath& path, const CatalogBundle& bundle, Bytes file);

  Bytes program() const { return program_.view(); }
  Bytes data() const { return data_; }
  /// Whether the program compresses anything again.
  bool recompresses() const { return recompresses_; }

 private:
  /// The part of the streams for one bundle, before it is verified.
  struct Draft {
    ByteWriter program;
    ByteVector data;
    PoolEntry next;
    bool recompresses = false;
  };
  using EntryName = std::pair<Guid, std::int64_t>;

  void learn(std::size_t number, const BundleReader& reader);
  Result<void> write_entries(const AssetPath& path, const BundleReader& reader, Bytes file,
                             Draft& draft);
  Result<void> write_entry(const BundleReader& reader, const BundleEntry& entry, Bytes file,
                           std::size_t before, Draft& draft);
  Result<bool> try_copy(const BundleReader& reader, const BundleEntry& entry, Bytes file,
                        Draft& draft);
  Result<void> write_delta_or_verbatim(const BundleReader& reader, const BundleEntry& entry,
                                       Bytes file, const PoolEntry* source, Draft& draft);
  void begin_op(layout::patch::EntryOp op, const BundleEntry& entry, const PoolEntry* source,
                bool is_named, Draft& draft) const;
  int find_level(const BundleReader& reader, const BundleEntry& entry, Bytes plain, Bytes file);
  bool gives(const BundleReader& reader, const BundleEntry& entry, Bytes plain, Bytes file,
             int level, std::uint32_t block_count);
  Result<void> write_whole(const AssetPath& path, Bytes file, Draft& draft);
  Result<bool> is_sound(const Draft& draft, Bytes file);

  BundlePool* pool_;
  PatchDictionaries* dictionaries_;
  RecipeOptions options_;
  BundleRebuild rebuild_;
  std::map<std::pair<ContentHash, std::uint64_t>, std::vector<PoolEntry>> by_content_;
  std::map<EntryName, std::vector<PoolEntry>> by_name_;
  ByteWriter program_;
  ByteVector data_;
  PoolEntry next_{};
  bool recompresses_ = false;
  int last_level_;
  int futile_searches_ = 0;
  Compressor compressor_;
  Decompressor decompressor_;
  DeltaEncoder deltas_;
  ByteVector plain_;
  ByteVector source_plain_;
  ByteVector frame_;
};

}  // namespace muster
