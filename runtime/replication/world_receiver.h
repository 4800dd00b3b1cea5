// Applies the entities that a client receives to its world.
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
  RegistryIndex registry{};  ///< The index of the registry of replicated entities in the catalog.
  /// The local player, which owns this client's entities.
  PlayerId player = PlayerId::none;
};

/// The source of a receiver's entities.
class WorldSource {
 public:
  virtual ~WorldSource() = default;
  /// The schema of the server; null before it is received. The schema changes only with the map.
  virtual const ReplicationSchema* schema() const = 0;
  /// A number that changes when another map begins. Another map can have another schema.
  virtual std::uint32_t map() const = 0;
  virtual std::span<const ReplicatedChange> changes() const = 0;
  /// See `ReplicationClient::values`.
  virtual bool values(NetworkId id, std::span<std::int64_t> values) const = 0;
  /// The number of times that the local world was found to differ from the received values.
  virtual std::uint64_t divergences() const = 0;
  /// Whether all initial entities have arrived.
  virtual bool is_complete() const = 0;
  /// Whether any data of an entity has arrived, even if `changes` does not contain the entity yet.
  /// The result can stay true for a while after the entity was removed.
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
  std::uint32_t map() const override { return 0; }
  std::span<const ReplicatedChange> changes() const override { return reader_.changes(); }
  bool values(NetworkId id, std::span<std::int64_t> values) const override {
    return reader_.mirror().values(id, values);
  }
  std::uint64_t divergences() const override { return 0; }
  /// Every tick of a recording contains the whole world.
  bool is_complete() const override { return reader_.has_tick(); }
  bool holds(NetworkId id) const override { return reader_.mirror().has(id); }

 private:
  const RecordingReader& reader_;
};

/// A component of an arriving entity.
struct ArrivedComponent {
  ComponentId component;
  Bytes value;  ///< The value in the layout of the description. Fields that were not received have
                ///< their default.
};

/// Decides whether an arriving entity is an entity that this client has already spawned by
/// prediction.
class SpawnAdoption {
 public:
  virtual ~SpawnAdoption() = default;
  /// Returns the existing entity to use for this id, or null to spawn a new entity. The receiver
  /// calls this function for entities that this client owns. `values` are the components of the
  /// root.
  virtual EntityId adopt(EntityReference id, TypeId type,
                         std::span<const ArrivedComponent> values) = 0;
};

/// Applies the changes of a `ReplicationClient` or a recording to a world: first despawns, then
/// spawns, then updates. An entity also exists and is updated while its bundle is not loaded. The
/// values of its children are applied when the children exist. If client and server have different
/// versions of a component, the component is converted field by field. Fields that the server does
/// not send keep the value of the prefab.
///
/// After a reload of prefabs (`PrefabInstances`), the receiver lists the members of every entity
/// again, and applies all values again.
///
/// In a component, a reference to an entity is a network id. A reference can arrive before its
/// entity; `ReplicatedCollection::find` resolves the id as soon as the entity exists.
///
/// Placed entities must have their ids (`Level::register_placed`) before the first `apply`. A spawn
/// with the id of a placed entity uses the placed entity. When the source is complete, the receiver
/// despawns the placed entities that the source does not have.
///
/// A receiver must be used with one source only. All arguments must outlive the receiver. Only one
/// thread at a time may use the receiver. Allocates nothing in steady state.
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

  /// Applies the source's changes. Call this function once after each `update` or `step` of the
  /// source.
  void apply(const WorldSource& source);
  void apply(const ReplicationClient& client) { apply(ServerSource(client)); }
  void apply(const RecordingReader& reader) { apply(RecordedSource(reader)); }

  /// Completes entities whose bundle is loaded now. Applies the received values to their children.
  /// Fields of the root that the server does not send get the values of the prefab.
  void complete(const WorldSource& source);
  void complete(const ReplicationClient& client) { complete(ServerSource(client)); }
  void complete(const RecordingReader& reader) { complete(RecordedSource(reader)); }

  /// The current values of an entity in this world, for `ReplicationClient::verify`. The result
  /// also shows whether the game has despawned the entity or removed a replicated component.
  EntityFound values(NetworkId id, std::span<std::int64_t> values,
                     SchemaComponent& lacking) const override;

  /// Calls `visit(EntityReference, SchemaType type, SeenBy)` for every received entity, by
  /// ascending id. `type` is an index in the schema of the source.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::uint32_t i = 0; i < received_.size(); ++i) {
      const Received* const received = find(NetworkId{i});
      if (received == nullptr) continue;
      visit(reference_to(NetworkId{i}), received->type, received->seen_by);
    }
  }

  /// Sets the object that decides about predicted entities. `adoption` may be null, and must
  /// outlive this object.
  void set_adoption(SpawnAdoption* adoption) { adoption_ = adoption; }

  /// Sets the local player. Call this function when the player's id is known.
  void set_player(PlayerId player);

  /// The placed entities that the last `apply` has despawned because the source is complete and
  /// does not have them. The changes of the source do not contain these despawns.
  std::span<const EntityReference> missing_placed() const { return missing_placed_; }

  /// Returns lines for the log, which were added since the last call. There is one line for each
  /// component and field of the server that this client ignores.
  std::vector<std::string> drain_notes();
  /// The number of entities whose bundle is not loaded yet, or cannot be loaded.
  std::size_t incomplete_count() const { return incomplete_.size(); }
  const ReplicatedApply::Counters& counters() const { return replicated_.counters(); }

 private:
  static constexpr std::uint32_t kComplete = 0xFFFF'FFFF;
  struct Received {
    SchemaType type{};
    SeenBy seen_by = SeenBy::others;
    bool is_kept = false;  ///< True if the server has spawned the entity and not despawned it.
    std::uint32_t incomplete_index = kComplete;  ///< The index in `incomplete_`.
    std::vector<Creation> members;  ///< The members; only the root while the bundle is not loaded.
    /// The last applied values; empty if the values must be applied again.
    std::vector<std::int64_t> values;
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
  std::uint32_t map_ = 0;           ///< The map for which `plan_` was made.
  std::vector<Received> received_;  ///< The received entities, by network id.
  std::vector<NetworkId> incomplete_;
  std::uint64_t divergences_ = 0;  ///< The value of `WorldSource::divergences` at the last `apply`.
  std::uint32_t reloads_ = 0;      ///< The value of `Spawner::reload_count` at the last `apply`.
  SpawnAdoption* adoption_ = nullptr;

  // Temporary data of one call, in members so that their memory is reused.
  std::vector<EntityReference> despawned_;
  std::vector<EntityReference> missing_placed_;
  std::vector<Creation> listed_;
  std::vector<ReplicatedApply::Spawn> spawned_;
  std::vector<ReplicatedApply::Update> updated_;
  std::vector<std::int64_t> values_;
  ByteVector bytes_;
  std::vector<ArrivedComponent> arrived_;
  std::vector<std::string> notes_;
};

}  // namespace muster
