// A build's catalog and bundles: finds verified bytes for a guid.
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

/// An entry's plain bytes. The store owns them; they are valid until their bundle is closed. An
/// uncompressed raw entry may be in a mapped file, where others can still change it; data with a
/// structure (objects, prefabs) never is.
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

/// Loads the assets of one target of a build. A bundle is opened when something in it is first
/// requested, together with its dependencies, and stays open until it is closed. Its bytes are
/// compared with the hash in the catalog before use. An entry is decompressed once. Loading it
/// again allocates nothing.
///
/// If a bundle has alternatives, the one that matches the variants chosen on opening replaces it.
/// To change the choice, open another store, which may share the memory, and update existing
/// objects (`PrefabInstances::reload`).
///
/// The source must outlive the store. One thread at a time. Failures are not cached: the next call
/// tries again.
///
///     const VariantSetting settings[] = {{"quality", "low"}};
///     Result<BundleStore> store = BundleStore::open(source, {}, nullptr, settings);
///     Result<LoadedEntry> prefab = store.value().load(guid, kFlattenedPrefab);
class BundleStore {
 public:
  /// Whether a preview's catalog is accepted, which cannot guarantee its bundles.
  enum class Catalogs : std::uint8_t { built, built_or_preview };

  /// Reads and checks the catalog; opens no bundle. Fails like the source and
  /// `CatalogReader::open`, with the file's name, with `malformed` for a folder in its place, and
  /// with `invalid_argument` for a preview that is not accepted. `memory` is the pool of large
  /// buffers; without one the store makes its own. `variants` are the choices that differ from the
  /// default; fails like `BundleChoice::create`.
  static Result<BundleStore> open(const BundleSource& source, Catalogs catalogs = Catalogs::built,
                                  std::shared_ptr<MemoryPool> memory = nullptr,
                                  std::span<const VariantSetting> variants = {});
  /// Closes every bundle and returns the buffers to the pool.
  ~BundleStore();
  BundleStore(BundleStore&&) noexcept = default;
  BundleStore& operator=(BundleStore&&) = delete;  // It would have to close the bundles of the left
                                                   // side.

  const CatalogReader& catalog() const { return catalog_; }

  /// The guid and bundle of a type id; null if it is not assigned. One array read. `registry` is an
  /// index of the catalog.
  const ResolvedType* resolve(std::uint32_t registry, TypeId type_id) const {
    return types_.find(registry, type_id);
  }

  /// The reverse: the type id of an asset in a registry. See `TypeTable::type_id_of`.
  std::optional<TypeId> type_id_of(std::uint32_t registry, const Guid& asset) const {
    return types_.type_id_of(registry, asset);
  }

  /// Returns one part of an asset (`kMainPayload`, `kFlattenedPrefab`, ...) from the bundle that
  /// the catalog names. Fails with `not_found` if the asset is not packed, has no such part, or its
  /// bundle is missing; with `truncated`, `hash_mismatch`, `malformed` or `unsupported_version` if
  /// that bundle or one of its dependencies is damaged; and with `io` if a mapped bundle lost bytes
  /// (`MappingGuard`). A larger file is `hash_mismatch`, and a folder in place of a bundle is
  /// `malformed`. Entries that were loaded before the bundle lost bytes stay valid, except raw
  /// entries in the file. The message contains the bundle and the asset.
  Result<LoadedEntry> load(const Guid& guid, std::int64_t local_id);

  /// The same from a known bundle, by its index in the catalog.
  Result<LoadedEntry> load_from(std::uint32_t bundle, const Guid& guid, std::int64_t local_id);

  /// Opens and verifies a bundle and all its dependencies; does nothing if it is open.
  Result<void> open_bundle(std::uint32_t bundle);
  /// The same for many bundles, whose files are requested together (`BundleSource::open_all`).
  /// Stops at the first failure; earlier bundles are open.
  Result<void> open_bundles(std::span<const std::uint32_t> bundles);
  /// Opens bundles like `open_bundles`, and reads every entry of them and of their dependencies,
  /// for loading screens. Small ones take less time together than one after another. Stops at the
  /// first failure; what was opened and read before stays.
  Result<void> load_bundles(std::span<const std::uint32_t> bundles);
  bool is_open(std::uint32_t bundle) const { return bundles_[chosen(bundle)].has_value(); }

  /// The choice of variants.
  const BundleChoice& choice() const { return choice_; }
  std::uint32_t chosen(std::uint32_t bundle) const { return choice_.chosen(bundle); }

  /// The reader of an open bundle. Requires: `is_open(bundle)`.
  const BundleReader& reader(std::uint32_t bundle) const;

  /// Closes one bundle, not its dependencies. Everything loaded from it becomes invalid; its large
  /// buffers are reused.
  void close_bundle(std::uint32_t bundle);

  /// Takes over a bundle that another thread opened. Requires: a result of `open_verified` with
  /// this store's catalog, which is not open yet.
  void adopt(std::uint32_t bundle, OpenedBundle&& opened);

  /// The memory of an open bundle; 0 for a closed one.
  std::uint64_t memory_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    return open ? open->memory_bytes : 0;
  }
  /// The additional memory of an open bundle once all its entries are read; 0 for a closed one.
  std::uint64_t unread_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    if (!open) return 0;
    const std::uint64_t whole = open->opened.whole_memory_bytes();
    return whole - std::min(whole, open->memory_bytes);
  }
  /// The memory of all open bundles.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

  /// For a loader: marks a bundle that may be closed when memory is short. The mark stays when the
  /// bundle is closed or opened.
  void set_discardable(std::uint32_t bundle, bool is_discardable);
  /// The memory of the open bundles with that mark.
  std::uint64_t discardable_bytes() const { return discardable_bytes_; }

  /// For a loader: marks a bundle for whose unread entries memory is reserved. The mark stays when
  /// the bundle is closed or opened.
  void set_expected(std::uint32_t bundle, bool is_expected);
  /// `unread_bytes` of all bundles with that mark.
  std::uint64_t expected_bytes() const { return expected_bytes_; }

  const BundleSource& source() const { return *source_; }

  /// The buffers of closed bundles, for code that loads into this store.
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }

  /// The dictionaries of its bundles, for code that loads into this store; null means none.
  const std::shared_ptr<const DictionarySet>& dictionaries() const {
    return decompressor_.dictionaries();
  }

  /// The name of a bundle in messages: `bundles/<guid>.mbundle (Prefabs/Hero.prefab)`.
  std::string describe(std::uint32_t bundle) const { return describe_bundle(catalog_, bundle); }

  const BundleStoreCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct OpenBundle {
    explicit OpenBundle(OpenedBundle&& adopted) noexcept : opened(std::move(adopted)) {}
    OpenedBundle opened;
    std::uint64_t memory_bytes = 0;  ///< The result of `OpenedBundle::memory_bytes`.
    bool is_complete = false;        ///< All entries are read.
    /// The value of `closings_` when all its dependencies were last known to be open. If
    /// `closings_` has changed, one of them may be closed.
    std::uint64_t dependencies_seen_at = kNever;
  };

  BundleStore(const BundleSource& source, std::unique_ptr<HeldFile> file, BundleChoice choice,
              const CatalogReader& catalog, std::shared_ptr<const DictionarySet> dictionaries,
              std::shared_ptr<MemoryPool> memory);
  bool has_dependencies(std::uint32_t bundle) const {
    return bundles_[bundle]->dependencies_seen_at == closings_;
  }
  bool is_complete(std::uint32_t bundle) const {
    return bundles_[bundle] && has_dependencies(bundle);
  }
  /// A bundle to open, and the one that depends on it (or itself).
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
  std::unique_ptr<HeldFile> catalog_file_;
  CatalogReader catalog_;
  BundleChoice choice_;
  TypeTable types_;
  /// By index in the catalog; empty means closed.
  std::vector<std::optional<OpenBundle>> bundles_;
  /// By bundle: the number of the last list that contains it, so that no list contains it twice.
  std::vector<std::uint64_t> listed_in_;
  std::uint64_t lists_ = 0;
  std::uint64_t closings_ = 0;
  std::uint64_t memory_bytes_ = 0;
  std::vector<bool> is_discardable_;  ///< By index in the catalog.
  std::uint64_t discardable_bytes_ = 0;
  std::vector<bool> is_expected_;  ///< By index in the catalog.
  std::uint64_t expected_bytes_ = 0;
  std::shared_ptr<MemoryPool> memory_;
  Decompressor decompressor_;
  BundleStoreCounters counters_;
};

}  // namespace muster
