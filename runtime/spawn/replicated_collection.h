// The replicated entities by network id.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/components/component.h"
#include "runtime/world/world.h"

namespace muster {

/// Network ids are smaller than this. An id uses 8 bytes in the table; without a limit, a forged id
/// would allocate gigabytes.
inline constexpr std::int32_t kMaxNetworkIds = 1 << 16;

/// The result of a request with numbers from the network.
enum class [[nodiscard]] CollectionVerdict : std::uint8_t{
    accepted,       id_out_of_range,
    id_in_use,       ///< A live entity has this id.
    entity_is_gone,  ///< The entity to be registered is not alive.
    unknown_id,      ///< No entity is registered under this id.
};

/// One component of an entity or of one below it.
struct GroupComponent {
  EntityId entity;
  ComponentId component;
  friend bool operator==(const GroupComponent&, const GroupComponent&) = default;
};

/// Maps network ids to entities. An id can be given again only when its entity is gone, so that a
/// delayed message cannot replace an entity. Only the server's messages change it, never a
/// prediction: it is not part of the restored state. The world must outlive it. One thread at a
/// time.
class ReplicatedCollection {
 public:
  explicit ReplicatedCollection(const World& world) : world_(world) {}

  CollectionVerdict add(EntityReference id, EntityId entity);
  CollectionVerdict remove(EntityReference id);

  /// Ids below this belong to the placed entities of the level. `Level::register_placed` sets it.
  std::int32_t placed_count() const { return placed_count_; }
  void set_placed_count(std::int32_t count) { placed_count_ = search_from_ = count; }

  /// The entity of an id. Null if the entity has not arrived yet or no longer exists, or if the id
  /// is invalid.
  EntityId find(EntityReference id) const;

  /// The lowest free id that belongs to no placed entity; -1 if all are in use. For servers: the id
  /// of a placed entity stays reserved when the entity is gone, because clients that join later
  /// have that entity in their level. Checks each id once over all calls, and again after entities
  /// have despawned.
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
  std::vector<EntityId> entities_;  ///< By network id; null for none.
  /// No id from `placed_count_` up to this one is free while the world's `end_count` is
  /// `searched_at_`.
  std::int32_t search_from_ = 0;
  std::uint64_t searched_at_ = 0;
  std::uint64_t checked_count_ = 0;
};

/// Appends the components of an entity and of all below it to `out`, by receivers (`receivers_of`):
/// first those for everyone, then those that only the owner receives and predicts, then those that
/// all but the owner receive and interpolate. Each part is depth first, children in their order,
/// and the components of an entity by `ComponentId`. The order is equal in all worlds with the same
/// descriptions and prefab, whatever the order of adding.
void list_group(const World& world, EntityId root, std::vector<GroupComponent>& out);

}  // namespace muster
