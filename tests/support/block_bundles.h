// Builds whose bundles each contain one large entry of many blocks. Blocks can be damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bundler/pack/bundle_writer.h"
#include "bundler/pack/catalog_writer.h"
#include "runtime/assets/bundle_store.h"
#include "runtime/assets/memory_source.h"
#include "tests/support/bundle_samples.h"

namespace muster::samples {

inline constexpr std::uint32_t kSmallBlockBytes = layout::bundle::kMinBlockPlainBytes;

struct BlockBundle {
  std::size_t plain_bytes = 0;
  std::vector<std::uint32_t> damaged_blocks{};
  bool has_wrong_hash = false;  ///< True if the bundle's table contains a wrong hash of the entry.
};

/// Returns the bytes of the n-th bundle of `block_bundles`. Only some blocks are compressible.
inline ByteVector block_bundle_bytes(std::size_t index, std::size_t plain_bytes) {
  ByteVector plain;
  plain.reserve(plain_bytes);
  for (std::uint64_t seed = index; plain.size() < plain_bytes; ++seed) {
    const std::size_t size = std::min<std::size_t>(kSmallBlockBytes, plain_bytes - plain.size());
    const ByteVector block = seed % 3 == 0 ? noise(size, seed) : compressible(size, seed);
    plain.insert(plain.end(), block.begin(), block.end());
  }
  return plain;
}

/// Returns the index of the n-th bundle of `block_bundles` in its catalog.
inline std::uint32_t block_bundle_of(const CatalogReader& catalog, std::size_t index) {
  return catalog.bundle_of(guid(1 + index)).value();
}

/// Damages a block and corrects the file's hash, so that only reading the block detects it.
inline void damage_block(ByteVector& bundle, std::uint32_t index) {
  const BundleReader reader = BundleReader::open(bundle).value();
  const BundleBlock block = reader.block(reader.entry(0), index);
  bundle.at(block.offset_bytes) ^= std::byte{1};
  fix_hash(bundle);
}

/// Forwards to another source, and reports its files as shared.
class ChangeableSource final : public BundleSource {
 public:
  explicit ChangeableSource(const BundleSource& inner) : inner_(inner) {}

  Result<std::unique_ptr<BundleFile>> open(std::string_view path,
                                           std::uint64_t max_bytes) const override {
    auto file = inner_.open(path, max_bytes);
    if (!file) return file;
    return std::make_unique<File>(std::move(file).value());
  }
  std::string name() const override { return inner_.name(); }

 private:
  class File final : public BundleFile {
   public:
    explicit File(std::unique_ptr<BundleFile> inner) : inner_(std::move(inner)) {}
    Bytes bytes() const override { return inner_->bytes(); }
    bool is_shared() const override { return true; }

   private:
    std::unique_ptr<BundleFile> inner_;
  };
  const BundleSource& inner_;
};

/// A catalog and bundles with one raw entry each.
inline MemorySource block_bundles(const std::vector<BlockBundle>& wanted) {
  MemorySource source;
  CatalogData data;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Guid asset = guid(1 + i);
    const ByteVector plain = block_bundle_bytes(i, wanted[i].plain_bytes);
    const std::vector<PackEntry> entries = {{asset, kMainPayload, EntryKind::raw, plain}};
    ByteVector bytes =
        pack_bundle(entries, {.level = 1, .block_plain_bytes = kSmallBlockBytes}).value();
    for (const std::uint32_t block : wanted[i].damaged_blocks) damage_block(bytes, block);
    if (wanted[i].has_wrong_hash) {
      bytes.at(layout::bundle::header::kBytes + layout::bundle::entry::kPlainHashAt) ^=
          std::byte{1};
      fix_hash(bytes);
    }
    const BundleName name = BundleName::of_prefab(asset);
    data.bundles.push_back(
        {name, BundleReader::open(bytes).value().bundle_hash(), bytes.size(), {}});
    data.assets.push_back({asset, std::to_string(i) + ".bytes", name});
    source.put(name.path(), std::move(bytes));
  }
  source.put(std::string(kCatalogFile), encode_catalog(data).value());
  return source;
}

}  // namespace muster::samples
