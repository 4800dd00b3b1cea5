// The blocks that a build has packed so far, for reuse.
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

/// A block of a bundle that was staged, or that an earlier build left.
struct StagedBlock {
  std::size_t bundle = 0;   ///< Index of the bundle, in the order of staging.
  bool is_earlier = false;  ///< Unverified: its content must be compared.
  std::uint64_t offset_bytes = 0;
  std::uint32_t stored_bytes = 0;
  BlockCoding coding = BlockCoding::stored;
};

/// The properties that determine an entry's blocks, besides the block size. For an earlier build,
/// level and dictionary are requested from `HowPacked`.
struct PackedContent {
  ContentHash plain_hash;
  std::uint64_t plain_bytes = 0;
  int level = 0;
  std::uint32_t dictionary_id = 0;  ///< The available dictionary; stored blocks need none.
  friend auto operator<=>(const PackedContent&, const PackedContent&) = default;
};

/// How an entry of a bundle was packed.
struct PackedHow {
  int level = 0;
  std::uint32_t dictionary_id = 0;
};
/// Nothing if it is unknown.
using HowPacked = std::function<std::optional<PackedHow>(const BundleEntry&)>;

/// The bundles that one build has staged, indexed by content: an asset in both client and server,
/// or in many self-contained bundles, is compressed once. Keeps the locations of blocks, not their
/// bytes, which are read back from the staging folder. Safe to use from several threads. All
/// bundles must be packed with the same block size.
class StagedBundles {
 public:
  /// Smaller entries are not indexed: compressing them is as fast as reading them.
  static constexpr std::uint64_t kMinPlainBytes = 16384;

  /// Requires: `output` outlives this object, and is staged into only through it.
  explicit StagedBundles(OutputFolder& output) : output_(output) {}

  /// Writes a file of the output without indexing it.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Writes a bundle and indexes its entries. Requires: `bundle` is open on `bytes`.
  Result<void> stage_bundle(const AssetPath& path, const BundleReader& bundle, Bytes bytes,
                            const HowPacked& how_packed);

  /// Reads a staged file. `buffer` as in `FileSystem::read`.
  Result<Bytes> read_staged(const AssetPath& path, ByteVector& buffer) const;

  /// Whether a staged file is an intact bundle with this size and hash. Another process may have
  /// published into the output from which it was copied.
  bool holds_bundle(const AssetPath& path, std::uint64_t file_bytes, const ContentHash& hash) const;

  /// Adds files of an earlier output to this one, see `OutputFolder::carry_over`.
  Result<void> carry_over(const FileReader& from, const AssetPath& old_folder,
                          const AssetPath& folder, std::span<const std::string> names);
  /// Indexes the entries of an earlier build's bundle; an unreadable bundle has none. Skips
  /// compressed blocks with a dictionary other than the current one, entries without any compressed
  /// block, and entries whose packing is unknown. Requires: called before packing begins, and
  /// `files` outlives this object.
  void remember_earlier(const FileReader& files, const AssetPath& path,
                        const HowPacked& how_packed);
  bool remembers_earlier() const { return !earlier_.empty(); }
  /// The number of reused blocks of earlier builds.
  std::size_t reused_blocks() const { return reused_blocks_; }

  /// The blocks of an entry with this content, valid as long as this object; empty if no bundle has
  /// such an entry.
  std::span<const StagedBlock> find(const PackedContent& content) const;
  /// Reads a block's stored bytes into `buffer`. Fails with disk errors.
  Result<Bytes> read(const StagedBlock& block, ByteVector& buffer) const;

 private:
  OutputFolder& output_;
  mutable std::mutex mutex_;  // guards all following members, and the output
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
