// Finds the guid and the bundle of a type id with one array read.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/type_id.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// The asset of a type id. The struct is small enough for one memory read.
struct ResolvedType {
  Guid guid;
  std::uint32_t bundle = layout::kNone;  ///< The index of the bundle that contains the asset.
  std::uint32_t entry = layout::kNone;   ///< The index of the entry in the catalog; `kNone` for an
                                         ///< id without an entry.
};

/// The type ids of all registries of a catalog. If a type id has several entries (for example an
/// item's prefabs for third and first person), the table has the first entry that is packed;
/// `CatalogReader::entries_of` lists all entries. Several threads may read a table.
class TypeTable {
 public:
  TypeTable() = default;
  /// Time and memory are linear in the number of type ids of all registries.
  explicit TypeTable(const CatalogReader& catalog);

  /// The asset of a type id. Null if the id is not assigned, or if the registry does not exist.
  /// Every value is safe, because ids come from the network.
  const ResolvedType* find(RegistryIndex registry, TypeId type_id) const {
    const std::size_t index = catalog_index(registry);
    if (index >= registries_.size()) return nullptr;
    const Range& range = registries_[index];
    if (type_id.value() >= range.count) return nullptr;
    const ResolvedType& resolved = types_[range.first + type_id.value()];
    return resolved.entry == layout::kNone ? nullptr : &resolved;
  }

  /// The type id of an asset in a registry. The asset may be any entry of the id, not only the
  /// first entry. If several ids have the asset, returns the lowest id. The time is logarithmic in
  /// the number of entries.
  std::optional<TypeId> type_id_of(RegistryIndex registry, const Guid& asset) const;

 private:
  struct Named {
    RegistryIndex registry{};
    Guid asset;
    TypeId type_id;
    friend auto operator<=>(const Named&, const Named&) = default;
  };
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Range> registries_;
  std::vector<ResolvedType> types_;
  std::vector<Named> names_;  ///< All assets of all registries with their type ids, sorted.
};

}  // namespace muster
