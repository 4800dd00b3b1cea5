#include "runtime/replication/members.h"

#include <algorithm>
#include <charconv>

namespace muster {
namespace {

// Children come after their parents in a plan, in the order in which they are made.
void append_below(const PrefabPlan& plan, std::uint32_t entity, std::vector<std::uint32_t>& out) {
  if (out.size() == kMembersMax) return;
  out.push_back(entity);
  for (std::uint32_t i = entity + 1; i < plan.entities.size(); ++i) {
    if (plan.entities[i].parent == entity) append_below(plan, i, out);
  }
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

void list_members(const World& world, EntityId root, std::vector<EntityId>& out) {
  out.clear();
  const std::optional<ComponentId> link = world.find_component("PrefabLink");
  const auto is_of_its_own = [&](EntityId entity) {
    return entity != root && link && world.has(*link, entity);
  };
  EntityId entity = world.is_alive(root) ? root : EntityId();
  while (!entity.is_null() && out.size() < kMembersMax) {
    const bool is_member = !is_of_its_own(entity);
    if (is_member) out.push_back(entity);
    EntityId next = is_member ? world.first_child(entity) : EntityId();
    while (next.is_null() && entity != root) {
      next = world.next_sibling(entity);
      entity = world.parent(entity);
    }
    entity = next;
  }
}

bool list_rebuilt_members(const World& world, const PrefabInstances& instances, EntityId root,
                          std::span<const EntityId> listed, std::vector<EntityId>& out) {
  if (instances.rebuild_count(root) == 0) return false;
  const auto is_made = [&](EntityId entity) { return instances.has_made(root, entity); };
  if (listed.size() > 1 && std::ranges::any_of(listed.subspan(1), is_made)) return false;
  list_members(world, root, out);
  std::erase_if(out, [&](EntityId entity) { return entity != root && !is_made(entity); });
  return true;
}

std::vector<std::uint32_t> members_of(const PrefabPlan& plan) {
  std::vector<std::uint32_t> members;
  if (!plan.entities.empty()) append_below(plan, 0, members);
  return members;
}

}  // namespace muster
