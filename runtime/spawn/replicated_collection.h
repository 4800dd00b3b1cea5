// The entities that travel, by the ids under which they do.
#pragma once

#include <cstdint>
#include <vector>

#include "registry/components/component.h"
#include "runtime/world/world.h"

namespace muster {

/// Network ids are below this. An id costs 8 bytes of the table; without a bound a forged one would
/// allocate gigabytes.
inline constexpr std::int32_t kMaxNetworkIds = 1 << 16;

/// What became of a request whose numbers came from the network.
enum class [[nodiscard]] CollectionVerdict : std::uint8_t{
    accepted,       id_out_of_range,
    id_in_use,       ///< An entity that is alive has this id.
    entity_is_gone,  ///< The entity to be registered is not alive.
    unknown_id,      ///< Nothing is registered under this id.
};

/// One component of an entity or of one below it.
struct GroupComponent {
  EntityId entity;
  ComponentId component;
  friend bool operator==(const GroupComponent&, const GroupComponent&) = default;
};

/// Entities by network id. An id can be given again only when its entity is gone, so that a delayed
/// message cannot turn one entity into another. Ids come and go by what the server says, never by
/// prediction: it is no part of what going back in time takes back. The world must outlive it. One
/// thread at a time.
class ReplicatedCollection {
 public:
  explicit ReplicatedCollection(const World& world) : world_(world) {}

  CollectionVerdict add(EntityReference id, EntityId entity);
  CollectionVerdict remove(EntityReference id);

  /// Ids below this are those of entities that stand in the level: `Level::register_placed` says
  /// so.
  std::int32_t placed_count() const { return placed_count_; }
  void set_placed_count(std::int32_t count) { placed_count_ = search_from_ = count; }

  /// The entity of an id; null when there is none (a reference to an entity that has not arrived
  /// yet, or has gone) or no such id: every value is safe.
  EntityId find(EntityReference id) const;

  /// The lowest id that `add` would accept and that is no placed entity's; none (-1) when all are
  /// in use. For servers: an id of the level stays its entity's when that is gone, because for
  /// clients that join later the entity stands there.
  /// Looks at each id once in all calls, and again after entities have ended.
  EntityReference lowest_free();
  /// Ids that `lowest_free` has looked at so far.
  std::uint64_t looked_at_count() const { return looked_at_count_; }

  /// Calls `visit(EntityReference, EntityId)` for every entity that is alive, by ascending id.
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
  /// No id from `placed_count_` up to this one is free, as long as the world's `end_count` is ...
  std::int32_t search_from_ = 0;
  std::uint64_t searched_at_ = 0;  ///< ... this.
  std::uint64_t looked_at_count_ = 0;
};

/// Puts the components of an entity and of all below it into `out`: first those that everyone
/// receives, then those that only the owner does and predicts, then those that all but the owner do
/// and interpolate (`receivers_of`). Each part depth first, children in their order, the components
/// of each by `ComponentId`. The order is the same in every world that was made from the same
/// descriptions and prefab, whatever order they were added in.
void list_group(const World& world, EntityId root, std::vector<GroupComponent>& out);

}  // namespace muster
