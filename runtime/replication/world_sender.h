// Converts the world of a server to the integers that are sent to clients.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/replication/replicated_world.h"
#include "registry/base/player_id.h"
#include "registry/base/type_id.h"
#include "runtime/replication/replicated_types.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/world/world.h"

namespace muster {

class PrefabInstances;

/// The options of an entity that is sent.
struct SentEntityOptions {
  TypeId type;
  Relevance relevance = Relevance::near;
  std::uint8_t team = 0;
  std::uint8_t update_class = 0;
};

struct WorldSenderOptions {
  /// The component and the field with the position of an entity. The field has three numbers, and
  /// the component is on the root.
  std::string_view position_component = "Transform";
  std::string_view position_field = "position";
};

enum class [[nodiscard]] SendVerdict : std::uint8_t{
    accepted,
    unknown_type,  ///< The registry has no such type.
    unknown_id,    ///< The collection has no entity with this id.
    sent_already,  ///< The entity is already sent.
};

/// Counters of a sender.
struct WorldSenderCounters {
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  std::uint64_t compared = 0;   ///< Entities that were compared.
  std::uint64_t quantised = 0;  ///< Entities whose values were quantised because they had changed.
};

/// Writes the changes of all sent entities to a `ReplicatedWorld` once a tick. An entity is removed
/// from the `ReplicatedWorld` when the entity despawns or leaves the collection. The owner of an
/// entity is its player in the world. The sender compares the bytes of an entity's components with
/// the bytes of the last call, and quantises an entity only if its bytes differ. The sender does
/// not compare paused entities.
///
/// The types, the world and the collection must outlive the sender. Only one thread at a time may
/// use the sender. Allocates nothing in steady state.
///
///     collection.add(id, hero);
///     sender.add(id, {.type = kHero});
///     ...
///     server.begin_tick(tick);
///     sender.write(server.world());
///     server.end_tick();
class WorldSender {
 public:
  WorldSender(const ReplicatedTypes& types, const World& world,
              const ReplicatedCollection& collection, const WorldSenderOptions& options = {});

  /// Begins to send an entity. `members` has the result of `list_members` directly after the spawn;
  /// if it is empty, the entity must have all entities of its prefab.
  SendVerdict add(EntityReference id, const SentEntityOptions& options,
                  std::span<const Creation> members = {});

  /// Changes the relevance, team and update class of an entity; its type does not change. For a
  /// paused entity, only these options and its owner are sent. Does nothing for an entity that is
  /// not sent.
  void set_options(EntityReference id, const SentEntityOptions& options);

  /// Pauses an entity, or ends the pause. The sender does no work for a paused entity. The changes
  /// of a paused entity are sent when the pause has ended.
  void set_paused(EntityReference id, bool is_paused);

  /// Writes all changes to `out`. Requires: the call is between `begin_tick` and `end_tick` of the
  /// server of `out`, and `out` is the same object in every call.
  void write(ReplicatedWorld& out);

  /// Call this function after `PrefabInstances::reload`, in the same tick. After the call, the
  /// members of rebuilt instances are sent instead of the old members. Rebuilt members are also
  /// sent for entities that are added later, so `instances` must outlive this object. Members that
  /// the types do not contain are not sent until the types are made again.
  void follow_reload(const PrefabInstances& instances);

  /// Call this function when another map has begun and the `ReplicatedWorld` is empty. The next
  /// `write` spawns all live entities again.
  void restart();

  std::size_t count() const { return sent_.size(); }
  /// The members of a sent entity, as `list_members` returns them. Some may no longer be alive.
  /// Empty for an entity that is not sent. Valid until the next change of the sender.
  std::span<const Creation> members(EntityReference id) const {
    const Sent* const sent = find(id);
    return sent == nullptr ? std::span<const Creation>() : sent->members;
  }
  /// Copies the last sent values of an entity into `values`. Returns false if the entity was not
  /// sent. Requires: `values` has the value count of the entity's type.
  bool values(EntityReference id, std::span<std::int64_t> values) const;
  /// Calls `visit(EntityReference, SchemaType type, PlayerId owner)` for every sent entity, by
  /// ascending id. `type` is an index in the types.
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& [network_id, sent] : sent_) {
      if (sent.is_written) visit(sent.id, sent.type, sent.owner);
    }
  }
  const WorldSenderCounters& counters() const { return counters_; }

 private:
  struct Sent {
    EntityReference id;
    EntityId root;
    SchemaType type{};
    SentEntityOptions options;
    bool is_written = false;
    bool is_paused = false;
    bool has_new_options = false;
    PlayerId owner = PlayerId::none;
    WorldPosition position{};
    std::vector<Creation> members;
    ByteVector last;  ///< The bytes of all components at the last `write`.
  };

  Sent* find(EntityReference id) { return const_cast<Sent*>(std::as_const(*this).find(id)); }
  const Sent* find(EntityReference id) const;
  bool is_gone(const Sent& sent) const;
  void write_entity(ReplicatedWorld& out, Sent& sent);
  void write_options(ReplicatedWorld& out, Sent& sent);
  bool read_changes(Sent& sent);
  void quantise_all(const Sent& sent, std::span<std::int64_t> values) const;
  WorldPosition position_of(const Sent& sent) const;

  const ReplicatedTypes& types_;
  const World& world_;
  const ReplicatedCollection& collection_;
  /// The argument of `follow_reload`; null before a reload.
  const PrefabInstances* instances_ = nullptr;
  std::optional<ComponentId> position_component_;
  std::uint32_t position_offset_bytes_ = 0;
  /// The sent entities, by network id. Two entities with the same id are in the order in which they
  /// were added.
  std::multimap<std::int32_t, Sent> sent_;
  std::vector<std::int64_t> values_;
  WorldSenderCounters counters_;
};

}  // namespace muster
