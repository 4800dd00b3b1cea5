// The members of a replicated entity. The members are the root of its prefab and all entities below
// the root.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/wire_limits.h"
#include "runtime/spawn/prefab_instances.h"
#include "runtime/spawn/prefab_plan.h"
#include "runtime/world/world.h"

namespace muster {

/// The maximum number of members of a replicated entity. Further entities are not replicated.
inline constexpr std::uint32_t kMembersMax = kReplicatedMembersMax;

/// A component of a member. For example, the wire name of a component is `Health` for the root, and
/// `3/Health` for the third entity below the root, depth first. Server and client identify the
/// entity by this number, even if their versions of the prefab differ.
struct MemberComponent {
  std::uint32_t member = 0;
  std::string_view component;
  friend bool operator==(const MemberComponent&, const MemberComponent&) = default;
};
std::string wire_name(const MemberComponent& of);
/// Parses a result of `wire_name`. The result is a view into `name`. Returns no value for an
/// invalid name, because names come from the network.
std::optional<MemberComponent> member_component(std::string_view name);

/// Writes a root and the entities below the root into `out`, depth first, at most `kMembersMax`. An
/// entity below the root that was spawned separately (it has a `PrefabLink`) is not a member. If a
/// reload has rebuilt the instance, the members come from `instances`, which may be null.
void list_members(const World& world, const PrefabInstances* instances, EntityId root,
                  std::vector<Creation>& out);
/// Updates the members of an instance that a reload has rebuilt. Members of other instances are not
/// changed.
void follow_rebuild(const World& world, const PrefabInstances* instances,
                    std::vector<Creation>& members);

/// The indices of the members in a prefab. The members are the first root and all entities below
/// the root.
std::vector<std::uint32_t> members_of(const PrefabPlan& plan);

}  // namespace muster
