// Finds replicated entities by their network ids.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/components/component.h"
#include "runtime/world/world.h"

namespace muster {

/// Every network id is smaller than this number. The table uses 8 bytes per id, so without this
/// limit a forged id would allocate gigabytes.
inline constexpr std::int32_t kMaxNetworkIds = 1 << 16;

/// The result of adding or removing a network id.
enum class [[nodiscard]] CollectionVerdict : std::uint8_t{
    accepted,       id_out_of_range,
    id_in_use,       ///< A live entity has this id.
    entity_is_gone,  ///< The entity to be registered is not alive.
    unknown_id,      ///< No entity is registered under this id.
};

/// One component of an entity, or of an entity below that entity.
struct GroupComponent {
  EntityId entity;
  ComponentId component;
  friend bool operator==(const GroupComponent&, const GroupComponent&) = default;
};

/// Maps network ids to entities. An id can be used again only when its entity no longer exists, so
/// a delayed message cannot replace an entity. Only messages of the server change the collection.
/// Predictions do not change the collection, and the collection is not part of the restored state.
/// The world must outlive the collection. Only one thread at a time may use the collection.
class ReplicatedCollection {
 public:
  explicit ReplicatedCollection(const World& world) : world_(world) {}

  CollectionVerdict add(EntityReference id, EntityId entity);
  CollectionVerdict remove(EntityReference id);

  /// The number of placed entities of the level. Ids below this number belong to placed entities.
  /// `Level::register_placed` sets this number.
  std::int32_t placed_count() const { return placed_count_; }
  void set_placed_count(std::int32_t count) { placed_count_ = search_from_ = count; }

  /// The entity of an id. Null if no entity is registered under the id, if the entity no longer
  /// exists, or if the id is out of range.
  EntityId find(EntityReference id) const;

  /// The lowest free id that does not belong to a placed entity; -1 if all ids are in use. A server
  /// calls this function for new entities. The id of a placed entity stays reserved when the entity
  /// no longer exists, because clients that join later have that entity in their level. All calls
  /// together check each id only once. After entities have despawned, later calls check the ids
  /// again.
  EntityReference lowest_free();
  /// The number of ids that `lowest_free` has checked so far.
  std::uint64_t checked_count() const { return checked_count_; }

  /// Calls `visit(EntityReference, EntityId)` for every live entity, by ascending id.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::size_t i = 0; i < entities_.size(); ++i) {
      if (!world_.is_alive(entities_[i])) continue;
      visit(EntityReference{static_cast<std::int32_t>(i)}, entities_[i]);
    }
  }

 private:
  const World& world_;
  std::int32_t placed_count_ = 0;
  /// The entities by network id; null for an id that is not used.
  std::vector<EntityId> entities_;
  /// The id at which the search for a free id begins. All ids in [`placed_count_`, `search_from_`)
  /// are in use while the world's `end_count` is equal to `searched_at_`.
  std::int32_t search_from_ = 0;
  std::uint64_t searched_at_ = 0;
  std::uint64_t checked_count_ = 0;
};

/// Appends the components of an entity, and of all entities below it, to `out`. The components are
/// in three groups by receivers (`receivers_of`). All clients receive the first group. Only the
/// owner receives and predicts the second group. All clients except the owner receive and
/// interpolate the third group. In each group, the entities are depth first, and the components of
/// an entity are sorted by `ComponentId`. The order is equal in all worlds with the same
/// descriptions and prefab, also if the components were added in another order.
void list_group(const World& world, EntityId root, std::vector<GroupComponent>& out);

}  // namespace muster
