#include "runtime/spawn/prefab_instances.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <optional>
#include <set>

#include "runtime/bundle/bundle_layout.h"
#include "runtime/spawn/prefab_link.h"

namespace muster {
namespace {

// True for a prefab of a plain file. Plain files have no ids, so the source id of an entity is its
// position in the file.
bool has_ids_by_index(const PrefabPlan& plan) {
  for (std::size_t i = 0; i < plan.entities.size(); ++i) {
    if (plan.entities[i].source_id != static_cast<std::int64_t>(i) + 1) return false;
  }
  return true;
}

// Whether both plans have the same entities. In plain files, entities below the root must have the
// same position and name in both plans. In files with ids, an entity counts as different if its new
// name is a name that another entity had in the old plan.
bool have_same_structure(const PrefabPlan& a, const PrefabPlan& b) {
  const bool is_by_name = has_ids_by_index(a);
  const auto has_same_name = [&](const PlannedEntity& x, const PlannedEntity& y) {
    if (x.parent == layout::kNone || x.name == y.name) return true;
    return !is_by_name && std::ranges::count(a.entities, y.name, &PlannedEntity::name) == 0;
  };
  const auto same_entity = [&](const PlannedEntity& x, const PlannedEntity& y) {
    return x.source_id == y.source_id && x.parent == y.parent &&
           x.first_component == y.first_component && x.component_count == y.component_count &&
           has_same_name(x, y);
  };
  const auto same_component = [](const PlannedComponent& x, const PlannedComponent& y) {
    return x.id == y.id && x.offset_bytes == y.offset_bytes;
  };
  return std::ranges::equal(a.entities, b.entities, same_entity) &&
         std::ranges::equal(a.components, b.components, same_component);
}

bool are_equal(const PrefabPlan& a, const PrefabPlan& b) {
  const auto has_same_name_and_active = [](const PlannedEntity& x, const PlannedEntity& y) {
    return x.name == y.name && x.is_active == y.is_active;
  };
  return have_same_structure(a, b) && a.data == b.data &&
         std::ranges::equal(a.entities, b.entities, has_same_name_and_active);
}

Bytes value_of(const PrefabPlan& plan, const PlannedComponent& component) {
  return Bytes(plan.data).subspan(component.offset_bytes, component.size_bytes);
}

std::span<const PlannedComponent> components_of(const PrefabPlan& plan, std::size_t entity) {
  const PlannedEntity& planned = plan.entities[entity];
  return std::span(plan.components).subspan(planned.first_component, planned.component_count);
}

// Sets each field that has the value of the old prefab to the value of the new prefab.
void update_fields(const ComponentDescription& description, Bytes before, Bytes after,
                   std::span<std::byte> live) {
  for (const FieldDescription& field : description.fields) {
    const std::size_t size = std::size_t{field.count} * field.element_bytes;
    std::byte* const at = live.data() + field.offset_bytes;
    if (std::memcmp(at, before.data() + field.offset_bytes, size) != 0) continue;
    std::memcpy(at, after.data() + field.offset_bytes, size);
  }
}

class Follow {
 public:
  Follow(World& world, const PrefabPlan& before, const PrefabPlan& after)
      : world_(world), before_(before), after_(after) {}

  void in_place(std::span<const EntityId> made) {
    for (std::size_t i = 0; i < made.size(); ++i) {
      update_name_and_active(i, made[i]);
      update_components(i, made[i]);
    }
  }

  // Rebuilds an instance and returns its new entities.
  std::span<const EntityId> rebuild(Spawner& spawner, std::span<const EntityId> made) {
    const EntityId root = made.front();
    for (const EntityId entity : made.subspan(1)) {
      if (!world_.is_alive(entity)) continue;
      // A child of another old entity is despawned together with its parent.
      const EntityId parent = world_.parent(entity);
      if (parent == root || std::ranges::count(made, parent) == 0) world_.set_parent(entity, {});
      world_.request_despawn(entity);
    }
    update_name_and_active(0, root);
    update_components(0, root);
    for (const PlannedComponent& old : components_of(before_, 0)) {
      if (find(after_, old.id) == nullptr) world_.remove(old.id, root);
    }
    spawner.instantiate_at(after_, root);
    return spawner.last_made();
  }

 private:
  static const PlannedComponent* find(const PrefabPlan& plan, ComponentId id,
                                      std::size_t entity = 0) {
    const auto components = components_of(plan, entity);
    const auto found = std::ranges::find(components, id, &PlannedComponent::id);
    return found == components.end() ? nullptr : &*found;
  }

  void update_name_and_active(std::size_t index, EntityId entity) {
    const PlannedEntity& old = before_.entities[index];
    const PlannedEntity& fresh = after_.entities[index];
    if (world_.name(entity) == world_.text(old.name)) world_.set_name(entity, fresh.name);
    if (world_.is_active(entity) == old.is_active) world_.set_active(entity, fresh.is_active);
  }

  void update_components(std::size_t index, EntityId entity) {
    for (const PlannedComponent& old : components_of(before_, index)) {
      const PlannedComponent* const fresh = find(after_, old.id, index);
      const std::span<std::byte> live = world_.bytes(old.id, entity);
      if (fresh == nullptr || live.empty()) continue;
      update_fields(world_.storage(old.id).description(), value_of(before_, old),
                    value_of(after_, *fresh), live);
    }
  }

  World& world_;
  const PrefabPlan& before_;
  const PrefabPlan& after_;
};

// True if the prefab is not loaded yet, or if the world was restored to a state before the prefab
// was loaded.
bool lacks_prefab(const World& world, EntityId root) {
  const std::optional<ComponentId> component = world.find_component("PrefabLink");
  const Bytes bytes = component ? world.bytes(*component, root) : Bytes();
  PrefabLink link;
  link.stage = PrefabStage::complete;
  if (bytes.size() >= sizeof link) std::memcpy(&link, bytes.data(), sizeof link);
  return link.stage != PrefabStage::complete && link.stage != PrefabStage::placeholder;
}

}  // namespace

Result<bool> is_another_build(const BundleSource& source, const CatalogReader& open) {
  namespace header = layout::catalog::header;
  Result<std::unique_ptr<BundleFile>> file =
      source.open(kCatalogFile, layout::catalog::kMaxFileBytes);
  if (!file) return fail(file.error());
  const Bytes bytes = file.value()->bytes();
  const ContentHash fingerprint = open.fingerprint();
  if (bytes.size() < header::kFingerprintAt + fingerprint.bytes.size()) return true;
  return std::memcmp(bytes.data() + header::kFingerprintAt, fingerprint.bytes.data(),
                     fingerprint.bytes.size()) != 0;
}

void PrefabInstances::note(const World& world, const Guid& asset, std::span<const EntityId> made) {
  assert(!made.empty());
  if (instances_.size() >= next_pruning_) prune(world);
  // If a spawn was undone and repeated, the new instance replaces the old instance.
  instances_[made.front()] = instance_of(world, asset, made);
}

PrefabInstances::Instance PrefabInstances::instance_of(const World& world, const Guid& asset,
                                                       std::span<const EntityId> made) {
  Instance instance{.asset = asset, .made = {}, .rebuilt = {}};
  for (const EntityId entity : made) instance.made.push_back(world.creation(entity));
  return instance;
}

// False if a restore has undone the instance: another entity has one of its ids, or the root waits
// for its prefab again.
bool PrefabInstances::is_itself(const World& world, EntityId root, const Instance& instance) {
  return !lacks_prefab(world, root) &&
         std::ranges::all_of(instance.made, [&](const Creation& made) {
           return !world.is_alive(made.entity) || world.is_current(made);
         });
}

std::span<const Creation> PrefabInstances::rebuilt(const World& world, EntityId root) const {
  const auto found = instances_.find(root);
  if (found == instances_.end() || !is_itself(world, root, found->second)) return {};
  return found->second.rebuilt;
}

void PrefabInstances::prune(const World& world) {
  std::erase_if(instances_, [&](const auto& row) { return !world.is_alive(row.first); });
  next_pruning_ = std::max(kFirstPruning, 2 * instances_.size());
}

Result<const PrefabPlan*> PrefabInstances::plan_before(Spawner& spawner, const Guid& asset) {
  const auto kept = kept_plans_.find(asset);
  if (kept != kept_plans_.end()) return &kept->second;
  return spawner.prepare(asset);
}

ReloadReport PrefabInstances::reload(Spawner& spawner, BundleStore& newer) {
  World& world = spawner.world();
  std::erase_if(instances_,
                [&](const auto& row) { return !is_itself(world, row.first, row.second); });
  prune(world);
  Spawner after(newer, world);
  ReloadReport report;
  std::set<Guid> failed;
  std::set<Guid> changed;
  for (auto& [root, instance] : instances_) {
    Result<const PrefabPlan*> old = plan_before(spawner, instance.asset);
    Result<const PrefabPlan*> fresh = after.prepare(instance.asset);
    if (!old || !fresh) {
      ++report.failed;
      if (!failed.insert(instance.asset).second) continue;
      report.errors.push_back(fresh ? old.error() : fresh.error());
      continue;
    }
    if (are_equal(*old.value(), *fresh.value())) {
      ++report.unchanged;
      continue;
    }
    changed.insert(instance.asset);
    std::vector<EntityId> made;
    for (const Creation& each : instance.made) made.push_back(each.entity);
    Follow follow(world, *old.value(), *fresh.value());
    if (have_same_structure(*old.value(), *fresh.value())) {
      follow.in_place(made);
      ++report.updated;
    } else {
      instance = instance_of(world, instance.asset, follow.rebuild(after, made));
      for (const std::uint32_t entity : depth_first(*fresh.value())) {
        instance.rebuilt.push_back(instance.made[entity]);
      }
      ++report.rebuilt;
    }
  }
  report.changed.assign(changed.begin(), changed.end());
  std::erase_if(kept_plans_, [&](const auto& row) { return !failed.contains(row.first); });
  for (const Guid& asset : failed) {
    auto plan = spawner.plans_.extract(asset);
    if (!plan.empty()) kept_plans_.try_emplace(asset, std::move(plan.mapped()));
  }
  spawner.store_ = &newer;
  spawner.plans_ = std::move(after.plans_);
  spawner.last_plan_ = nullptr;
  ++spawner.reload_count_;
  return report;
}

}  // namespace muster
