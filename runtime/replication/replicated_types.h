// What a server replicates of each type of entity, worked out from its prefabs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "net/replication/replication_schema.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "runtime/spawn/spawner.h"

namespace muster {

/// A component of a type of entities.
struct ReplicatedComponent {
  std::uint32_t member = 0;  ///< Whose it is: 0 is the root, see `members.h`.
  ComponentId component;
  std::uint32_t first_value = 0;  ///< Its place among the values of the entity.
  std::uint32_t value_count = 0;
};

/// The schema of all types of a registry, and what its values are in this world. The types of both
/// have the same indices.
struct ReplicatedTypes {
  ReplicationSchema schema;
  std::vector<std::vector<ReplicatedComponent>> layouts;
};

struct ReplicatedTypesOptions {
  std::uint32_t registry = 0;  ///< Of replicated entities, by its index in the catalog.
  /// Components that mean nothing to others.
  std::span<const std::string_view> local{};
};

/// Loads every prefab of the registry and lists what of it travels, in the order of `list_group`:
/// what everyone receives, then the owner's, then that of all others. A component without fields
/// has nothing to send, and is left out; `PrefabLink` too. Fails as `Spawner::prepare` does, and
/// with `limit_exceeded` for more than the wire has room for.
Result<ReplicatedTypes> replicated_types(Spawner& spawner, const ReplicatedTypesOptions& options);

}  // namespace muster
