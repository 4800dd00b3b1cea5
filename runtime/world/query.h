// Iterates over the entities with certain components.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "registry/base/player_id.h"
#include "runtime/world/world.h"

namespace muster {

/// The entities for which a system runs, for example the entities of one player. Sorted by id,
/// without duplicates.
using EntitySubset = std::span<const EntityId>;

/// Writes the entities of a player into `out`, in the order of slots. The player's machine computes
/// these entities.
inline void collect_entities(const World& world, PlayerId player, std::vector<EntityId>& out) {
  out.clear();
  world.each_entity([&](EntityId entity) {
    if (world.player(entity) == player) out.push_back(entity);
  });
}

/// Iterates over the entities that have the component `First` and all components `Rest`, in the
/// order of the array of `First`. A component type is `const` if it is only read. If all arrays
/// have the same owners in the same order, which is usual for components that are added together,
/// the iteration is one loop over plain arrays. Otherwise each entity is looked up. Store a query
/// instead of creating it every tick. A query caches whether the arrays match until a component is
/// added or removed. Systems that run in parallel may share a query.
///
///     Query<Position, const Velocity> moving(world, position, velocity);
///     moving.each([&](Position& p, const Velocity& v) { p.x += v.x * seconds; });
///
/// During an iteration, the values of components may be changed in place. Use `ChangeQueue` for all
/// other changes. The world must outlive the query.
template <typename First, typename... Rest>
class Query {
 public:
  Query(World& world, ComponentHandle<std::remove_const_t<First>> first,
        ComponentHandle<std::remove_const_t<Rest>>... rest)
      : world_(&world), ids_{first.id(), rest.id()...} {}

  /// Calls `visit(First&, Rest&...)` or `visit(EntityId, First&, Rest&...)` for each entity.
  template <typename Visit>
  void each(Visit visit) {
    const std::uint32_t count = storage(0).count();
    if (count == 0) return;
    walk(visit, std::index_sequence_for<First, Rest...>{}, count);
  }

  /// Does the same as `each`, but only for the entities of `subset`, in the order of `subset`.
  template <typename Visit>
  void each_of(EntitySubset subset, Visit visit) {
    for (const EntityId entity : subset) {
      visit_found(visit, entity, std::index_sequence_for<First, Rest...>{});
    }
  }

 private:
  static constexpr std::size_t kCount = sizeof...(Rest) + 1;
  template <std::size_t I>
  using Component = std::tuple_element_t<I, std::tuple<First, Rest...>>;

  const ComponentStorage& storage(std::size_t i) const { return world_->storage(ids_[i]); }
  template <std::size_t I>
  Component<I>* data() const {
    return reinterpret_cast<Component<I>*>(world_->all_bytes(ids_[I]).data());
  }

  template <typename Visit>
  static void call(Visit& visit, EntityId entity, First& first, Rest&... rest) {
    if constexpr (std::is_invocable_v<Visit&, EntityId, First&, Rest&...>) {
      visit(entity, first, rest...);
    } else {
      visit(first, rest...);
    }
  }

  template <typename Visit, std::size_t... I>
  void walk(Visit& visit, std::index_sequence<I...>, std::uint32_t count) {
    const std::span<const EntityId> owners = storage(0).owners();
    const std::tuple<Component<I>*...> arrays{data<I>()...};
    if (are_aligned()) {
      for (std::uint32_t i = 0; i < count; ++i) {
        call(visit, owners[i], std::get<I>(arrays)[i]...);
      }
      return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::array<std::uint32_t, kCount> at = {I == 0 ? i : storage(I).index_of(owners[i])...};
      if (((at[I] == ComponentStorage::kAbsent) || ...)) continue;
      call(visit, owners[i], std::get<I>(arrays)[at[I]]...);
    }
  }

  template <typename Visit, std::size_t... I>
  void visit_found(Visit& visit, EntityId entity, std::index_sequence<I...>) {
    const std::array<std::uint32_t, kCount> at = {storage(I).index_of(entity)...};
    if (((at[I] == ComponentStorage::kAbsent) || ...)) return;
    call(visit, entity, data<I>()[at[I]]...);
  }

  // Versions never repeat in one world, so the largest version identifies the state of all arrays.
  // The cache is one number, so several threads can compute and store it at the same time.
  bool are_aligned() {
    std::uint64_t version = 0;
    for (std::size_t i = 0; i < kCount; ++i) version = std::max(version, storage(i).version());
    const std::atomic_ref<std::uint64_t> remembered(remembered_);
    const std::uint64_t known = remembered.load(std::memory_order_relaxed);
    if (known / 2 == version) return known % 2 == 1;
    bool is_aligned = true;
    for (std::size_t i = 1; i < kCount && is_aligned; ++i) {
      is_aligned = std::ranges::equal(storage(i).owners(), storage(0).owners());
    }
    remembered.store(version * 2 + (is_aligned ? 1 : 0), std::memory_order_relaxed);
    return is_aligned;
  }

  World* world_;
  std::array<ComponentId, kCount> ids_;
  /// The cache: twice the version, plus 1 if the arrays match. Arrays with version 0 were always
  /// empty and are not iterated.
  alignas(std::atomic_ref<std::uint64_t>::required_alignment) std::uint64_t remembered_ = 0;
};

}  // namespace muster
