// A prefab prepared for one world: the data that spawning copies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/bytes.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "runtime/bundle/object_reader.h"
#include "runtime/bundle/prefab_reader.h"
#include "runtime/world/world.h"

namespace muster {

struct PlannedEntity {
  std::int64_t source_id = 0;            ///< Its id in the source file; not unique when nested.
  std::uint32_t parent = layout::kNone;  ///< Index of an earlier entity; none for a root.
  NameId name = NameId::empty;
  std::uint32_t first_component = 0;
  std::uint32_t component_count = 0;
  bool is_active = true;
};

struct PlannedComponent {
  ComponentId id;
  std::uint32_t offset_bytes = 0;  ///< Offset of its value in `data`.
  std::uint32_t size_bytes = 0;
};

/// A checked prefab with the components of a world. Owns its data, so the bundle may be closed.
/// Valid only for the world that it was made for.
struct PrefabPlan {
  Guid asset;                           ///< Its source; `Spawner` sets it.
  std::vector<PlannedEntity> entities;  ///< Parents before children.
  std::vector<PlannedComponent> components;
  ByteVector data;
  /// The types of components without a description, each once. Their values stay in the asset's
  /// `object` entry; the world does not get them.
  std::vector<std::string> other_types;
  std::uint32_t other_components = 0;  ///< The number of components of these types.
};

/// Plans a flattened prefab, or a factory (a prefab of one entity). Fails with `hash_mismatch` if a
/// component was cooked with another description than the world has, `not_found` if the world lacks
/// it, and `malformed` if an entity has two components of one type; the message names the
/// component.
Result<PrefabPlan> plan_prefab(const PrefabReader& prefab, World& world);

/// Plans an asset that is no prefab (a hero's definition) as one entity with the given name. Each
/// document counts as a component without a description.
PrefabPlan plan_definition(const ObjectReader& object, std::string_view name, World& world);

/// The indices of the entities of a plan's first root, depth first: the root, then everything
/// below.
std::vector<std::uint32_t> depth_first(const PrefabPlan& plan);

}  // namespace muster
