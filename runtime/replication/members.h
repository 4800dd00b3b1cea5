// What belongs to one replicated entity: its prefab's root and all below it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/spawn/hot_reload.h"
#include "runtime/spawn/prefab_plan.h"
#include "runtime/world/world.h"

namespace muster {

/// Members of a replicated entity that are looked at; a prefab with more has its last ones still.
inline constexpr std::uint32_t kMembersMax = 255;

/// A component of a member, as the wire names it: `Health` of the root, `3/Health` of the third
/// entity below it, depth first. So both ends know which entity is meant, whatever else their
/// versions of the prefab have.
struct MemberComponent {
  std::uint32_t member = 0;
  std::string_view component;
  friend bool operator==(const MemberComponent&, const MemberComponent&) = default;
};
std::string wire_name(const MemberComponent& of);
/// The reverse, a view into `name`; nothing when it is no such name. Names come from the network.
std::optional<MemberComponent> member_component(std::string_view name);

/// Puts a root and all below it into `out`, depth first, at most `kMembersMax` of them. What was
/// spawned below it on its own (it has a `PrefabLink`) does not belong to it. Of an instance that a
/// reload has rebuilt, `instances` (null for none) says what belongs to it.
void list_members(const World& world, const PrefabInstances* instances, EntityId root,
                  std::vector<Creation>& out);
/// The members of an instance that a reload has rebuilt; others are left as they are.
void follow_rebuild(const World& world, const PrefabInstances* instances,
                    std::vector<Creation>& members);

/// The same of a prefab: indices of its entities, those of its first root.
std::vector<std::uint32_t> members_of(const PrefabPlan& plan);

}  // namespace muster
