// Blocks are decompressed directly into memory that is not cleared first. For the textures of a
// level, clearing would take a tenth of the decompression time. The hash of a bundle covers every
// byte of its file and is checked when the bundle is opened, so private bytes need no further
// check. A mapped file can change later, so the hash of each entry is also checked when the entry
// is read. The tables of a mapped file are copied before they are checked, so they cannot change.
#include "runtime/assets/opened_bundle.h"

#include <algorithm>
#include <new>
#include <optional>

namespace muster {
namespace {

/// The maximum size in bytes of a bundle whose size the catalog does not contain.
constexpr std::uint64_t kMaxPreviewBytes = std::uint64_t{4} << 30U;

constexpr const char* kLost =
    "it was truncated while it was mapped; reload the bundle, and replace files only by renaming "
    "new files over them";

std::uint64_t max_bytes_of(const CatalogReader& catalog, const CatalogBundle& record) {
  return catalog.is_preview() ? kMaxPreviewBytes : record.file_bytes;
}

// Adds a `PlainEntry` for each entry, and computes the memory for entries that cannot be used in
// place.
void name_entries(OpenedBundle& bundle) {
  const bool is_shared = bundle.file->is_shared();
  bundle.plain.reserve(bundle.reader.entry_count());
  for (std::uint32_t i = 0; i < bundle.reader.entry_count(); ++i) {
    const BundleEntry entry = bundle.reader.entry(i);
    const bool is_in_place =
        (!is_shared || entry.kind == EntryKind::raw) && bundle.reader.is_all_stored(entry);
    bundle.plain.push_back({.guid = entry.guid,
                            .local_id = entry.local_id,
                            .memory = {},
                            .bytes = {},
                            .kind = entry.kind,
                            .is_in_place = is_in_place,
                            .is_in_shared_file = is_in_place && is_shared});
    if (!is_in_place) bundle.copied_bytes += entry.plain_bytes;
  }
}

// Decompresses an entry. If `hasher` is not null, hashes each block while it is still in the cache.
Result<void> read_blocks(const BundleReader& reader, const BundleEntry& entry,
                         Decompressor& decompressor, SharedBlocks* shared, ContentHasher* hasher,
                         std::span<std::byte> target) {
  std::uint32_t first = 0;
  if (shared != nullptr && SharedBlocks::is_worth_it(entry)) {
    first = shared->read(reader, entry, target, decompressor, hasher);
  }
  for (std::uint32_t i = first; i < entry.block_count; ++i) {
    const BundleBlock block = reader.block(entry, i);
    const std::size_t at = std::size_t{i} * reader.block_plain_bytes();
    const std::span<std::byte> piece = target.subspan(at, block.plain_bytes);
    Result<void> decoded = reader.read_block(block, decompressor, piece);
    if (!decoded) return decoded;
    if (hasher != nullptr) hasher->update(piece);
  }
  return {};
}

// Decompresses and hashes an entry. If possible, the data is hashed in one piece, because several
// pieces are slower.
Result<ContentHash> read_and_hash(const BundleReader& reader, const BundleEntry& entry,
                                  Decompressor& decompressor, SharedBlocks* shared,
                                  std::span<std::byte> target) {
  std::optional<ContentHasher> hasher;
  if (entry.block_count > 1) hasher.emplace();
  Result<void> read =
      read_blocks(reader, entry, decompressor, shared, hasher ? &*hasher : nullptr, target);
  if (!read) return fail(read.error());
  return hasher ? hasher->finish() : hash_bytes(target);
}

}  // namespace

std::uint64_t OpenedBundle::memory_bytes() const {
  std::uint64_t sum = file->bytes().size();
  sum += tables.size();
  for (const PlainEntry& entry : plain) sum += entry.memory.capacity_bytes;
  return sum;
}

std::optional<std::uint32_t> OpenedBundle::find_index(const Guid& guid,
                                                      std::int64_t local_id) const {
  const auto is_before = [&](const PlainEntry& entry) {
    return entry.guid < guid || (entry.guid == guid && entry.local_id < local_id);
  };
  const auto found = std::ranges::partition_point(plain, is_before);
  if (found == plain.end() || found->guid != guid || found->local_id != local_id) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - plain.begin());
}

std::vector<Result<std::unique_ptr<BundleFile>>> open_files(
    const BundleSource& source, const CatalogReader& catalog,
    std::span<const std::uint32_t> bundles) {
  std::vector<BundlePath> paths;
  std::vector<OpenRequest> requests;
  paths.reserve(bundles.size());  // The requests are views of these paths.
  requests.reserve(bundles.size());
  for (const std::uint32_t bundle : bundles) {
    const CatalogBundle record = catalog.bundle(bundle);
    paths.emplace_back(record.name);
    requests.push_back({.path = paths.back().view(), .max_bytes = max_bytes_of(catalog, record)});
  }
  return source.open_all(requests);
}

Result<std::unique_ptr<BundleFile>> open_file(const BundleSource& source,
                                              const CatalogReader& catalog, std::uint32_t bundle) {
  const CatalogBundle record = catalog.bundle(bundle);
  return source.open(BundlePath(record.name).view(), max_bytes_of(catalog, record));
}

Result<OpenedBundle> open_verified(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle) {
  return verify_opened(source, catalog, bundle, open_file(source, catalog, bundle));
}

Result<OpenedBundle> verify_opened(const BundleSource& source, const CatalogReader& catalog,
                                   std::uint32_t bundle, Result<std::unique_ptr<BundleFile>> file) {
  const CatalogBundle record = catalog.bundle(bundle);
  const auto refuse = [&](ErrorCode code, const std::string& reason) {
    return fail(code, "bundle " + describe_bundle(catalog, bundle) + " of '" +
                          source.full_path(record.name.path()) + "' " + reason);
  };
  if (!file) {
    const auto size =
        catalog.is_preview() ? std::nullopt : std::optional<std::uint64_t>(record.file_bytes);
    const Error why = why_not_opened(source, BundlePath(record.name).view(), size, file.error());
    return refuse(why.code, why.message);
  }
  const Bytes bytes = file.value()->bytes();
  ByteVector tables;
  Result<BundleReader> reader = file.value()->is_shared() ? BundleReader::open_shared(bytes, tables)
                                                          : BundleReader::open(bytes);
  // The hash in the header must be compared too, because the hashed range begins after it. The
  // catalog of a preview has no hash and no size, but the hash in the header must match the bytes.
  const bool is_meant =
      reader && (catalog.is_preview() || (bytes.size() == record.file_bytes &&
                                          reader.value().bundle_hash() == record.hash));
  const bool is_complete =
      is_meant && reader.value().compute_hash() == reader.value().bundle_hash();
  // This check follows the last use of the bytes, because lost bytes are zeros and can cause any
  // other failure.
  if (file.value()->is_damaged()) {
    return refuse(ErrorCode::io, "is damaged: " + std::string(kLost));
  }
  if (!reader) return refuse(reader.error().code, "is damaged: " + reader.error().message);
  if (!is_complete) {
    return refuse(
        ErrorCode::hash_mismatch,
        (is_meant ? "is damaged: its bytes do not match the hash in its header, "
                  : "is not of this build: its hash differs from the hash in the catalog, ") +
            (is_meant ? reader.value().bundle_hash() : record.hash).to_string());
  }
  Result<OpenedBundle> opened(OpenedBundle{.file = std::move(file.value()),
                                           .tables = std::move(tables),
                                           .reader = reader.value(),
                                           .plain = {}});
  name_entries(opened.value());
  return opened;
}

namespace {

Result<void> check_hash(const BundleEntry& entry, const ContentHash& found) {
  if (found == entry.plain_hash) return {};
  return fail(ErrorCode::hash_mismatch, "entry " + entry.guid.to_string() + ":" +
                                            std::to_string(entry.local_id) +
                                            " does not match the hash in its table");
}

Result<void> read_unlost(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                         MemoryPool& memory, SharedBlocks* shared) {
  const BundleReader& reader = bundle.reader;
  PlainEntry& plain = bundle.plain[index];
  const BundleEntry entry = reader.entry(index);
  const bool can_change = bundle.file->is_shared();
  Result<void> read;
  Bytes bytes;
  if (plain.is_in_place) {
    bytes = reader.stored(entry);
    if (can_change) read = check_hash(entry, hash_bytes(bytes));
  } else {
    const auto size = static_cast<std::size_t>(entry.plain_bytes);
    try {
      plain.memory = memory.allocate(size);
    } catch (const std::bad_alloc&) {
      return fail_without_memory();
    }
    const std::span<std::byte> target(plain.memory.bytes.get(), size);
    bytes = target;
    if (can_change) {
      const auto hash = read_and_hash(reader, entry, decompressor, shared, target);
      read = hash ? check_hash(entry, hash.value()) : fail(hash.error());
    } else {
      read = read_blocks(reader, entry, decompressor, shared, nullptr, target);
    }
  }
  if (!read) return read;
  plain.bytes = bytes;
  return {};
}

}  // namespace

Result<void> read_entry(OpenedBundle& bundle, std::uint32_t index, Decompressor& decompressor,
                        MemoryPool& memory, SharedBlocks* shared) {
  PlainEntry& plain = bundle.plain[index];
  if (!plain.is_read) {
    Result<void> read = read_unlost(bundle, index, decompressor, memory, shared);
    plain.is_read = read.has_value();
    // Lost bytes are zeros and cause the failure. If reading succeeded, the bytes were read before
    // they were lost.
    if (!read) return bundle.file->is_damaged() ? fail(ErrorCode::io, kLost) : fail(read.error());
  }
  if (bundle.is_lost(plain)) return fail(ErrorCode::io, kLost);
  return {};
}

namespace {

// Describes a variant, for example " (Textures/Crate.png for language=de,quality=low)". The path is
// left out if the catalog does not have it.
std::string describe_variant(const CatalogReader& catalog, std::uint32_t bundle) {
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative alternative = catalog.alternative(i);
    if (alternative.alternative != bundle) continue;
    return " (for " + keys_text(catalog, alternative) + ")";
  }
  return {};
}

}  // namespace

// The catalog lists a stripped asset only if a packed asset refers to it.
Error why_not_packed(const CatalogReader& catalog, const Guid& asset) {
  const std::string side = catalog.target() == Target::server ? "server" : "client";
  const std::string guid = asset.to_string();
  if (const std::optional<CatalogAsset> named = catalog.find_asset(asset)) {
    return {ErrorCode::not_found,
            "asset " + guid + " ('" + std::string(named->path) +
                "') is not in this build: a rule of 'strip' in muster.yaml leaves it out of the " +
                side + "; 'muster audit' shows the rule"};
  }
  return {ErrorCode::not_found,
          "asset " + guid +
              " is not in this build: list it in a registry, or refer to it from a prefab. If that "
              "is done already, 'strip' in muster.yaml left it out of the " +
              side + ": run 'muster why' for the reason"};
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
  if (record.name.kind == BundleKind::variant) text += describe_variant(catalog, bundle);
  return text;
}

}  // namespace muster
