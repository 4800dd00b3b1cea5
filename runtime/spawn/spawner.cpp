#include "runtime/spawn/spawner.h"

#include <cassert>

#include "runtime/bundle/format_error.h"
#include "runtime/spawn/prefab_instances.h"

namespace muster {
namespace {

// The name of a file without its folder and its extension.
std::string_view stem_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  return path.substr(0, path.rfind('.'));
}

}  // namespace

Result<Spawned> Spawner::spawn(const Guid& asset, EntityId parent) {
  Result<const PrefabPlan*> plan = prepare(asset);
  if (!plan) return fail(plan.error());
  return instantiate(*plan.value(), parent);
}

Result<Spawned> Spawner::spawn_type(RegistryIndex registry, TypeId type_id, EntityId parent) {
  const ResolvedType* const resolved = store_->resolve(registry, type_id);
  if (resolved != nullptr) return spawn(resolved->guid, parent);
  return fail(unassigned(registry, type_id));
}

Result<const PrefabPlan*> Spawner::prepare(const Guid& asset) {
  if (last_plan_ != nullptr && last_plan_->asset == asset) return last_plan_;
  const auto found = plans_.find(asset);
  if (found != plans_.end()) return last_plan_ = &found->second;
  Result<PrefabPlan> plan = load_plan(asset);
  if (!plan) return fail(plan.error());
  plan.value().asset = asset;
  return last_plan_ = &plans_.emplace(asset, std::move(plan.value())).first->second;
}

Spawned Spawner::instantiate(const PrefabPlan& plan, EntityId parent) {
  return fill(plan, parent, EntityId());
}

Spawned Spawner::instantiate_at(const PrefabPlan& plan, EntityId root) {
  assert(world_.is_alive(root));
  return fill(plan, world_.parent(root), root);
}

Error Spawner::unassigned(RegistryIndex registry, TypeId type_id) const {
  const bool is_registry = catalog_index(registry) < store_->catalog().registry_count();
  return {ErrorCode::not_found,
          "type id " + std::to_string(type_id.value()) + " is not assigned in " +
              (is_registry ? std::string(store_->catalog().registry(registry).class_name)
                           : "registry " + std::to_string(catalog_index(registry)))};
}

// Makes the entities of a plan. If `root` is not null, `root` is used as the first entity.
Spawned Spawner::fill(const PrefabPlan& plan, EntityId parent, EntityId root) {
  assert(!plan.entities.empty());
  made_.resize(plan.entities.size());
  for (std::size_t i = 0; i < plan.entities.size(); ++i) {
    const PlannedEntity& planned = plan.entities[i];
    const bool is_there = i == 0 && !root.is_null();
    const EntityId above = planned.parent == layout::kNone ? parent : made_[planned.parent];
    made_[i] = is_there
                   ? root
                   : world_.create(
                         {.parent = above, .name = planned.name, .is_active = planned.is_active});
    if (is_there) dress(planned, root);
    const std::span<const PlannedComponent> components =
        std::span(plan.components).subspan(planned.first_component, planned.component_count);
    for (const PlannedComponent& component : components) {
      const Bytes value = Bytes(plan.data).subspan(component.offset_bytes, component.size_bytes);
      const bool is_added = world_.add(component.id, made_[i], value);
      assert(is_added || is_there);
      (void)is_added;
    }
  }
  if (instances_ != nullptr) instances_->note(world_, plan.asset, made_);
  return {.root = made_.front(),
          .entities = static_cast<std::uint32_t>(plan.entities.size()),
          .components = static_cast<std::uint32_t>(plan.components.size()),
          .other_components = plan.other_components};
}

void Spawner::dress(const PlannedEntity& planned, EntityId entity) {
  if (world_.name(entity).empty()) world_.set_name(entity, planned.name);
  if (!planned.is_active) world_.set_active(entity, false);
}

Result<PrefabPlan> Spawner::load_plan(const Guid& asset) {
  const std::optional<CatalogAsset> record = store_->catalog().find_asset(asset);
  if (!record || record->bundle == layout::kNone) {
    return fail(store_->load(asset, kFlattenedPrefab).error());
  }
  if (Result<void> opened = store_->open_bundle(record->bundle); !opened) {
    return fail(opened.error());
  }
  const bool is_prefab =
      store_->reader(record->bundle).find_index(asset, kFlattenedPrefab).has_value();
  const std::int64_t part = is_prefab ? kFlattenedPrefab : kMainPayload;
  Result<LoadedEntry> entry = store_->load_from(record->bundle, asset, part);
  if (!entry) return fail(entry.error());
  const std::string what = "'" + std::string(record->path) + "'";
  if (is_prefab) {
    Result<PrefabReader> prefab = PrefabReader::open(entry.value().bytes);
    if (!prefab) return fail_asset(what, prefab.error());
    Result<PrefabPlan> plan = plan_prefab(prefab.value(), world_);
    if (!plan) {
      return fail(plan.error().code, what + " cannot be spawned: " + plan.error().message);
    }
    return plan;
  }
  if (entry.value().kind != EntryKind::object) {
    return fail(ErrorCode::invalid_argument,
                what + " is neither a prefab nor a definition: there is nothing to spawn");
  }
  Result<ObjectReader> object = ObjectReader::open(entry.value().bytes);
  if (!object) return fail_asset(what, object.error());
  return plan_definition(object.value(), stem_of(record->path), world_);
}

}  // namespace muster
