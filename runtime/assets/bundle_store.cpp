// Blocks are decompressed straight into memory that is not cleared first: for a level's textures
// clearing costs a tenth of the decompression. The bundle's own hash, checked on opening, covers
// every byte of the file; the entry's hash is checked as well, because a mapped file can change
// afterwards.
#include "runtime/assets/bundle_store.h"

#include <algorithm>
#include <cassert>

namespace muster {
namespace {

bool is_all_stored(const BundleReader& reader, const BundleEntry& entry) {
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    if (reader.block(entry, i).coding != BlockCoding::stored) return false;
  }
  return true;
}

// Decompresses an entry and returns the hash of what came out. Each block of a large one is hashed
// while it is still in the cache.
Result<ContentHash> read_blocks(const BundleReader& reader, const BundleEntry& entry,
                                Decompressor& decompressor, std::span<std::byte> target) {
  std::optional<ContentHasher> hasher;
  if (entry.block_count > 1) hasher.emplace();
  std::size_t done = 0;
  for (std::uint32_t i = 0; i < entry.block_count; ++i) {
    const BundleBlock block = reader.block(entry, i);
    const std::span<std::byte> piece = target.subspan(done, block.plain_bytes);
    Result<void> decoded = reader.read_block(block, decompressor, piece);
    if (!decoded) return fail(decoded.error());
    if (hasher) hasher->update(piece);
    done += block.plain_bytes;
  }
  return hasher ? hasher->finish() : hash_bytes(target);
}

}  // namespace

Result<BundleStore> BundleStore::open(const BundleSource& source) {
  const std::string name = source.name() + "/" + std::string(kCatalogFile);
  Result<std::unique_ptr<HeldFile>> file =
      source.open(kCatalogFile, layout::catalog::kMaxFileBytes);
  if (!file) {
    const bool is_missing = file.error().code == ErrorCode::not_found;
    return fail(file.error().code, "cannot open the catalog '" + name +
                                       (is_missing ? "': is this the client or server folder of a "
                                                     "build? 'muster build' writes it"
                                                   : "': " + file.error().message));
  }
  Result<CatalogReader> catalog = CatalogReader::open(file.value()->bytes());
  if (!catalog) {
    return fail(catalog.error().code, "'" + name + "' is damaged: " + catalog.error().message);
  }
  return BundleStore(source, std::move(file.value()), catalog.value());
}

BundleStore::BundleStore(const BundleSource& source, std::unique_ptr<HeldFile> file,
                         const CatalogReader& catalog)
    : source_(&source),
      catalog_file_(std::move(file)),
      catalog_(catalog),
      types_(catalog),
      bundles_(catalog.bundle_count()) {}

Result<LoadedEntry> BundleStore::load(const Guid& guid, std::int64_t local_id) {
  const std::optional<CatalogAsset> asset = catalog_.find_asset(guid);
  if (!asset || asset->bundle == layout::kNone) {
    return failed(ErrorCode::not_found,
                  "asset " + guid.to_string() + (asset ? " is only named" : " is not") +
                      " in this build: list it in a registry, or refer to it from a prefab");
  }
  return load_from(asset->bundle, guid, local_id);
}

Result<LoadedEntry> BundleStore::load_from(std::uint32_t bundle, const Guid& guid,
                                           std::int64_t local_id) {
  assert(bundle < bundles_.size());
  if (!bundles_[bundle] || !has_dependencies(bundle)) {
    if (Result<void> opened = open_bundle(bundle); !opened) return fail(opened.error());
  }
  OpenBundle& open = *bundles_[bundle];
  const std::optional<std::uint32_t> index = open.reader.find_index(guid, local_id);
  if (!index) {
    return failed(ErrorCode::not_found, "bundle " + describe(bundle) + " has no part " +
                                            std::to_string(local_id) + " of asset " +
                                            guid.to_string());
  }
  PlainEntry& plain = open.plain[*index];
  if (plain.is_read) {
    ++counters_.cached_loads;
  } else if (Result<void> read_now = read(open.reader, *index, plain); !read_now) {
    return failed(read_now.error().code,
                  "bundle " + describe(bundle) + " is damaged: " + read_now.error().message);
  }
  return LoadedEntry{.bytes = plain.bytes, .kind = plain.kind};
}

Result<void> BundleStore::open_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  if (!bundles_[bundle]) {
    if (Result<void> opened = open_alone(bundle); !opened) return opened;
  }
  if (has_dependencies(bundle)) return {};
  return open_dependencies(bundle);
}

const BundleReader& BundleStore::reader(std::uint32_t bundle) const {
  assert(is_open(bundle));
  return bundles_[bundle]->reader;
}

void BundleStore::close_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  if (!bundles_[bundle]) return;
  for (PlainEntry& plain : bundles_[bundle]->plain) memory_.give_back(std::move(plain.memory));
  bundles_[bundle].reset();
  ++closings_;  // Whoever depends on it has to ask for it again.
}

std::string BundleStore::describe(std::uint32_t bundle) const {
  const CatalogBundle record = catalog_.bundle(bundle);
  std::string text = record.name.path();
  if (record.name.kind == BundleKind::prefab) {
    const Guid guid =
        Guid::from_bytes(std::as_bytes(std::span<const std::uint8_t>(record.name.bytes)));
    if (const std::optional<CatalogAsset> asset = catalog_.find_asset(guid)) {
      text += " (" + std::string(asset->path) + ")";
    }
  }
  return text;
}

Result<void> BundleStore::open_alone(std::uint32_t bundle) {
  const CatalogBundle record = catalog_.bundle(bundle);
  Result<std::unique_ptr<HeldFile>> file = source_->open(record.name.path(), record.file_bytes);
  if (!file) {
    const bool is_missing = file.error().code == ErrorCode::not_found;
    return failed(file.error().code,
                  "bundle " + describe(bundle) + " of '" + source_->name() +
                      (is_missing ? "' is missing: build again, or copy the folder whole"
                                  : "' cannot be read: " + file.error().message));
  }
  const Bytes bytes = file.value()->bytes();
  Result<BundleReader> reader = BundleReader::open(bytes);
  if (!reader) {
    return failed(reader.error().code,
                  "bundle " + describe(bundle) + " is damaged: " + reader.error().message);
  }
  // The header's hash is compared too: the hashed range begins behind it.
  const bool is_meant =
      bytes.size() == record.file_bytes && reader.value().bundle_hash() == record.hash;
  if (!is_meant || hash_bytes(bytes.subspan(layout::bundle::header::kHashedFrom)) != record.hash) {
    return failed(ErrorCode::hash_mismatch,
                  "bundle " + describe(bundle) +
                      (is_meant ? " is damaged: its bytes have" : " is not of this build: it has") +
                      " another hash than the catalog's " + record.hash.to_string());
  }
  bundles_[bundle] = std::make_unique<OpenBundle>(std::move(file.value()), reader.value());
  ++counters_.bundles_opened;
  counters_.bundle_bytes += bytes.size();
  return {};
}

Result<void> BundleStore::open_dependencies(std::uint32_t bundle) {
  // The catalog lists the whole closure, so there is no recursion here.
  const CatalogBundle record = catalog_.bundle(bundle);
  for (std::uint32_t i = 0; i < record.dependency_count; ++i) {
    const std::uint32_t needed = catalog_.dependency(record, i);
    if (bundles_[needed]) continue;
    if (Result<void> opened = open_alone(needed); !opened) {
      return fail(opened.error().code, describe(bundle) + " needs it: " + opened.error().message);
    }
  }
  bundles_[bundle]->dependencies_seen_at = closings_;
  return {};
}

Result<void> BundleStore::read(const BundleReader& reader, std::uint32_t index, PlainEntry& plain) {
  const BundleEntry entry = reader.entry(index);
  const auto size = static_cast<std::size_t>(entry.plain_bytes);
  ByteVector unused;
  if (is_all_stored(reader, entry)) {
    Result<Bytes> stored = reader.read(entry, decompressor_, unused);
    if (!stored) return fail(stored.error());
    plain.bytes = stored.value();
  } else {
    plain.memory = memory_.take(size);
    const std::span<std::byte> target(plain.memory.bytes.get(), size);
    Result<ContentHash> hash = read_blocks(reader, entry, decompressor_, target);
    if (!hash) return fail(hash.error());
    if (hash.value() != entry.plain_hash) {
      return fail(ErrorCode::hash_mismatch, "entry " + entry.guid.to_string() + ":" +
                                                std::to_string(entry.local_id) +
                                                " has another hash than its table says");
    }
    plain.bytes = target;
  }
  plain.kind = entry.kind;
  plain.is_read = true;
  ++counters_.entries_read;
  counters_.plain_bytes += size;
  return {};
}

tl::unexpected<Error> BundleStore::failed(ErrorCode code, std::string message) {
  ++counters_.failures;
  return fail(code, std::move(message));
}

}  // namespace muster
