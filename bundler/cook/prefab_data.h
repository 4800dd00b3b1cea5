// A flattened prefab as plain data. Flattening makes this data, and `encode_prefab` encodes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"

namespace muster {

/// A component in its binary layout in memory.
struct CookedComponent {
  ContentHash description_hash{};  ///< The `ComponentDescription::hash()` of the description.
  ByteVector data{};  ///< The value: exactly `size_bytes` of the description, with zero padding.
};

struct PrefabComponent {
  std::string type{};  ///< The name of the description, or of the type if there is no description.
  /// The index of the component's document in the `object` entry.
  std::optional<std::uint32_t> document{};
  /// The binary value; no value for a component without a description.
  std::optional<CookedComponent> cooked{};
};

struct PrefabEntity {
  std::string name{};
  std::int64_t source_id = 0;             ///< The file id in the source; 0 if there is no file id.
  std::optional<std::uint32_t> parent{};  ///< The index of an earlier entity; no value for a root.
  bool is_active = true;
  std::vector<PrefabComponent> components{};
};

/// A prefab: at least one entity, in depth-first order. The prefab of a factory has exactly one
/// entity.
struct PrefabData {
  std::vector<PrefabEntity> entities{};
};

}  // namespace muster
