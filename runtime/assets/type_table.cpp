// The catalog answers the same question, but decodes a whole record for it, texts included. A
// client asks for every entity that a snapshot spawns, so the answer is laid out once, on opening.
#include "runtime/assets/type_table.h"

namespace muster {

TypeTable::TypeTable(const CatalogReader& catalog) {
  registries_.reserve(catalog.registry_count());
  for (std::uint32_t index = 0; index < catalog.registry_count(); ++index) {
    const CatalogRegistry registry = catalog.registry(index);
    const auto first = static_cast<std::uint32_t>(places_.size());
    registries_.push_back({.first = first, .count = registry.slot_count});
    places_.resize(places_.size() + registry.slot_count);
    for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
      const std::uint32_t number = registry.first_entry + i;
      const CatalogEntry entry = catalog.entry(number);
      TypePlace& place = places_[first + entry.type_id.value()];
      const bool is_better = place.bundle == layout::kNone && entry.bundle != layout::kNone;
      if (place.entry != layout::kNone && !is_better) continue;
      place = {.guid = entry.guid, .bundle = entry.bundle, .entry = number};
    }
  }
}

}  // namespace muster
