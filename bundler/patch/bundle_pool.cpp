#include "bundler/patch/bundle_pool.h"

#include <algorithm>
#include <utility>

#include "bundler/patch/patch_layout.h"

namespace muster {
namespace {

/// The maximum total size of open bundles, in bytes, in addition to the bundle in use. Several
/// bundles are kept open because consecutive entries often use the same few bundles in turn.
constexpr std::uint64_t kCacheBytesMax = 64ULL << 20U;

Result<void> check_size(const AssetPath& path, std::uint64_t is, std::uint64_t should_be) {
  if (is == should_be) return {};
  return fail(ErrorCode::hash_mismatch,
              path.text() + ": it has " + std::to_string(is) + " bytes where its catalog says " +
                  std::to_string(should_be) + "; 'muster verify' lists all damage");
}

// Checks the hash of a bundle before all other properties, because a bundle with a wrong hash is
// damaged.
Result<void> check_hash(const AssetPath& path, Bytes bytes, const ContentHash& should_be) {
  constexpr std::size_t kFrom = layout::bundle::header::kHashedFrom;
  if (bytes.size() < kFrom || hash_bytes(bytes.subspan(kFrom)) != should_be) {
    return fail(ErrorCode::hash_mismatch,
                path.text() +
                    ": its bytes do not have the hash in its catalog; 'muster verify' "
                    "lists all damage");
  }
  const auto reader = BundleReader::open(bytes);
  if (!reader) return fail(reader.error().code, path.text() + ": " + reader.error().message);
  if (reader.value().bundle_hash() == should_be) return {};
  return fail(ErrorCode::hash_mismatch,
              path.text() + ": the hash in its header differs from the hash in its catalog");
}

}  // namespace

Result<Bytes> read_bundle(const FileReader& files, const AssetPath& path,
                          const CatalogBundle& bundle, ByteVector& buffer) {
  const auto bytes = read_whole(files, path, layout::patch::kMaxFileBytes, buffer);
  if (!bytes) return bytes;
  auto sound = check_size(path, bytes.value().size(), bundle.file_bytes);
  if (sound) sound = check_hash(path, bytes.value(), bundle.hash);
  if (!sound) return fail(sound.error());
  return bytes;
}

BundlePool::BundlePool(const FileReader& base_files, const BuildSide& base, ReadMade read_made)
    : base_files_(&base_files), read_made_(std::move(read_made)) {
  for (const Target target : {Target::client, Target::server}) {
    const CatalogReader* const catalog = base.catalog(target);
    for (std::uint32_t i = 0; catalog != nullptr && i < catalog->bundle_count(); ++i) {
      const CatalogBundle bundle = catalog->bundle(i);
      add(bundle_path(target, bundle.name), bundle);
      bundles_.back().is_made = false;
      base_bytes_ += bundle.file_bytes;
    }
  }
}

void BundlePool::add(const AssetPath& path, const CatalogBundle& bundle) {
  bundles_.push_back({path, bundle.hash, bundle.file_bytes, true, false});
}

Result<void> BundlePool::load(PooledBundle& bundle, ByteVector& buffer) const {
  const auto bytes =
      bundle.is_made ? read_made_(bundle.path, layout::patch::kMaxFileBytes, buffer)
                     : read_whole(*base_files_, bundle.path, layout::patch::kMaxFileBytes, buffer);
  if (!bytes) return fail(bytes.error());
  buffer.resize(bytes.value().size());
  if (auto sound = check_size(bundle.path, buffer.size(), bundle.file_bytes); !sound) return sound;
  if (bundle.is_checked) return {};
  if (auto sound = check_hash(bundle.path, buffer, bundle.hash); !sound) return sound;
  bundle.is_checked = true;
  return {};
}

Result<BundlePool::Opened> BundlePool::open(std::size_t number) {
  const auto found = std::ranges::find(cache_, number, &CachedFile::number);
  if (found != cache_.end()) {
    cache_.splice(cache_.begin(), cache_, found);
  } else {
    CachedFile loaded_file{.number = number, .bytes = {}};
    if (auto loaded = load(bundles_[number], loaded_file.bytes); !loaded)
      return fail(loaded.error());
    cache_.push_front(std::move(loaded_file));
  }
  std::uint64_t cached_bytes = 0;
  for (auto each = cache_.begin(); each != cache_.end();) {
    cached_bytes += each->bytes.size();
    const bool is_kept = each == cache_.begin() || cached_bytes <= kCacheBytesMax;
    each = is_kept ? std::next(each) : cache_.erase(each);
  }
  const Bytes bytes = cache_.front().bytes;
  auto reader = BundleReader::open(bytes);
  if (!reader) {
    return fail(reader.error().code, bundles_[number].path.text() + ": " + reader.error().message);
  }
  return Opened{reader.value(), bytes};
}

}  // namespace muster
