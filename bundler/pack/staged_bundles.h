// Finds blocks that a build has already packed, so that they are reused.
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

/// A block of a staged bundle, or of a bundle of an earlier build.
struct StagedBlock {
  /// The index of the bundle, in the order in which the bundles were added.
  std::size_t bundle = 0;
  bool is_earlier = false;  ///< True for a block of an earlier build. Such a block is not verified,
                            ///< so its content must be compared.
  std::uint64_t offset_bytes = 0;
  std::uint32_t stored_bytes = 0;
  BlockCoding coding = BlockCoding::stored;
};

/// The properties that determine the blocks of an entry, except the block size. For an entry of an
/// earlier build, `HowPacked` returns the level and the dictionary.
struct PackedContent {
  ContentHash plain_hash;
  std::uint64_t plain_bytes = 0;
  int level = 0;
  /// The dictionary that was available for the entry. Stored blocks do not use the dictionary.
  std::uint32_t dictionary_id = 0;
  friend auto operator<=>(const PackedContent&, const PackedContent&) = default;
};

/// How an entry of a bundle was packed.
struct PackedHow {
  int level = 0;
  std::uint32_t dictionary_id = 0;
};
/// Returns how an entry was packed; no value if it is unknown.
using HowPacked = std::function<std::optional<PackedHow>(const BundleEntry&)>;

/// The bundles that a build has staged, indexed by content. With this index, an asset that is in
/// both client and server, or in many self-contained bundles, is compressed once. The index has
/// only the locations of blocks; the bytes of blocks are read from the staging folder. Several
/// threads may use this object. All bundles must have the same block size.
class StagedBundles {
 public:
  /// The minimum plain size of an indexed entry, in bytes. Compressing a smaller entry is as fast
  /// as reading it.
  static constexpr std::uint64_t kMinPlainBytes = 16384;

  /// `output` must outlive this object. Requires: all files are staged through this object.
  explicit StagedBundles(OutputFolder& output) : output_(output) {}

  /// Writes a file of the output without indexing it.
  Result<void> stage(const AssetPath& path, Bytes bytes);
  /// Writes a bundle and indexes its entries. Requires: `bundle` is open on `bytes`.
  Result<void> stage_bundle(const AssetPath& path, const BundleReader& bundle, Bytes bytes,
                            const HowPacked& how_packed);

  /// Reads a staged file. `buffer` is used as in `FileSystem::read`.
  Result<Bytes> read_staged(const AssetPath& path, ByteVector& buffer) const;

  /// Whether a staged file is an undamaged bundle with this size and hash. A copied bundle must be
  /// checked, because another process may have replaced it in the output from which it was copied.
  bool holds_bundle(const AssetPath& path, std::uint64_t file_bytes, const ContentHash& hash) const;

  /// Adds files of an earlier output to this output. See `OutputFolder::carry_over`.
  Result<void> carry_over(const FileReader& from, const AssetPath& old_folder,
                          const AssetPath& folder, std::span<const std::string> names);
  /// Indexes the entries of a bundle of an earlier build. Ignores an unreadable bundle. Skips
  /// compressed blocks that use another dictionary than the current one. Also skips entries without
  /// any compressed block, and entries for which it is unknown how they were packed. `files` must
  /// outlive this object. Requires: packing has not begun.
  void remember_earlier(const FileReader& files, const AssetPath& path,
                        const HowPacked& how_packed);
  bool remembers_earlier() const { return !earlier_.empty(); }
  /// The number of reused blocks of earlier builds.
  std::size_t reused_blocks() const { return reused_blocks_; }

  /// The blocks of an entry with this content; empty if no bundle has such an entry. The result is
  /// valid as long as this object exists.
  std::span<const StagedBlock> find(const PackedContent& content) const;
  /// Reads a block's stored bytes into `buffer`. Fails if the block cannot be read, with the code
  /// of that failure.
  Result<Bytes> read(const StagedBlock& block, ByteVector& buffer) const;

 private:
  OutputFolder& output_;
  mutable std::mutex mutex_;  // Protects all following members and the output.
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
