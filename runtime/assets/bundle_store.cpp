// The catalog is read all the time, in place: one that is mapped is copied first, because to follow
// an offset that changed after it was checked would be worse than the SIGBUS that a MappingGuard
// catches.
#include "runtime/assets/bundle_store.h"

#include <algorithm>
#include <cassert>

#include "runtime/assets/memory_source.h"

namespace muster {

Result<BundleStore> BundleStore::open(const BundleSource& source, Catalogs catalogs,
                                      std::shared_ptr<MemoryPool> memory) {
  Result<std::unique_ptr<HeldFile>> file =
      source.open(kCatalogFile, layout::catalog::kMaxFileBytes);
  // Asked for only when something is wrong, for a stack has to look for it.
  const auto refuse = [&source](ErrorCode code, const std::string& before,
                                const std::string& after) {
    return fail(code, before + "'" + source.place_of(kCatalogFile) + "'" + after);
  };
  if (!file) {
    const bool is_missing = file.error().code == ErrorCode::not_found;
    return refuse(file.error().code, "cannot open the catalog ",
                  is_missing ? ": is this the client or server folder of a build? 'muster build' "
                               "writes it"
                             : ": " + file.error().message);
  }
  if (file.value()->is_shared()) {
    const Bytes bytes = file.value()->bytes();
    ByteVector copy(bytes.begin(), bytes.end());
    if (file.value()->is_damaged()) {
      return refuse(ErrorCode::io, "", " was cut short while it was read: build again");
    }
    file.value() = hold(std::move(copy));
  }
  Result<CatalogReader> catalog = CatalogReader::open(file.value()->bytes());
  if (!catalog) {
    return refuse(catalog.error().code, "", " is damaged: " + catalog.error().message);
  }
  if (catalog.value().is_preview() && catalogs == Catalogs::built) {
    return refuse(ErrorCode::invalid_argument, "",
                  " is a preview's, which is for tools: run 'muster build'");
  }
  if (!memory) memory = std::make_shared<MemoryPool>();
  return BundleStore(source, std::move(file.value()), catalog.value(), std::move(memory));
}

BundleStore::BundleStore(const BundleSource& source, std::unique_ptr<HeldFile> file,
                         const CatalogReader& catalog, std::shared_ptr<MemoryPool> memory)
    : source_(&source),
      catalog_file_(std::move(file)),
      catalog_(catalog),
      types_(catalog),
      bundles_(catalog.bundle_count()),
      memory_(std::move(memory)) {}

BundleStore::~BundleStore() {
  for (std::optional<OpenBundle>& open : bundles_) {
    if (open) give_back(*open);
  }
}

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
  const std::optional<std::uint32_t> index = open.opened.reader.find_index(guid, local_id);
  if (!index) {
    return failed(ErrorCode::not_found, "bundle " + describe(bundle) + " has no part " +
                                            std::to_string(local_id) + " of asset " +
                                            guid.to_string());
  }
  PlainEntry& plain = open.opened.plain[*index];
  if (plain.is_read && !open.opened.is_lost(plain)) {
    ++counters_.cached_loads;
  } else if (Result<void> read_now = read_entry(open.opened, *index, decompressor_, *memory_);
             !read_now) {
    return failed(read_now.error().code,
                  "bundle " + describe(bundle) + " is damaged: " + read_now.error().message);
  } else {
    ++counters_.entries_read;
    counters_.plain_bytes += plain.bytes.size();
  }
  return LoadedEntry{.bytes = plain.bytes, .kind = plain.kind};
}

Result<void> BundleStore::open_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  if (bundles_[bundle] && has_dependencies(bundle)) return {};
  const bool is_alone = !bundles_[bundle] && catalog_.bundle(bundle).dependency_count == 0;
  if (!is_alone) return open_bundles({&bundle, 1});
  // Without the lists that many of them need.
  Result<OpenedBundle> opened = open_verified(*source_, catalog_, bundle);
  if (!opened) return failed(opened.error().code, std::move(opened.error().message));
  adopt(bundle, std::move(opened.value()));
  bundles_[bundle]->dependencies_seen_at = closings_;
  return {};
}

Result<void> BundleStore::open_bundles(std::span<const std::uint32_t> bundles) {
  const std::vector<Missing> missing = missing_of(bundles);
  std::vector<OpenRequest> requests;
  requests.reserve(missing.size());
  for (const Missing& wanted : missing) requests.push_back(request_for(catalog_, wanted.bundle));
  std::vector<Result<std::unique_ptr<HeldFile>>> files;
  if (!requests.empty()) files = source_->open_all(requests);
  assert(files.size() == missing.size());
  for (std::size_t i = 0; i < missing.size(); ++i) {
    const auto [bundle, needed_by] = missing[i];
    Result<OpenedBundle> opened = verify_opened(*source_, catalog_, bundle, std::move(files[i]));
    if (!opened) {
      return failed(opened.error().code,
                    (bundle == needed_by ? "" : describe(needed_by) + " needs it: ") +
                        opened.error().message);
    }
    adopt(bundle, std::move(opened.value()));
  }
  for (const std::uint32_t bundle : bundles) bundles_[bundle]->dependencies_seen_at = closings_;
  return {};
}

const BundleReader& BundleStore::reader(std::uint32_t bundle) const {
  assert(is_open(bundle));
  return bundles_[bundle]->opened.reader;
}

void BundleStore::close_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  if (!bundles_[bundle]) return;
  give_back(*bundles_[bundle]);
  bundles_[bundle].reset();
  ++closings_;  // Whoever depends on it has to ask for it again.
}

void BundleStore::give_back(OpenBundle& open) noexcept {
  for (PlainEntry& plain : open.opened.plain) memory_->give_back(std::move(plain.memory));
}

// Each once, and each bundle before those that it depends on.
std::vector<BundleStore::Missing> BundleStore::missing_of(
    std::span<const std::uint32_t> bundles) const {
  std::vector<Missing> missing;
  std::vector<bool> is_listed(bundles_.size());
  const auto add = [&](std::uint32_t bundle, std::uint32_t needed_by) {
    if (bundles_[bundle] || is_listed[bundle]) return;
    is_listed[bundle] = true;
    missing.push_back({.bundle = bundle, .needed_by = needed_by});
  };
  for (const std::uint32_t bundle : bundles) {
    assert(bundle < bundles_.size());
    if (bundles_[bundle] && has_dependencies(bundle)) continue;
    add(bundle, bundle);
    // The catalog lists the whole closure, so there is no recursion here.
    const CatalogBundle record = catalog_.bundle(bundle);
    for (std::uint32_t i = 0; i < record.dependency_count; ++i) {
      add(catalog_.dependency(record, i), bundle);
    }
  }
  return missing;
}

void BundleStore::adopt(std::uint32_t bundle, OpenedBundle opened) {
  assert(bundle < bundles_.size() && !bundles_[bundle]);
  ++counters_.bundles_opened;
  counters_.bundle_bytes += opened.file->bytes().size();
  for (const PlainEntry& plain : opened.plain) {
    if (!plain.is_read) continue;
    ++counters_.entries_read;
    counters_.plain_bytes += plain.bytes.size();
  }
  bundles_[bundle] = OpenBundle{.opened = std::move(opened)};
}

tl::unexpected<Error> BundleStore::failed(ErrorCode code, std::string message) {
  ++counters_.failures;
  return fail(code, std::move(message));
}

}  // namespace muster
