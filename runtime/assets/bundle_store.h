// A build's catalog and bundles: from a guid to bytes that were verified.
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

/// An entry's plain bytes. They lie in the store, and live until their bundle is closed. Those of a
/// raw entry that is not compressed may lie in a mapped file, where others can still change them;
/// what has a structure to follow (objects, prefabs) never does.
struct LoadedEntry {
  Bytes bytes;
  EntryKind kind = EntryKind::raw;
};

/// What a store has done so far.
struct BundleStoreCounters {
  std::uint64_t bundles_opened = 0;
  std::uint64_t bundle_bytes = 0;  ///< Of the files opened.
  std::uint64_t entries_read = 0;
  std::uint64_t plain_bytes = 0;  ///< Of the entries read.
  std::uint64_t cached_loads = 0;
  std::uint64_t failures = 0;
};

/// Loads the assets of one target of a build. A bundle is opened when something in it is first
/// asked for, together with the bundles that it depends on, and stays open until it is closed; its
/// bytes are compared with the hash in the catalog before anything in them is used. An entry is
/// decompressed once. Loading what was loaded before allocates nothing.
///
/// Where a bundle has alternatives, the one that fits the variants chosen on opening stands for it:
/// whoever asks for the bundle gets that one. To choose anew, open another store, which may share
/// the memory, and let what is alive follow (`PrefabInstances::reload`).
///
/// The source must outlive the store. One thread at a time. Failures are not remembered: the next
/// call tries again.
///
///     const VariantSetting settings[] = {{"quality", "low"}};
///     Result<BundleStore> store = BundleStore::open(source, {}, nullptr, settings);
///     Result<LoadedEntry> prefab = store.value().load(guid, kFlattenedPrefab);
class BundleStore {
 public:
  /// Whether a preview's catalog is welcome: one that cannot vouch for its bundles.
  enum class Catalogs : std::uint8_t { built, built_or_preview };

  /// Reads and checks the catalog; opens no bundle. Fails as the source and `CatalogReader::open`
  /// do, naming the file, with `malformed` for a folder in its place, and with `invalid_argument`
  /// for a preview that is not welcome. `memory`
  /// is where large buffers come from and go to; without one the store makes its own. `variants`
  /// are what is not to be as it is by default; fails as `BundleChoice::create` does.
  static Result<BundleStore> open(const BundleSource& source, Catalogs catalogs = Catalogs::built,
                                  std::shared_ptr<MemoryPool> memory = nullptr,
                                  std::span<const VariantSetting> variants = {});
  /// Closes every bundle: the pool gets the buffers, for whoever else has a part in it.
  ~BundleStore();
  BundleStore(BundleStore&&) noexcept = default;
  BundleStore& operator=(BundleStore&&) = delete;  // It would have to close those of the left side.

  const CatalogReader& catalog() const { return catalog_; }

  /// What a type id leads to; null when it is not assigned. One array read.
  /// `registry` is an index of the catalog.
  const TypePlace* resolve(std::uint32_t registry, TypeId type_id) const {
    return types_.find(registry, type_id);
  }

  /// The reverse: the type id of an asset in a registry. See `TypeTable::type_id_of`.
  std::optional<TypeId> type_id_of(std::uint32_t registry, const Guid& asset) const {
    return types_.type_id_of(registry, asset);
  }

  /// Returns one part of an asset (`kMainPayload`, `kFlattenedPrefab`, ...) from the bundle that
  /// the catalog names. Fails with `not_found` when the asset is not packed, has no such part, or
  /// its bundle is missing, with `truncated`, `hash_mismatch`, `malformed` or
  /// `unsupported_version` when that or one it depends on is damaged, and with `io` when a mapped
  /// bundle lost bytes (`MappingGuard`). A larger file is `hash_mismatch`, and a folder in place of
  /// a bundle is `malformed`. Entries that were loaded from a bundle before it lost bytes remain,
  /// except for raw entries that lie in the file. The message names the bundle and the asset.
  Result<LoadedEntry> load(const Guid& guid, std::int64_t local_id);

  /// The same from a bundle that the caller knows, by its index in the catalog.
  Result<LoadedEntry> load_from(std::uint32_t bundle, const Guid& guid, std::int64_t local_id);

  /// Opens and verifies a bundle and all that it depends on; nothing happens when it is open.
  Result<void> open_bundle(std::uint32_t bundle);
  /// The same for many, all of whose files are asked for at once (`BundleSource::open_all`). Stops
  /// at the first that fails; those before it are open.
  Result<void> open_bundles(std::span<const std::uint32_t> bundles);
  /// Opens bundles as `open_bundles` does, and reads every entry of them and of what they depend
  /// on: what a loading screen waits for. Small ones take less time together than one after the
  /// other. Stops at the first that fails; what was opened and read before it stays.
  Result<void> load_bundles(std::span<const std::uint32_t> bundles);
  bool is_open(std::uint32_t bundle) const { return bundles_[chosen(bundle)].has_value(); }

  /// Which bundle stands for which.
  const BundleChoice& choice() const { return choice_; }
  std::uint32_t chosen(std::uint32_t bundle) const { return choice_.chosen(bundle); }

  /// The reader of an open bundle. Requires: `is_open(bundle)`.
  const BundleReader& reader(std::uint32_t bundle) const;

  /// Closes one bundle, not those it depends on. Everything that was loaded from it dies; its large
  /// buffers serve the next one.
  void close_bundle(std::uint32_t bundle);

  /// Takes a bundle that was opened elsewhere, by another thread. Requires: one that
  /// `open_verified` made from this store's catalog; it is not open.
  void adopt(std::uint32_t bundle, OpenedBundle&& opened);

  /// Memory that an open bundle takes; 0 for a closed one.
  std::uint64_t memory_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    return open ? open->memory_bytes : 0;
  }
  /// Memory that an open bundle will take besides once all its entries have been read; 0 for a
  /// closed one.
  std::uint64_t unread_bytes(std::uint32_t bundle) const {
    const std::optional<OpenBundle>& open = bundles_[chosen(bundle)];
    if (!open) return 0;
    const std::uint64_t whole = open->opened.whole_memory_bytes();
    return whole - std::min(whole, open->memory_bytes);
  }
  /// Memory that all open bundles take.
  std::uint64_t memory_bytes() const { return memory_bytes_; }

  /// Marks a bundle that may be closed when memory is short, for a loader. The mark stays when the
  /// bundle is closed or opened.
  void set_discardable(std::uint32_t bundle, bool is_discardable);
  /// Memory that the open bundles take that are marked so.
  std::uint64_t discardable_bytes() const { return discardable_bytes_; }

  /// Marks a bundle for whose unread entries memory is kept, for a loader. The mark stays when the
  /// bundle is closed or opened.
  void set_expected(std::uint32_t bundle, bool is_expected);
  /// `unread_bytes` of all bundles that are marked so.
  std::uint64_t expected_bytes() const { return expected_bytes_; }

  const BundleSource& source() const { return *source_; }

  /// The buffers of closed bundles, for whoever loads into this store.
  const std::shared_ptr<MemoryPool>& memory() const { return memory_; }

  /// What its bundles are decompressed with, for whoever loads into this store; null for none.
  const std::shared_ptr<const DictionarySet>& dictionaries() const {
    return decompressor_.dictionaries();
  }

  /// `bundles/<guid>.mbundle (Prefabs/Hero.prefab)`: what a message calls a bundle.
  std::string describe(std::uint32_t bundle) const { return describe_bundle(catalog_, bundle); }

  const BundleStoreCounters& counters() const { return counters_; }

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};

  struct OpenBundle {
    explicit OpenBundle(OpenedBundle&& adopted) noexcept : opened(std::move(adopted)) {}
    OpenedBundle opened;
    std::uint64_t memory_bytes = 0;  ///< As `OpenedBundle::memory_bytes`.
    bool is_whole = false;           ///< All entries have been read.
    /// `closings_` when its dependencies were last seen open; what was closed since may be one.
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
  /// A bundle that is to be opened, and the one that depends on it or is it.
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
  std::vector<std::optional<OpenBundle>> bundles_;  ///< By index in the catalog; none is closed.
  /// The number of the list of missing bundles that last had it, so that none is listed twice.
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
