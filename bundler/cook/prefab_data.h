// A flattened prefab as plain data: the output of flattening and the input of `encode_prefab`.
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
  std::optional<CookedComponent> cooked{};  ///< Nullopt for a component without a description.
};

struct PrefabEntity {
  std::string name{};
  std::int64_t source_id = 0;             ///< The file id in the source; 0 for none.
  std::optional<std::uint32_t> parent{};  ///< The index of an earlier entity; nullopt for a root.
  bool is_active = true;
  std::vector<PrefabComponent> components{};
};

/// Entities in depth-first order, at least one. A factory has exactly one.
struct PrefabData {
  std::vector<PrefabEntity> entities{};
};

}  // namespace muster
