// The catalog could return the same result, but decodes a whole record with its texts each time. A
// client resolves a type id for every entity that a snapshot spawns, so this table is made when the
// catalog is opened.
#include "runtime/assets/type_table.h"

#include <algorithm>

namespace muster {

TypeTable::TypeTable(const CatalogReader& catalog) {
  registries_.reserve(catalog.registry_count());
  for (std::uint32_t index = 0; index < catalog.registry_count(); ++index) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{index});
    const auto first = static_cast<std::uint32_t>(types_.size());
    registries_.push_back({.first = first, .count = registry.slot_count});
    types_.resize(types_.size() + registry.slot_count);
    for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
      const std::uint32_t number = registry.first_entry + i;
      const CatalogEntry entry = catalog.entry(number);
      names_.push_back(
          {.registry = RegistryIndex{index}, .asset = entry.guid, .type_id = entry.type_id});
      ResolvedType& resolved = types_[first + entry.type_id.value()];
      const bool is_better = resolved.bundle == layout::kNone && entry.bundle != layout::kNone;
      if (resolved.entry != layout::kNone && !is_better) continue;
      resolved = {.guid = entry.guid, .bundle = entry.bundle, .entry = number};
    }
  }
  std::ranges::sort(names_);
}

std::optional<TypeId> TypeTable::type_id_of(RegistryIndex registry, const Guid& asset) const {
  const Named wanted{.registry = registry, .asset = asset, .type_id = TypeId(0)};
  const auto found = std::ranges::lower_bound(names_, wanted);
  if (found == names_.end() || found->registry != registry || found->asset != asset) {
    return std::nullopt;
  }
  return found->type_id;
}

}  // namespace muster
