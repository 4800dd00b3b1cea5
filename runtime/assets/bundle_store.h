// Reads the catalog and the bundles of a build, and returns verified bytes for a guid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/assets/bundle_source.h"
#include "runtime/assets/memory_pool.h"
#include "runtime/assets/opened_bundle.h"
#include "runtime/assets/type_table.h"
#include "runtime/bundle/bundle_choice.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// The name of a target's catalog in its folder.
inline constexpr std::string_view kCatalogFile = "catalog.mcat";

/// The plain bytes of an entry. The store owns the bytes, and they are valid until their bundle is
/// closed. The bytes of an uncompressed raw entry may be in a mapped file, where other programs can
/// still change them. The bytes of objects and prefabs are never in a mapped file.
struct LoadedEntry {
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
};

/// The counters of a store.
struct BundleStoreCounters {
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;  ///< Total size of the opened files.
  std::uint64_t entries_read = 0;
  std::uint64_t plain_bytes = 0;  ///< Total size of the entries that were read.
  std::uint64_t cached_loads = 0;
  std::uint64_t failures = 0;
};

/// Loads the assets of one target of a build. The first request for an entry of a bundle opens the
/// bundle and its dependencies. A bundle stays open until it is closed. The store compares the
/// bytes of a bundle with the hash in the catalog before it uses them. An entry is decompressed
/// once. Loading the entry again allocates nothing.
///
/// If a bundle has alternatives, the store uses the alternative that matches the variants chosen in
/// `open`. To change the choice, open another store and update existing objects
/// (`PrefabInstances::reload`). The two stores may share one memory pool.
///
/// The source must outlive the store. Only one thread at a time may use the store. Failures are not
/// cached: the next call tries again.
///
///     const VariantSetting settings[] = {{"quality", "low"}};
///     Result<BundleStore> store = BundleStore::open(source, {}, nullptr, settings);
///     Result<LoadedEntry> prefab = store.value().load(guid, kFlattenedPrefab);
class BundleStore {
 public:
  /// Whether the catalog of a preview is accepted. The catalog of a preview has no hashes that
  /// verify its bundles.
  enum class Catalogs : std::uint8_t { built, built_or_preview };

  /// Reads and checks the catalog, and opens no bundle. Fails if the catalog cannot be read or is
  /// damaged, or if `variants` is not valid, with the code of the source, of `CatalogReader::open`
  /// or of `BundleChoice::create`. Also fails with `malformed` if the catalog's path is a folder,
  /// and with `invalid_argument` for a preview that is not accepted. The message names the file.
  /// `memory` is the pool of large buffers; if it is null, the store creates a pool. `variants` are
  /// the choices that differ from the default.
  static Result<BundleStore> open(const BundleSource& source, Catalogs catalogs = Catalogs::built,
                                  std::shared_ptr<MemoryPool> memory = nullptr,
                                  std::span<const VariantSetting> variants = {});
  /// Closes every bundle and returns the buffers to the pool.
  ~BundleStore();
  BundleStore(BundleStore&&) noexcept = default;
  // Assignment would have to close the bundles of the left side.
  BundleStore& operator=(BundleStore&&) = delete;

  const CatalogReader& catalog() const { return catalog_; }

  /// The guid and the bundle of a type id; null if the type id is not assigned. The function reads
  /// one array element. `registry` is the index of a registry in the catalog.
  const ResolvedType* resolve(RegistryIndex registry, TypeId type_id) const {
    return types_.find(registry, type_id);
  }

  /// The type id of an asset in a registry. See `TypeTable::type_id_of`.
  std::optional<TypeId> type_id_of(RegistryIndex registry, const Guid& asset) const {
    return types_.type_id_of(registry, asset);
  }

  /// Returns one part of an asset (`kMainPayload`, `kFlattenedPrefab`, ...) from the bundle that
  /// the catalog names. Fails with `not_found` if the asset is not packed, if the asset has no such
  /// part, or if the bundle is missing. Fails with `truncated`, `hash_mismatch`, `malformed` or
  /// `unsupported_version` if the bundle or one of its dependencies is damaged. Fails with `io` if
  /// a mapped bundle lost bytes (`MappingGuard`). Fails with `hash_mismatch` if the file is larger
  /// than in the catalog, and with `malformed` if a folder is in place of the bundle. If a bundle
  /// loses bytes, entries that were loaded earlier stay valid, except raw entries in the mapped
  /// file. The message names the bundle and the asset.
  Result<LoadedEntry> load(const Guid& guid, std::int64_t local_id);

  /// Does the same as `load`, but from a known bundle. `bundle` is the bundle's index in the
  /// catalog.
  Result<LoadedEntry> load_from(std::uint32_t bundle, const Guid& guid, std::int64_t local_id);

  /// Opens and verifies a bundle and all its dependencies. Does nothing if the bundle is open.
  Result<void> open_bundle(std::uint32_t bundle);
  /// Does the same as `open_bundle` for many bundles. Requests their files together
  /// (`BundleSource::open_all`). Stops at the first failure. The bundles before the failed bundle
  /// are then open.
  Result<void> open_bundles(std::span<const std::uint32_t> bundles);
  /// Opens bundles as `open_bundles` does, and reads every entry of these bundles and of their
  /// dependencies. Use this function for loading screens. Loading small bundles together takes less
  /// time than loading them one after another. Stops at the first failure. Bundles that were opened
  /// before the failure stay open.
  Result<void> load_bundles(std::span<const std::uint32_t> bundles);
  bool is_open(std::uint32_t bundle) const { return bundles_[chosen(bundle)].has_value(); }

  /// The chosen variants.
  const BundleChoice& choice() const { return choice_; }
  std::uint32_t chosen(std::uint32_t bundle) const { return choice_.chosen(bundle); }

  /// The reader of an open bundle. Requires: `is_open(bundle)`.
  const BundleReader& reader(std::uint32_t bundle) const;

  /// Closes one bundle, but not its dependencies. All bytes that were loaded from the bundle become
  /// invalid. The bundle's large buffers return to the pool.
  void close_bundle(std::uint32_t bundle);

  /// Adds a bundle that another thread opened. Requires: the bundle is not open in this store, and
  /// `opened` is a result of `open_verified` with this store's catalog.
  void adopt(std::uint32_t bundle, OpenedBundle&& opened);

  /// The memory of an open bundle in bytes; 0 for a closed bundle.
  std::uint64_t memory_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    return open ? open->memory_bytes : 0;
  }
  /// The memory in bytes that an open bundle will need for its unread entries; 0 for a closed
  /// bundle.
  std::uint64_t unread_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    if (!open) return 0;
    const std::uint64_t whole = open->opened.whole_memory_bytes();
    return whole - std::min(whole, open->memory_bytes);
  }
  /// The memory of all open bundles in bytes.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

  /// Marks a bundle that may be closed when memory is short. A loader calls this function. Closing
  /// or opening the bundle does not change the mark.
  void set_discardable(std::uint32_t bundle, bool is_discardable);
  /// The total memory of the open bundles that are marked by `set_discardable`, in bytes.
  std::uint64_t discardable_bytes() const { return discardable_bytes_; }

  /// Marks a bundle whose unread entries have reserved memory. A loader calls this function.
  /// Closing or opening the bundle does not change the mark.
  void set_expected(std::uint32_t bundle, bool is_expected);
  /// The sum of `unread_bytes` over all bundles that are marked by `set_expected`.
  std::uint64_t expected_bytes() const { return expected_bytes_; }

  const BundleSource& source() const { return *source_; }

  /// The pool with the buffers of closed bundles. Code that loads bundles for this store should use
  /// this pool.
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }

  /// The dictionaries of the build; null if the build has no dictionaries. Code that loads bundles
  /// for this store needs them.
  const std::shared_ptr<const DictionarySet>& dictionaries() const {
    return decompressor_.dictionaries();
  }

  /// The name that messages use for a bundle, for example `bundles/<guid>.mbundle
  /// (Prefabs/Hero.prefab)`.
  std::string describe(std::uint32_t bundle) const { return describe_bundle(catalog_, bundle); }

  const BundleStoreCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct OpenBundle {
    explicit OpenBundle(OpenedBundle&& adopted) noexcept : opened(std::move(adopted)) {}
    OpenedBundle opened;
    std::uint64_t memory_bytes = 0;
    bool is_complete = false;  ///< True if all entries are read.
    /// All dependencies of the bundle were open when `closings_` had this value. If `closings_` has
    /// changed since then, a dependency may be closed.
    std::uint64_t dependencies_seen_at = kNever;
  };

  BundleStore(const BundleSource& source, std::unique_ptr<BundleFile> file, BundleChoice choice,
              const CatalogReader& catalog, std::shared_ptr<const DictionarySet> dictionaries,
              std::shared_ptr<MemoryPool> memory);
  bool has_dependencies(std::uint32_t bundle) const {
    return bundles_[bundle]->dependencies_seen_at == closings_;
  }
  bool is_complete(std::uint32_t bundle) const {
    return bundles_[bundle] && has_dependencies(bundle);
  }
  /// A bundle to open, and the requested bundle. The requested bundle depends on the bundle to
  /// open, or is the same bundle.
  struct Missing {
    std::uint32_t bundle = 0;
    std::uint32_t needed_by = 0;
  };
  void give_back(OpenBundle& open) noexcept;
  void add_memory(std::uint32_t bundle, std::uint64_t bytes);
  std::size_t count_together(std::span<const std::uint32_t> bundles) const;
  Result<void> read_whole(std::uint32_t bundle);
  Result<void> read_once(std::uint32_t bundle, std::uint32_t index);
  std::vector<Missing> missing_of(std::span<const std::uint32_t> bundles);
  tl::unexpected<Error> failed(ErrorCode code, std::string message);

  const BundleSource* source_;
  std::unique_ptr<BundleFile> catalog_file_;
  CatalogReader catalog_;
  BundleChoice choice_;
  TypeTable types_;
  /// The open bundles by index in the catalog. A closed bundle has no value.
  std::vector<std::optional<OpenBundle>> bundles_;
  /// For each bundle, the number of the last list that contains it. No list contains a bundle
  /// twice.
  std::vector<std::uint64_t> listed_in_;
  std::uint64_t lists_ = 0;
  std::uint64_t closings_ = 0;
  std::uint64_t memory_bytes_ = 0;
  std::vector<bool> is_discardable_;  ///< The marks of `set_discardable`, by bundle.
  std::uint64_t discardable_bytes_ = 0;
  std::vector<bool> is_expected_;  ///< The marks of `set_expected`, by bundle.
  std::uint64_t expected_bytes_ = 0;
  std::shared_ptr<MemoryPool> memory_;
  Decompressor decompressor_;
  BundleStoreCounters counters_;
};

}  // namespace muster
