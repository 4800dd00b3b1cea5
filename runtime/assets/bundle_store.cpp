// The catalog is read often, in place. A mapped catalog is copied first. Otherwise another program
// could change an offset after the check, and a read with that offset could access any memory.
#include "runtime/assets/bundle_store.h"

#include <algorithm>
#include <cassert>

#include "runtime/assets/dictionary_loading.h"
#include "runtime/assets/memory_source.h"

namespace muster {

Result<BundleStore> BundleStore::open(const BundleSource& source, Catalogs catalogs,
                                      std::shared_ptr<MemoryPool> memory,
                                      std::span<const VariantSetting> variants) {
  Result<std::unique_ptr<BundleFile>> file =
      source.open(kCatalogFile, layout::catalog::kMaxFileBytes);
  // `full_path` is slow for stacked sources, so it is used only for errors.
  const auto refuse = [&source](ErrorCode code, const std::string& before,
                                const std::string& after) {
    return fail(code, before + "'" + source.full_path(kCatalogFile) + "'" + after);
  };
  if (!file && file.error().code == ErrorCode::invalid_argument) {
    return refuse(ErrorCode::malformed, "", " is not a file, but a folder or a device");
  }
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
      return refuse(ErrorCode::io, "", " was truncated while it was read: build again");
    }
    file.value() = make_owned_file(std::move(copy));
  }
  Result<CatalogReader> catalog = CatalogReader::open(file.value()->bytes());
  if (!catalog) {
    return refuse(catalog.error().code, "", " is damaged: " + catalog.error().message);
  }
  if (catalog.value().is_preview() && catalogs == Catalogs::built) {
    return refuse(ErrorCode::invalid_argument, "",
                  " is a preview's, which is for tools: run 'muster build'");
  }
  Result<BundleChoice> choice = BundleChoice::create(catalog.value(), variants);
  if (!choice) return fail(choice.error());
  auto dictionaries = load_dictionaries(source, catalog.value());
  if (!dictionaries) return fail(dictionaries.error());
  if (!memory) memory = std::make_shared<MemoryPool>();
  return BundleStore(source, std::move(file.value()), std::move(choice.value()), catalog.value(),
                     std::move(dictionaries.value()), std::move(memory));
}

BundleStore::BundleStore(const BundleSource& source, std::unique_ptr<BundleFile> file,
                         BundleChoice choice, const CatalogReader& catalog,
                         std::shared_ptr<const DictionarySet> dictionaries,
                         std::shared_ptr<MemoryPool> memory)
    : source_(&source),
      catalog_file_(std::move(file)),
      catalog_(catalog),
      choice_(std::move(choice)),
      types_(catalog),
      bundles_(catalog.bundle_count()),
      listed_in_(catalog.bundle_count()),
      is_discardable_(catalog.bundle_count()),
      is_expected_(catalog.bundle_count()),
      memory_(std::move(memory)) {
  decompressor_.use(std::move(dictionaries));
}

BundleStore::~BundleStore() {
  for (std::optional<OpenBundle>& open : bundles_) {
    if (open) give_back(*open);
  }
}

Result<LoadedEntry> BundleStore::load(const Guid& guid, std::int64_t local_id) {
  const std::optional<CatalogAsset> asset = catalog_.find_asset(guid);
  if (!asset || asset->bundle == layout::kNone) {
    Error why = why_not_packed(catalog_, guid);
    return failed(why.code, std::move(why.message));
  }
  return load_from(asset->bundle, guid, local_id);
}

Result<LoadedEntry> BundleStore::load_from(std::uint32_t bundle, const Guid& guid,
                                           std::int64_t local_id) {
  assert(bundle < bundles_.size());
  bundle = chosen(bundle);
  if (!is_complete(bundle)) {
    if (Result<void> opened = open_bundle(bundle); !opened) return fail(opened.error());
  }
  OpenBundle& open = *bundles_[bundle];
  const std::optional<std::uint32_t> index = open.opened.find_index(guid, local_id);
  if (!index) {
    return failed(ErrorCode::not_found, "bundle " + describe(bundle) + " has no part " +
                                            std::to_string(local_id) + " of asset " +
                                            guid.to_string());
  }
  const PlainEntry& plain = open.opened.plain[*index];
  if (plain.is_read && !open.opened.is_lost(plain)) {
    ++counters_.cached_loads;
  } else if (Result<void> read = read_once(bundle, *index); !read) {
    return fail(read.error());
  }
  return LoadedEntry{.bytes = plain.bytes, .kind = plain.kind};
}

Result<void> BundleStore::read_once(std::uint32_t bundle, std::uint32_t index) {
  OpenedBundle& opened = bundles_[bundle]->opened;
  const PlainEntry& plain = opened.plain[index];
  if (plain.is_read && !opened.is_lost(plain)) {
    ++counters_.cached_loads;
    return {};
  }
  const std::size_t before = plain.memory.capacity_bytes;
  const Result<void> read = read_entry(opened, index, decompressor_, *memory_);
  add_memory(bundle, plain.memory.capacity_bytes - before);
  if (!read) {
    const bool is_damaged = read.error().code != ErrorCode::limit_exceeded;
    return failed(read.error().code, "bundle " + describe(bundle) +
                                         (is_damaged ? " is damaged: " : ": ") +
                                         read.error().message);
  }
  ++counters_.entries_read;
  counters_.plain_bytes += plain.bytes.size();
  return {};
}

Result<void> BundleStore::open_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  bundle = chosen(bundle);
  if (is_complete(bundle)) return {};
  bool is_alone = !bundles_[bundle];
  choice_.each_dependency(
      bundle, [&](std::uint32_t needed) { is_alone = is_alone && bundles_[needed].has_value(); });
  if (!is_alone) return open_bundles({&bundle, 1});
  // The fast path for a single bundle.
  Result<OpenedBundle> opened = open_verified(*source_, catalog_, bundle);
  if (!opened) return failed(opened.error().code, std::move(opened.error().message));
  adopt(bundle, std::move(opened.value()));
  bundles_[bundle]->dependencies_seen_at = closings_;
  return {};
}

Result<void> BundleStore::open_bundles(std::span<const std::uint32_t> bundles) {
  const std::vector<Missing> missing = missing_of(bundles);
  std::vector<std::uint32_t> wanted(missing.size());
  std::ranges::transform(missing, wanted.begin(), &Missing::bundle);
  std::vector<Result<std::unique_ptr<BundleFile>>> files;
  if (!wanted.empty()) files = open_files(*source_, catalog_, wanted);
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
  for (const std::uint32_t bundle : bundles) {
    bundles_[chosen(bundle)]->dependencies_seen_at = closings_;
  }
  return {};
}

Result<void> BundleStore::load_bundles(std::span<const std::uint32_t> bundles) {
  while (!bundles.empty()) {
    const std::span<const std::uint32_t> now = bundles.first(count_together(bundles));
    if (Result<void> opened = open_bundles(now); !opened) return opened;
    for (const std::uint32_t bundle : now) {
      const std::uint32_t own = chosen(bundle);
      Result<void> read;
      choice_.each_dependency(own, [&](std::uint32_t needed) {
        if (read) read = read_whole(needed);
      });
      if (read) read = read_whole(own);
      if (!read) return read;
    }
    bundles = bundles.subspan(now.size());
  }
  return {};
}

// The number of bundles to open together. A source can read several files together. With any other
// source, small files are opened together, so that they stay in the processor's cache between their
// check and their use.
std::size_t BundleStore::count_together(std::span<const std::uint32_t> bundles) const {
  constexpr std::size_t kMaxSmallFiles = 16;
  constexpr std::uint64_t kMaxSmallBytes = std::uint64_t{32} << 10U;
  constexpr std::uint64_t kMaxBytes = std::uint64_t{2} << 20U;
  const std::uint32_t at_once = source_->files_at_once();
  const std::size_t count_max = std::max<std::size_t>(at_once, kMaxSmallFiles);
  const std::uint64_t bytes_max = at_once > 1 ? kMaxBytes : kMaxSmallBytes;
  std::uint64_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(count_max, bundles.size())) {
    bytes += catalog_.bundle(chosen(bundles[count])).file_bytes;
    if (count > 0 && bytes > bytes_max) break;
    ++count;
  }
  return count;
}

Result<void> BundleStore::read_whole(std::uint32_t bundle) {
  OpenBundle& open = *bundles_[bundle];
  // Skips a bundle that is completely read, because many bundles can have the same dependency. A
  // shared file is not skipped, because its bytes may have been lost.
  if (open.is_complete && !open.opened.file->is_shared()) {
    counters_.cached_loads += open.opened.plain.size();
    return {};
  }
  for (std::uint32_t i = 0; i < open.opened.plain.size(); ++i) {
    Result<void> read = read_once(bundle, i);
    if (!read) return read;
  }
  open.is_complete = true;
  return {};
}

const BundleReader& BundleStore::reader(std::uint32_t bundle) const {
  assert(is_open(bundle));
  return bundles_[chosen(bundle)]->opened.reader;
}

void BundleStore::close_bundle(std::uint32_t bundle) {
  assert(bundle < bundles_.size());
  bundle = chosen(bundle);
  if (!bundles_[bundle]) return;
  const std::uint64_t bytes = memory_bytes(bundle);
  memory_bytes_ -= bytes;
  if (is_discardable_[bundle]) discardable_bytes_ -= bytes;
  if (is_expected_[bundle]) expected_bytes_ -= unread_bytes(bundle);
  give_back(*bundles_[bundle]);
  bundles_[bundle].reset();
  ++closings_;  // Bundles that depend on this bundle must request it again.
}

void BundleStore::set_discardable(std::uint32_t bundle, bool is_discardable) {
  bundle = chosen(bundle);
  if (is_discardable_[bundle] == is_discardable) return;
  is_discardable_[bundle] = is_discardable;
  const std::uint64_t bytes = memory_bytes(bundle);
  discardable_bytes_ += is_discardable ? bytes : 0 - bytes;
}

void BundleStore::set_expected(std::uint32_t bundle, bool is_expected) {
  bundle = chosen(bundle);
  if (is_expected_[bundle] == is_expected) return;
  is_expected_[bundle] = is_expected;
  const std::uint64_t bytes = unread_bytes(bundle);
  expected_bytes_ += is_expected ? bytes : 0 - bytes;
}

// Adds to the memory of an open bundle. To subtract, pass the negative number modulo 2^64.
void BundleStore::add_memory(std::uint32_t bundle, std::uint64_t bytes) {
  const std::uint64_t unread_before = unread_bytes(bundle);
  bundles_[bundle]->memory_bytes += bytes;
  memory_bytes_ += bytes;
  if (is_discardable_[bundle]) discardable_bytes_ += bytes;
  if (is_expected_[bundle]) expected_bytes_ += unread_bytes(bundle) - unread_before;
}

void BundleStore::give_back(OpenBundle& open) noexcept {
  for (PlainEntry& plain : open.opened.plain) memory_->give_back(std::move(plain.memory));
}

// Lists each missing bundle once. A bundle is before its dependencies.
std::vector<BundleStore::Missing> BundleStore::missing_of(std::span<const std::uint32_t> bundles) {
  std::vector<Missing> missing;
  missing.reserve(bundles.size());
  ++lists_;
  const auto add = [&](std::uint32_t bundle, std::uint32_t needed_by) {
    if (bundles_[bundle] || listed_in_[bundle] == lists_) return;
    listed_in_[bundle] = lists_;
    missing.push_back({.bundle = bundle, .needed_by = needed_by});
  };
  for (const std::uint32_t requested : bundles) {
    assert(requested < bundles_.size());
    const std::uint32_t bundle = chosen(requested);
    if (is_complete(bundle)) continue;
    add(bundle, bundle);
    // `each_dependency` visits direct and indirect dependencies, so no recursion is needed.
    choice_.each_dependency(bundle, [&](std::uint32_t needed) { add(needed, bundle); });
  }
  return missing;
}

void BundleStore::adopt(std::uint32_t bundle, OpenedBundle&& opened) {
  assert(bundle < bundles_.size() && chosen(bundle) == bundle && !bundles_[bundle]);
  ++counters_.bundles_opened;
  counters_.bundle_bytes += opened.file->bytes().size();
  for (const PlainEntry& plain : opened.plain) {
    if (!plain.is_read) continue;
    ++counters_.entries_read;
    counters_.plain_bytes += plain.bytes.size();
  }
  const std::uint64_t bytes = opened.memory_bytes();
  bundles_[bundle].emplace(std::move(opened));
  if (is_expected_[bundle]) expected_bytes_ += unread_bytes(bundle);
  add_memory(bundle, bytes);
}

tl::unexpected<Error> BundleStore::failed(ErrorCode code, std::string message) {
  ++counters_.failures;
  return fail(code, std::move(message));
}

}  // namespace muster
