#include "bundler/pack/staged_bundles.h"

#include <cassert>
#include <utility>

namespace muster {

Result<void> StagedBundles::stage(const AssetPath& path, Bytes bytes) {
  const std::lock_guard lock(mutex_);
  return output_.stage(path, bytes);
}

Result<void> StagedBundles::stage_bundle(const AssetPath& path, const BundleReader& bundle,
                                         Bytes bytes) {
  const std::lock_guard lock(mutex_);
  if (auto staged = output_.stage(path, bytes); !staged) return staged;
  const std::size_t number = bundles_.size();
  bundles_.push_back(path);
  for (std::uint32_t i = 0; i < bundle.entry_count(); ++i) {
    const BundleEntry entry = bundle.entry(i);
    if (entry.plain_bytes < kMinPlainBytes) continue;
    const auto [place, is_new] =
        entries_.try_emplace({entry.plain_hash, entry.plain_bytes}, std::vector<StagedBlock>());
    for (std::uint32_t b = 0; is_new && b < entry.block_count; ++b) {
      const BundleBlock block = bundle.block(entry, b);
      place->second.push_back({number, block.offset_bytes, block.stored_bytes, block.coding});
    }
  }
  return {};
}

std::span<const StagedBlock> StagedBundles::find(const ContentHash& plain_hash,
                                                 std::uint64_t plain_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find({plain_hash, plain_bytes});
  if (found == entries_.end()) return {};
  return found->second;  // nodes stay where they are, and are never changed
}

Result<Bytes> StagedBundles::read(const StagedBlock& block, ByteVector& buffer) const {
  const std::lock_guard lock(mutex_);
  assert(block.bundle < bundles_.size());
  auto bytes =
      output_.read_staged(bundles_[block.bundle], block.offset_bytes, block.stored_bytes, buffer);
  if (bytes && bytes.value().size() != block.stored_bytes) {
    return fail(ErrorCode::truncated,
                "'" + bundles_[block.bundle].text() + "' was cut off while it was staged");
  }
  return bytes;
}

}  // namespace muster
