// Type id to guid and bundle, by one array read.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/vocabulary/guid.h"
#include "registry/vocabulary/type_id.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// Where a type id leads. Small enough that one read of memory has all of it.
struct TypePlace {
  Guid guid;
  std::uint32_t bundle = layout::kNone;  ///< The catalog's bundle that holds it.
  std::uint32_t entry = layout::kNone;   ///< The catalog's entry; none for an id without one.
};

/// The type ids of all registries of a catalog. Of the several entries that an id may have (an
/// item's third and first person) it keeps the first one that is packed;
/// `CatalogReader::entries_of` has them all. Plain data: reading from several threads is safe.
class TypeTable {
 public:
  TypeTable() = default;
  /// Takes time and memory linear in the registries' slots.
  explicit TypeTable(const CatalogReader& catalog);

  /// Null when the id is not assigned, or the registry does not exist. Ids come from the network:
  /// every value is safe.
  const TypePlace* find(std::uint32_t registry, TypeId type_id) const {
    if (registry >= registries_.size()) return nullptr;
    const Range& range = registries_[registry];
    if (type_id.value() >= range.count) return nullptr;
    const TypePlace& place = places_[range.first + type_id.value()];
    return place.entry == layout::kNone ? nullptr : &place;
  }

 private:
  struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<Range> registries_;
  std::vector<TypePlace> places_;
};

}  // namespace muster
