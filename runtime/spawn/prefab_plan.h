// A prefab made ready for one world: what spawning it copies.
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
  std::int64_t source_id = 0;            ///< What the source file calls it; not unique when nested.
  std::uint32_t parent = layout::kNone;  ///< Index of an entity before this one; none for a root.
  NameId name = NameId::empty;
  std::uint32_t first_component = 0;
  std::uint32_t component_count = 0;
  bool is_active = true;
};

struct PlannedComponent {
  ComponentId id;
  std::uint32_t offset_bytes = 0;  ///< Of its value in `data`.
  std::uint32_t size_bytes = 0;
};

/// A checked prefab, in terms of a world. Owns all it needs: the bundle that it came from may be
/// closed. Valid for the world that it was made for.
struct PrefabPlan {
  Guid asset;                           ///< What it was loaded from; `Spawner` fills it in.
  std::vector<PlannedEntity> entities;  ///< Parents before children.
  std::vector<PlannedComponent> components;
  ByteVector data;
  /// The types of components that have no description, each once: their values stay in the asset's
  /// `object` entry, and nothing of them reaches the world.
  std::vector<std::string> other_types;
  std::uint32_t other_components = 0;  ///< How many components are of these.
};

/// Plans a flattened prefab (a factory's too: that is one of one entity). Fails with
/// `hash_mismatch` when a component was cooked with another description than the world has, with
/// `not_found` when the world does not know it, with `malformed` when an entity has two of a type;
/// the message names the component.
Result<PrefabPlan> plan_prefab(const PrefabReader& prefab, World& world);

/// Plans an asset that is no prefab (a hero's definition): one entity of that name; each document
/// counts as a component without description.
PrefabPlan plan_definition(const ObjectReader& object, std::string_view name, World& world);

/// Indices of the entities of a plan's first root, itself first, each before what is below it.
std::vector<std::uint32_t> depth_first(const PrefabPlan& plan);

}  // namespace muster
