#include "bundler/pack/staged_bundles.h"

#include <cassert>
#include <limits>
#include <utility>

namespace muster {

Result<void> StagedBundles::stage(const AssetPath& path, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  return output_.stage(path, bytes);
}

void StagedBundles::remember(std::size_t number, bool is_earlier, const BundleReader& bundle,
                             const BundleEntry& entry, const PackedHow& how) {
  // The level of an entry without compressed blocks is not known. For example, the entry may be
  // stored because its file was already compressed. After a rename of the file, the entry may have
  // to be compressed.
  bool is_all_stored = true;
  for (std::uint32_t b = 0; b < entry.block_count; ++b) {
    is_all_stored = is_all_stored && bundle.block(entry, b).coding == BlockCoding::stored;
  }
  if (is_all_stored) return;
  const PackedContent content{entry.plain_hash, entry.plain_bytes, how.level, how.dictionary_id};
  const auto [it, is_new] = entries_.try_emplace(content, std::vector<StagedBlock>());
  for (std::uint32_t b = 0; is_new && b < entry.block_count; ++b) {
    const BundleBlock block = bundle.block(entry, b);
    it->second.push_back(
        {number, is_earlier, block.offset_bytes, block.stored_bytes, block.coding});
  }
}

Result<void> StagedBundles::stage_bundle(const AssetPath& path, const BundleReader& bundle,
                                         Bytes bytes, const HowPacked& how_packed) {
  const std::lock_guard lock(mutex_);
  if (auto staged = output_.stage(path, bytes); !staged) return staged;
  const std::size_t number = bundles_.size();
  bundles_.push_back(path);
  for (std::uint32_t i = 0; i < bundle.entry_count(); ++i) {
    const BundleEntry entry = bundle.entry(i);
    if (entry.plain_bytes < kMinPlainBytes) continue;
    if (const auto how = how_packed(entry)) remember(number, false, bundle, entry, *how);
  }
  return {};
}

Result<void> StagedBundles::carry_over(const FileReader& from, const AssetPath& old_folder,
                                       const AssetPath& folder,
                                       std::span<const std::string> names) {
  const std::lock_guard lock(mutex_);
  return output_.carry_over(from, old_folder, folder, names);
}

bool StagedBundles::holds_bundle(const AssetPath& path, std::uint64_t file_bytes,
                                 const ContentHash& hash) const {
  ByteVector buffer;
  const auto bytes = read_staged(path, buffer);
  if (!bytes || bytes.value().size() != file_bytes) return false;
  const auto reader = BundleReader::open(bytes.value());
  return reader && reader.value().bundle_hash() == hash && reader.value().compute_hash() == hash;
}

Result<Bytes> StagedBundles::read_staged(const AssetPath& path, ByteVector& buffer) const {
  const std::lock_guard lock(mutex_);
  return output_.read_staged(path, 0, std::numeric_limits<std::uint64_t>::max(), buffer);
}

void StagedBundles::remember_earlier(const FileReader& files, const AssetPath& path,
                                     const HowPacked& how_packed) {
  constexpr std::uint64_t kFileBytesMax = 8ULL * 1024 * 1024 * 1024;
  ByteVector buffer;
  const auto bytes = read_whole(files, path, kFileBytesMax, buffer);
  if (!bytes) return;
  const auto bundle = BundleReader::open(bytes.value());
  if (!bundle || bundle.value().block_plain_bytes() != layout::bundle::kDefaultBlockPlainBytes) {
    return;
  }
  // A damaged frame may still have the right content, but a full build would have different bytes.
  if (bundle.value().compute_hash() != bundle.value().bundle_hash()) return;
  const std::lock_guard lock(mutex_);
  const std::size_t number = earlier_.size();
  earlier_.push_back({&files, path});
  for (std::uint32_t i = 0; i < bundle.value().entry_count(); ++i) {
    const BundleEntry entry = bundle.value().entry(i);
    const auto how = how_packed(entry);
    if (!how || (entry.dictionary_id != 0 && entry.dictionary_id != how->dictionary_id)) continue;
    // Skips an entry that was compressed without the dictionary that it would use now.
    const bool is_one_block = entry.block_count == 1;
    if (entry.dictionary_id == 0 && how->dictionary_id != 0 && is_one_block) continue;
    remember(number, true, bundle.value(), entry, *how);
  }
}

std::span<const StagedBlock> StagedBundles::find(const PackedContent& content) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(content);
  if (found == entries_.end()) return {};
  return found->second;  // The elements of a map are neither moved nor changed.
}

Result<Bytes> StagedBundles::read(const StagedBlock& block, ByteVector& buffer) const {
  if (block.is_earlier) {
    // `earlier_` is complete before packing begins.
    const Earlier& earlier = earlier_[block.bundle];
    ++reused_blocks_;
    return earlier.files->read(earlier.path, block.offset_bytes, block.stored_bytes, buffer);
  }
  const std::lock_guard lock(mutex_);
  assert(block.bundle < bundles_.size());
  auto bytes =
      output_.read_staged(bundles_[block.bundle], block.offset_bytes, block.stored_bytes, buffer);
  if (bytes && bytes.value().size() != block.stored_bytes) {
    return fail(ErrorCode::truncated,
                "'" + bundles_[block.bundle].text() + "' was truncated while it was staged");
  }
  return bytes;
}

}  // namespace muster
