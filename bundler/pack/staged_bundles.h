// What a build has packed so far, to be used again.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bundler/pack/output_folder.h"
#include "runtime/bundle/bundle_reader.h"

namespace muster {

/// A block as it lies in a bundle that was staged, or that an earlier build has left.
struct StagedBlock {
  std::size_t bundle = 0;   ///< Number of the bundle, in the order of staging.
  bool is_earlier = false;  ///< Nobody vouches for it: what it holds is to be compared.
  std::uint64_t offset_bytes = 0;
  std::uint32_t stored_bytes = 0;
  BlockCoding coding = BlockCoding::stored;
};

/// What an entry's blocks follow from, besides the size of blocks. A level and a dictionary that
/// somebody else may have used are asked of him.
struct PackedContent {
  ContentHash plain_hash;
  std::uint64_t plain_bytes = 0;
  int level = 0;
  std::uint32_t dictionary_id = 0;  ///< That it was offered; stored blocks need none.
  friend auto operator<=>(const PackedContent&, const PackedContent&) = default;
};

/// How an entry of a bundle was packed.
struct PackedHow {
  int level = 0;
  std::uint32_t dictionary_id = 0;
};
/// Nothing where that cannot be told.
using HowPacked = std::function<std::optional<PackedHow>(const BundleEntry&)>;

/// The bundles that one build has staged, found by what is in them: an asset that client and server
/// both need, or that many self-contained bundles hold, is compressed once. Remembers where blocks
/// are, not the blocks: their bytes are read back from the staging folder. Safe to use from several
/// threads. All bundles must be packed with the same block size.
class StagedBundles {
 public:
  /// Entries with fewer bytes are not remembered: compressing them is as quick as reading them.
  static constexpr std::uint64_t kMinPlainBytes = 16384;

  /// Requires: `output` lives longer, and nobody else stages into it.
  explicit StagedBundles(OutputFolder& output) : output_(output) {}

  /// Writes a file of the output, and remembers nothing of it.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Writes a bundle and remembers its entries. Requires: `bundle` is open on `bytes`.
  Result<void> stage_bundle(const AssetPath& path, const BundleReader& bundle, Bytes bytes,
                            const HowPacked& how_packed);

  /// Reads a staged file. `buffer` as in `FileSystem::read`.
  Result<Bytes> read_staged(const AssetPath& path, ByteVector& buffer) const;

  /// Whether a staged file is a bundle of this size and hash, whole. Another process may have
  /// published into the output that it was copied from.
  bool holds_bundle(const AssetPath& path, std::uint64_t file_bytes, const ContentHash& hash) const;

  /// Makes files of an earlier output some of this one, see `OutputFolder::carry_over`.
  Result<void> carry_over(const FileReader& from, const AssetPath& old_folder,
                          const AssetPath& folder, std::span<const std::string> names);
  /// Remembers the entries of a bundle that an earlier build has left; a bundle that cannot be read
  /// has none. Compressed blocks whose dictionary is another than they would get now are not
  /// remembered, nor are entries without any compressed block, or of which nobody can tell how they
  /// were packed. Requires: called before anything is packed, and `files` lives longer.
  void remember_earlier(const FileReader& files, const AssetPath& path,
                        const HowPacked& how_packed);
  bool remembers_earlier() const { return !earlier_.empty(); }
  /// How many blocks of earlier builds were used again.
  std::size_t reused_blocks() const { return reused_blocks_; }

  /// The blocks of an entry with this content, valid as long as this object; none when no bundle
  /// holds such an entry.
  std::span<const StagedBlock> find(const PackedContent& content) const;
  /// Reads a block's stored bytes into `buffer`. Fails as the disk fails.
  Result<Bytes> read(const StagedBlock& block, ByteVector& buffer) const;

 private:
  OutputFolder& output_;
  mutable std::mutex mutex_;  // for all that follows, and for the output
  std::vector<AssetPath> bundles_;
  struct Earlier {
    const FileReader* files = nullptr;
    AssetPath path;
  };
  std::vector<Earlier> earlier_;
  mutable std::atomic<std::size_t> reused_blocks_ = 0;
  void remember(std::size_t number, bool is_earlier, const BundleReader& bundle,
                const BundleEntry& entry, const PackedHow& how);

  std::map<PackedContent, std::vector<StagedBlock>> entries_;
};

}  // namespace muster
