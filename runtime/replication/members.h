// The members of a replicated entity: its prefab's root and all entities below.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/wire_limits.h"
#include "runtime/spawn/hot_reload.h"
#include "runtime/spawn/prefab_plan.h"
#include "runtime/world/world.h"

namespace muster {

/// The maximum number of members of a replicated entity. Further ones are not replicated.
inline constexpr std::uint32_t kMembersMax = kReplicatedMembersMax;

/// A component of a member. Its name on the wire is `Health` for the root, and `3/Health` for the
/// third entity below the root, depth first. Both ends identify the entity by this number, even if
/// their versions of the prefab differ.
struct MemberComponent {
  std::uint32_t member = 0;
  std::string_view component;
  friend bool operator==(const MemberComponent&, const MemberComponent&) = default;
};
std::string wire_name(const MemberComponent& of);
/// The reverse; the result is a view into `name`. Returns nothing for an invalid name. Names come
/// from the network.
std::optional<MemberComponent> member_component(std::string_view name);

/// Puts a root and the entities below it into `out`, depth first, at most `kMembersMax` of them.
/// Entities that were spawned separately below it (with a `PrefabLink`) are not members. For an
/// instance that a reload has rebuilt, the members come from `instances` (null for none).
void list_members(const World& world, const PrefabInstances* instances, EntityId root,
                  std::vector<Creation>& out);
/// Updates the members of an instance that a reload has rebuilt. Members of other instances are not
/// changed.
void follow_rebuild(const World& world, const PrefabInstances* instances,
                    std::vector<Creation>& members);

/// The members in a prefab: indices of the entities of its first root.
std::vector<std::uint32_t> members_of(const PrefabPlan& plan);

}  // namespace muster
