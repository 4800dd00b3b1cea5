// A prefab that is prepared for one world. A spawn copies this data.
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
  std::int64_t source_id = 0;  ///< The id of the entity in the source file. It is not unique if the
                               ///< prefab contains other prefabs.
  /// The index of the parent, which is an earlier entity; `kNone` for a root.
  std::uint32_t parent = layout::kNone;
  NameId name = NameId::empty;
  std::uint32_t first_component = 0;
  std::uint32_t component_count = 0;
  bool is_active = true;
};

struct PlannedComponent {
  ComponentId id;
  std::uint32_t offset_bytes = 0;  ///< The offset of the value in `data`.
  std::uint32_t size_bytes = 0;
};

/// A checked prefab with the components of a world. The plan owns its data, so the bundle may be
/// closed. The plan is valid only for the world for which it was made.
struct PrefabPlan {
  Guid asset;                           ///< The asset of the prefab; `Spawner` sets it.
  std::vector<PlannedEntity> entities;  ///< Parents before children.
  std::vector<PlannedComponent> components;
  ByteVector data;
  /// The types of the components without a description, each type once. The values of these
  /// components stay in the asset's `object` entry and are not added to the world.
  std::vector<std::string> other_types;
  std::uint32_t other_components = 0;  ///< The number of components without a description.
};

/// Plans a flattened prefab, or a factory (a prefab of one entity). Fails with `hash_mismatch` if a
/// component was cooked with a different description than the world's description. Fails with
/// `not_found` if the world does not have the component type, and with `malformed` if an entity has
/// two components of one type. The message names the component.
Result<PrefabPlan> plan_prefab(const PrefabReader& prefab, World& world);

/// Plans an asset that is not a prefab (for example a hero's definition) as one entity with the
/// given name. Each document of the asset counts as a component without a description.
PrefabPlan plan_definition(const ObjectReader& object, std::string_view name, World& world);

/// The indices of a plan's first root and of all entities below this root, depth first, the root
/// first.
std::vector<std::uint32_t> depth_first(const PrefabPlan& plan);

}  // namespace muster
