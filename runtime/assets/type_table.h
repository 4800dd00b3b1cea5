// Finds guid and bundle of a type id with one array read.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/type_id.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// The result for a type id. Small enough for one memory read.
struct ResolvedType {
  Guid guid;
  std::uint32_t bundle = layout::kNone;  ///< The catalog's bundle that holds it.
  std::uint32_t entry = layout::kNone;   ///< The catalog's entry; none for an id without one.
};

/// The type ids of all registries of a catalog. If an id has several entries (an item's third and
/// first person), it keeps the first one that is packed; `CatalogReader::entries_of` has all. Plain
/// data: several threads may read.
class TypeTable {
 public:
  TypeTable() = default;
  /// Takes time and memory linear in the registries' slots.
  explicit TypeTable(const CatalogReader& catalog);

  /// Null if the id is not assigned, or the registry does not exist. Ids come from the network:
  /// every value is safe.
  const ResolvedType* find(std::uint32_t registry, TypeId type_id) const {
    if (registry >= registries_.size()) return nullptr;
    const Range& range = registries_[registry];
    if (type_id.value() >= range.count) return nullptr;
    const ResolvedType& resolved = types_[range.first + type_id.value()];
    return resolved.entry == layout::kNone ? nullptr : &resolved;
  }

  /// The reverse: the type id of an asset in a registry, whether it is the id's first entry or
  /// another (an item's first-person prefab); the lowest one if there are several. Logarithmic in
  /// the entries.
  std::optional<TypeId> type_id_of(std::uint32_t registry, const Guid& asset) const;

 private:
  struct Named {
    std::uint32_t registry = 0;
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
  std::vector<Named> names_;  ///< Sorted.
};

}  // namespace muster
