// A flattened prefab as plain data: what flattening produces and `encode_prefab` writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"

namespace muster {

/// A component in its final binary layout.
struct CookedComponent {
  ContentHash description_hash{};  ///< `ComponentDescription::hash()` of the description used.
  ByteVector data{};               ///< Exactly the description's `size_bytes`, padding zeroed.
};

struct PrefabComponent {
  std::string type{};                       ///< The description's name, or the type's name.
  std::optional<std::uint32_t> document{};  ///< Index of its document in the `object` entry.
  std::optional<CookedComponent> cooked{};  ///< None for a component without description.
};

struct PrefabEntity {
  std::string name{};
  std::int64_t source_id = 0;             ///< File id in the source, 0 for none.
  std::optional<std::uint32_t> parent{};  ///< Index of an entity before this one; none for a root.
  bool is_active = true;
  std::vector<PrefabComponent> components{};
};

/// Entities in depth-first order, at least one. A factory has exactly one.
struct PrefabData {
  std::vector<PrefabEntity> entities{};
};

}  // namespace muster
