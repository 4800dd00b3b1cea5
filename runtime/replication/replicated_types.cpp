#include "runtime/replication/replicated_types.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "runtime/replication/members.h"
#include "runtime/replication/wire_schema.h"

namespace muster {
namespace {

class TypeLister {
 public:
  TypeLister(const World& world, std::span<const std::string_view> local)
      : world_(world), local_(local) {}

  void add(TypeId id, const PrefabPlan& plan) {
    ReplicatedType& type = types_.schema.types.emplace_back();
    type.id = id;
    std::vector<ReplicatedComponent>& layout = types_.layouts.emplace_back(components_of(plan));
    std::uint32_t value = 0;
    for (ReplicatedComponent& one : layout) {
      type.components.push_back(schema_component(one));
      one.first_value = value;
      one.value_count = types_.schema.component(type.components.back()).value_count();
      value += one.value_count;
    }
    add_initial_values(type, layout, plan);
  }
  ReplicatedTypes release() { return std::move(types_); }

 private:
  bool travels(ComponentId id) const {
    const ComponentDescription& description = world_.storage(id).description();
    return !description.fields.empty() && description.name != "PrefabLink" &&
           std::ranges::find(local_, description.name) == local_.end();
  }

  std::vector<ReplicatedComponent> components_of(const PrefabPlan& plan) const {
    std::vector<ReplicatedComponent> found;
    const std::vector<std::uint32_t> members = members_of(plan);
    for (std::uint32_t member = 0; member < members.size(); ++member) {
      const PlannedEntity& entity = plan.entities[members[member]];
      for (std::uint32_t i = 0; i < entity.component_count; ++i) {
        const ComponentId id = plan.components[entity.first_component + i].id;
        if (travels(id)) found.push_back({.member = member, .component = id});
      }
    }
    std::ranges::sort(found, {}, [&](const ReplicatedComponent& one) {
      return std::tuple(world_.storage(one.component).receivers(), one.member, one.component);
    });
    return found;
  }

  // The initial values are the values of the prefab, because a new entity differs little from its
  // prefab.
  void add_initial_values(ReplicatedType& type, std::span<const ReplicatedComponent> layout,
                          const PrefabPlan& plan) const {
    const std::vector<std::uint32_t> members = members_of(plan);
    for (const ReplicatedComponent& one : layout) {
      const PlannedEntity& entity = plan.entities[members[one.member]];
      const auto components =
          std::span(plan.components).subspan(entity.first_component, entity.component_count);
      const auto found = std::ranges::find(components, one.component, &PlannedComponent::id);
      const std::size_t first = type.initial_values.size();
      type.initial_values.resize(first + one.value_count);
      to_wire(world_.storage(one.component).description(),
              Bytes(plan.data).subspan(found->offset_bytes, found->size_bytes),
              std::span(type.initial_values).subspan(first));
    }
  }

  SchemaComponent schema_component(const ReplicatedComponent& one) {
    const auto next = static_cast<SchemaComponent>(types_.schema.components.size());
    const auto [at, is_new] = listed_.try_emplace({one.member, one.component}, next);
    if (!is_new) return at->second;
    const ComponentDescription& description = world_.storage(one.component).description();
    ComponentSchema schema = wire_schema(description);
    schema.name = wire_name({.member = one.member, .component = description.name});
    types_.schema.components.push_back(std::move(schema));
    return next;
  }

  const World& world_;
  std::span<const std::string_view> local_;
  ReplicatedTypes types_;
  std::map<std::pair<std::uint32_t, ComponentId>, SchemaComponent> listed_;
};

}  // namespace

Result<ReplicatedTypes> replicated_types(Spawner& spawner, const ReplicatedTypesOptions& options) {
  const CatalogReader& catalog = spawner.store().catalog();
  if (catalog_index(options.registry) >= catalog.registry_count()) {
    return fail(ErrorCode::not_found, "the catalog has no registry with that index");
  }
  const CatalogRegistry registry = catalog.registry(options.registry);
  TypeLister lister(spawner.world(), options.local);
  std::optional<TypeId> last;
  for (std::uint32_t i = 0; i < registry.entry_count; ++i) {
    const CatalogEntry entry = catalog.entry(registry.first_entry + i);
    // Entries are sorted by id. If an id has several entries, the first packed entry is used.
    const ResolvedType* const resolved = spawner.store().resolve(options.registry, entry.type_id);
    if (resolved == nullptr || std::exchange(last, entry.type_id) == entry.type_id) continue;
    Result<const PrefabPlan*> plan = spawner.prepare(resolved->guid);
    if (!plan) return fail(plan.error());
    lister.add(entry.type_id, *plan.value());
  }
  ReplicatedTypes types = lister.release();
  if (const char* const fault = find_fault(types.schema)) {
    return fail(ErrorCode::limit_exceeded,
                "'" + std::string(registry.class_name) + "' cannot be replicated: " + fault);
  }
  return types;
}

}  // namespace muster
