#include "runtime/replication/members.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace muster {
namespace {

std::span<const Creation> rebuilt(const World& world, const PrefabInstances* instances,
                                  EntityId root) {
  if (instances == nullptr) return {};
  const std::span<const Creation> made = instances->rebuilt(world, root);
  return made.first(std::min<std::size_t>(made.size(), kMembersMax));
}

}  // namespace

std::string wire_name(const MemberComponent& of) {
  if (of.member == 0) return std::string(of.component);
  return std::to_string(of.member) + "/" + std::string(of.component);
}

std::optional<MemberComponent> member_component(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string_view::npos) return MemberComponent{.member = 0, .component = name};
  MemberComponent of{.member = 0, .component = name.substr(slash + 1)};
  const char* const end = name.data() + slash;
  const auto [stopped, error] = std::from_chars(name.data(), end, of.member);
  const bool is_number = error == std::errc() && stopped == end && name.front() != '0';
  if (!is_number || of.member >= kMembersMax) return std::nullopt;
  return of;
}

void list_members(const World& world, const PrefabInstances* instances, EntityId root,
                  std::vector<Creation>& out) {
  const std::span<const Creation> made = rebuilt(world, instances, root);
  out.assign(made.begin(), made.end());
  if (!made.empty()) return;
  const std::optional<ComponentId> link = world.find_component("PrefabLink");
  const auto is_of_its_own = [&](EntityId entity) {
    return entity != root && link && world.has(*link, entity);
  };
  EntityId entity = world.is_alive(root) ? root : EntityId();
  while (!entity.is_null() && out.size() < kMembersMax) {
    const bool is_member = !is_of_its_own(entity);
    if (is_member) out.push_back(world.creation(entity));
    EntityId next = is_member ? world.first_child(entity) : EntityId();
    while (next.is_null() && entity != root) {
      next = world.next_sibling(entity);
      entity = world.parent(entity);
    }
    entity = next;
  }
}

void follow_rebuild(const World& world, const PrefabInstances* instances,
                    std::vector<Creation>& members) {
  const std::span<const Creation> made = rebuilt(world, instances, members.front().entity);
  if (!made.empty()) members.assign(made.begin(), made.end());
}

std::vector<std::uint32_t> members_of(const PrefabPlan& plan) {
  std::vector<std::uint32_t> members = depth_first(plan);
  members.resize(std::min<std::size_t>(members.size(), kMembersMax));
  return members;
}

}  // namespace muster
