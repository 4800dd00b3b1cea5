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

/// A component of a type of entities.
struct ReplicatedComponent {
  std::uint32_t member = 0;  ///< The member that has it: 0 is the root, see `members.h`.
  ComponentId component;
  std::uint32_t first_value = 0;  ///< Index among the values of the entity.
  std::uint32_t value_count = 0;
};

/// The schema of all types of a registry, and the matching layouts in this world. A type has the
/// same index in both.
struct ReplicatedTypes {
  ReplicationSchema schema;
  std::vector<std::vector<ReplicatedComponent>> layouts;
};

struct ReplicatedTypesOptions {
  std::uint32_t registry = 0;  ///< The registry of replicated entities, as an index in the catalog.
  /// Components that are never sent.
  std::span<const std::string_view> local{};
};

/// Loads every prefab of the registry and lists its replicated components in the order of
/// `list_group`: those for everyone, those for the owner, those for all others. Components without
/// fields and `PrefabLink` are left out. Fails as `Spawner::prepare` does, and with
/// `limit_exceeded` for more than the wire format allows.
Result<ReplicatedTypes> replicated_types(Spawner& spawner, const ReplicatedTypesOptions& options);

}  // namespace muster
