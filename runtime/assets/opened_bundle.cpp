// Blocks are decompressed straight into memory that is not cleared first: for a level's textures
// clearing costs a tenth of the decompression. The bundle's own hash, checked on opening, covers
// every byte of the file; the entry's hash is checked as well, because a mapped file can change
// afterwards.
#include "runtime/assets/opened_bundle.h"

#include <algorithm>

namespace muster {
namespace {

/// Of a bundle that nobody has measured. More does not fit into a tool's memory anyway.
constexpr std::uint64_t kMaxPreviewBytes = std::uint64_t{4} << 30U;

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

std::uint64_t OpenedBundle::memory_bytes() const {
  std::uint64_t sum = file->bytes().size();
  for (const PlainEntry& entry : plain) sum += entry.memory.capacity_bytes;
  return sum;
}

Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle) {
  const CatalogBundle record = catalog.bundle(bundle);
  const bool is_preview = catalog.is_preview();
  Result<std::unique_ptr<HeldFile>> file =
      source.open(record.name.path(), is_preview ? kMaxPreviewBytes : record.file_bytes);
  if (!file) {
    const bool is_missing = file.error().code == ErrorCode::not_found;
    return fail(file.error().code,
                "bundle " + describe_bundle(catalog, bundle) + " of '" + source.name() +
                    (is_missing ? "' is missing: build again, or copy the folder whole"
                                : "' cannot be read: " + file.error().message));
  }
  const Bytes bytes = file.value()->bytes();
  Result<BundleReader> reader = BundleReader::open(bytes);
  if (!reader) {
    return fail(reader.error().code, "bundle " + describe_bundle(catalog, bundle) +
                                         " is damaged: " + reader.error().message);
  }
  // The header's hash is compared too: the hashed range begins behind it.
  // A preview's catalog says neither, but the bundle's own hash has to fit.
  const ContentHash expected = is_preview ? reader.value().bundle_hash() : record.hash;
  const bool is_meant = is_preview || (bytes.size() == record.file_bytes &&
                                       reader.value().bundle_hash() == record.hash);
  if (!is_meant || hash_bytes(bytes.subspan(layout::bundle::header::kHashedFrom)) != expected) {
    return fail(ErrorCode::hash_mismatch,
                "bundle " + describe_bundle(catalog, bundle) +
                    (is_meant ? " is damaged: its bytes have" : " is not of this build: it has") +
                    " another hash than the catalog's " + record.hash.to_string());
  }
  const std::uint32_t entries = reader.value().entry_count();
  return OpenedBundle{.file = std::move(file.value()),
                      .reader = reader.value(),
                      .plain = std::vector<PlainEntry>(entries)};
}

Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory) {
  const BundleReader& reader = bundle.reader;
  PlainEntry& plain = bundle.plain[index];
  if (plain.is_read) return {};
  const BundleEntry entry = reader.entry(index);
  const auto size = static_cast<std::size_t>(entry.plain_bytes);
  ByteVector unused;
  if (is_all_stored(reader, entry)) {
    Result<Bytes> stored = reader.read(entry, decompressor, unused);
    if (!stored) return fail(stored.error());
    plain.bytes = stored.value();
  } else {
    plain.memory = memory.take(size);
    const std::span<std::byte> target(plain.memory.bytes.get(), size);
    Result<ContentHash> hash = read_blocks(reader, entry, decompressor, target);
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
  return {};
}

std::string describe_bundle(const CatalogReader& catalog, std::uint32_t bundle) {
  const CatalogBundle record = catalog.bundle(bundle);
  std::string text = record.name.path();
  if (record.name.kind == BundleKind::prefab) {
    const Guid guid =
        Guid::from_bytes(std::as_bytes(std::span<const std::uint8_t>(record.name.bytes)));
    if (const std::optional<CatalogAsset> asset = catalog.find_asset(guid)) {
      text += " (" + std::string(asset->path) + ")";
    }
  }
  return text;
}

}  // namespace muster
