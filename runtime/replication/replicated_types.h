// The replicated types of a server, derived from its prefabs.
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

/// A component of a replicated type.
struct ReplicatedComponent {
  std::uint32_t member = 0;  ///< The member that has the component; 0 is the root. See `members.h`.
  ComponentId component;
  std::uint32_t first_value = 0;  ///< The index of the first value among the values of the entity.
  std::uint32_t value_count = 0;
};

/// The schema of all types in a registry, and the layout of each type in this world. A type has the
/// same index in `schema` and `layouts`.
struct ReplicatedTypes {
  ReplicationSchema schema;
  std::vector<std::vector<ReplicatedComponent>> layouts;
};

struct ReplicatedTypesOptions {
  RegistryIndex registry{};  ///< The index of the registry of replicated entities in the catalog.
  /// The names of components that are never sent.
  std::span<const std::string_view> local{};
};

/// Loads every prefab of the registry and lists its replicated components. The components for all
/// clients are first, then the components for the owner, and then the components for all clients
/// except the owner (`list_group`). Leaves out `PrefabLink` and components without fields. Fails if
/// a prefab cannot be loaded, with the code of `Spawner::prepare`. Fails with `limit_exceeded` if
/// there are more types, components or values than the wire format allows.
Result<ReplicatedTypes> replicated_types(Spawner& spawner, const ReplicatedTypesOptions& options);

}  // namespace muster
