// The client's side: applies received entities to a world of components.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/replication/recording.h"
#include "net/replication/replication_client.h"
#include "registry/base/player_id.h"
#include "registry/base/type_id.h"
#include "runtime/replication/receiving_plan.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/replicated_apply.h"
#include "runtime/spawn/replicated_collection.h"

namespace muster {

struct WorldReceiverOptions {
  std::uint32_t registry = 0;  ///< The registry of replicated entities, as an index in the catalog.
  PlayerId player =
      PlayerId::none;  ///< The local player, who owns what the server gives to this client.
};

/// The source of a receiver's entities.
class WorldSource {
 public:
  virtual ~WorldSource() = default;
  /// Null while nothing is received. Changes only with the map.
  virtual const ReplicationSchema* schema() const = 0;
  /// Changes when another map has begun, which may have another schema.
  virtual std::uint32_t map() const = 0;
  virtual std::span<const ReplicatedChange> changes() const = 0;
  /// As `ReplicationClient::values`.
  virtual bool values(NetworkId id, std::span<std::int64_t> values) const = 0;
  /// Increases when the world was found to differ from what was applied.
  virtual std::uint64_t divergences() const = 0;
  /// Whether all initial entities have arrived.
  virtual bool is_complete() const = 0;
  /// Whether any data of an entity has arrived, even if it is not among the changes yet. May stay
  /// true for a while after the entity is gone.
  virtual bool holds(NetworkId id) const = 0;
};

/// Receives from a server through the client's connection.
class ServerSource final : public WorldSource {
 public:
  /// `client` must outlive this object.
  explicit ServerSource(const ReplicationClient& client) : client_(client) {}
  const ReplicationSchema* schema() const override {
    return client_.phase() == ReplicationPhase::playing ? client_.schema() : nullptr;
  }
  std::uint32_t map() const override { return client_.map(); }
  std::span<const ReplicatedChange> changes() const override { return client_.changes(); }
  bool values(NetworkId id, std::span<std::int64_t> values) const override {
    return client_.values(id, values);
  }
  std::uint64_t divergences() const override { return client_.counters().divergences; }
  bool is_complete() const override { return client_.is_complete(); }
  bool holds(NetworkId id) const override { return client_.holds(id); }

 private:
  const ReplicationClient& client_;
};

/// Receives from a recording of a server's world, for replays.
class RecordedSource final : public WorldSource {
 public:
  /// `reader` must outlive this object.
  explicit RecordedSource(const RecordingReader& reader) : reader_(reader) {}
  const ReplicationSchema* schema() const override { return &reader_.schema(); }
  std::uint32_t map() const override { return 0; }  // A recording has one schema.
  std::span<const ReplicatedChange> changes() const override { return reader_.changes(); }
  bool values(NetworkId id, std::span<std::int64_t> values) const override {
    return reader_.mirror().values(id, values);
  }
  std::uint64_t divergences() const override { return 0; }
  /// Every tick of a recording has the whole world.
  bool is_complete() const override { return reader_.has_tick(); }
  bool holds(NetworkId id) const override { return reader_.mirror().has(id); }

 private:
  const RecordingReader& reader_;
};

/// A component of an arriving entity.
struct ArrivedComponent {
  ComponentId component;
  Bytes value;  ///< In the described layout; fields that were not received have their default.
};

/// Decides whether an arriving entity is one that this client has spawned before the server did.
class SpawnAdoption {
 public:
  virtual ~SpawnAdoption() = default;
  /// Returns the entity of the world to use for this id; null to spawn a new one. Called for
  /// entities that this end owns. `values` are those of the root.
  virtual EntityId adopt(EntityReference id, TypeId type,
                         std::span<const ArrivedComponent> values) = 0;
};

/// Applies the changes of a `ReplicationClient` or a recording to a world: despawns, spawns,
/// updates. Entities whose bundle is not loaded yet exist and are updated; the values of their
/// children are applied when the children exist. A component of another version is converted field
/// by field. Fields that this end has and the server does not send keep the value of the prefab.
///
/// After a reload of prefabs (`PrefabInstances`) it lists the members of every entity again, and
/// applies all values again.
///
/// A reference to an entity is its network id. It may arrive before the entity;
/// `ReplicatedCollection::find` resolves it as soon as the entity exists.
///
/// Placed entities must have their ids (`Level::register_placed`) before the first `apply`. Spawns
/// with a placed id use the placed entity. When the source is complete, placed entities that it
/// does not hold are despawned.
///
/// A receiver belongs to one source. All arguments must outlive it. One thread at a time; allocates
/// nothing in steady state.
///
///     replication.update(connection);
///     receiver.apply(replication);
///     replication.verify(&receiver);     // if nothing here changes received values
///     replication.clear();
///     loader.update(now);
///     deferred.update();
///     receiver.complete(replication);
class WorldReceiver final : public EntityValues {
 public:
  WorldReceiver(Spawner& spawner, DeferredSpawner& deferred, ReplicatedCollection& collection,
                const WorldReceiverOptions& options);

  /// Applies the source's changes. Call it once after each `update` or `step` of the source.
  void apply(const WorldSource& source);
  void apply(const ReplicationClient& client) { apply(ServerSource(client)); }
  void apply(const RecordingReader& reader) { apply(RecordedSource(reader)); }

  /// Applies the values of children to entities that are complete now, and sets the root's fields
  /// that the server does not send to the prefab's values.
  void complete(const WorldSource& source);
  void complete(const ReplicationClient& client) { complete(ServerSource(client)); }
  void complete(const RecordingReader& reader) { complete(RecordedSource(reader)); }

  /// The current values of an entity in this world, for `ReplicationClient::verify`. It reports
  /// what the game has despawned or removed: the entity, or a replicated component.
  EntityFound values(NetworkId id, std::span<std::int64_t> values,
                     std::uint16_t& lacking) const override;

  /// Calls `visit(EntityReference, SchemaType type, SeenBy)` for every received entity, by
  /// ascending id; `type` is an index in the source's schema.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::uint32_t i = 0; i < received_.size(); ++i) {
      const Received* const received = find(NetworkId{i});
      if (received == nullptr) continue;
      visit(reference_to(NetworkId{i}), received->type, received->seen_by);
    }
  }

  /// `adoption` may be null, and must outlive this object.
  void set_adoption(SpawnAdoption* adoption) { adoption_ = adoption; }

  /// Sets the local player when it becomes known.
  void set_player(PlayerId player);

  /// The placed entities that the last `apply` has despawned because the complete source does not
  /// hold them. No change reports them.
  std::span<const EntityReference> missing_placed() const { return missing_placed_; }

  /// Returns what the server sends and this end ignores, since the last call, for the log.
  std::vector<std::string> drain_notes();
  /// The number of entities whose bundle is not loaded yet, or cannot be loaded.
  std::size_t incomplete_count() const { return incomplete_.size(); }
  const ReplicatedApplyCounters& counters() const { return replicated_.counters(); }

 private:
  static constexpr std::uint32_t kComplete = 0xFFFF'FFFF;
  struct Received {
    SchemaType type{};
    SeenBy seen_by = SeenBy::others;
    bool is_kept = false;                        ///< Spawned and not despawned by the server.
    std::uint32_t incomplete_index = kComplete;  ///< In `incomplete_`.
    std::vector<Creation> members;               ///< Only the root while its bundle is missing.
    std::vector<std::int64_t> values;  ///< The last applied values; empty to apply them again.
  };

  void follow_schema(const WorldSource& source);
  void apply_spawns_and_despawns(const WorldSource& source);
  EntityId adopted(const WorldSource& source, const ReplicatedChange& change);
  void begin(const ReplicatedChange& change);
  bool has_lost_members(const Received& received);
  void set_incomplete(NetworkId id, bool is_incomplete);
  void update(const WorldSource& source, const ReplicatedChange& change);
  void apply_all_again(const WorldSource& source);
  void follow_reload(const WorldSource& source);
  bool is_lost(NetworkId id) const;
  void follow_level(const WorldSource& source);
  void despawn_missing(const WorldSource& source);
  void apply_again(const WorldSource& source, NetworkId id, const PrefabPlan* prefab);
  bool read_values(const WorldSource& source, NetworkId id, Received& received);
  void list_updates(NetworkId id, const Received& received, const PrefabPlan* prefab);
  Bytes base_of(EntityId entity, const ReceivedComponent& component, const PrefabPlan* prefab);
  const PrefabPlan* prefab_of(EntityId root);
  Received* find(NetworkId id);
  const Received* find(NetworkId id) const;
  PlayerId player_of(SeenBy seen_by) const {
    return seen_by == SeenBy::owner ? options_.player : PlayerId::none;
  }

  Spawner& spawner_;
  DeferredSpawner& deferred_;
  ReplicatedCollection& collection_;
  World& world_;
  ReplicatedApply replicated_;
  WorldReceiverOptions options_;
  ComponentHandle<PrefabLink> link_;
  std::optional<ReceivingPlan> plan_;
  std::uint32_t map_ = 0;           ///< The map of the plan.
  std::vector<Received> received_;  ///< By network id.
  std::vector<NetworkId> incomplete_;
  std::uint64_t divergences_ = 0;  ///< The source's count at the last `apply`.
  std::uint32_t reloads_ = 0;      ///< The spawner's count at the last `apply`.
  SpawnAdoption* adoption_ = nullptr;

  // Used in one call; members to keep their memory.
  std::vector<EntityReference> despawned_;
  std::vector<EntityReference> missing_placed_;
  std::vector<Creation> listed_;
  std::vector<ReplicatedSpawn> spawned_;
  std::vector<ReplicatedUpdate> updated_;
  std::vector<std::int64_t> values_;
  ByteVector bytes_;
  std::vector<ArrivedComponent> arrived_;
  std::vector<std::string> notes_;
};

}  // namespace muster
