// The client's side of the bridge: from what a server says of entities to a world of components.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/replication/recording.h"
#include "net/replication/replication_client.h"
#include "runtime/replication/receiving_plan.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/replicated_apply.h"
#include "runtime/spawn/replicated_collection.h"

namespace muster {

struct WorldReceiverOptions {
  std::uint32_t registry = 0;        ///< Of replicated entities, by its index in the catalog.
  PlayerId player = PlayerId::none;  ///< Who plays here: what the server gives him is his.
};

/// Where a receiver hears of entities.
class WorldSource {
 public:
  virtual ~WorldSource() = default;
  /// Null while nothing can be heard. Another one comes only with another map.
  virtual const ReplicationSchema* schema() const = 0;
  /// Another number when another map has begun, if it may have another schema.
  virtual std::uint32_t map() const = 0;
  virtual std::span<const ReplicatedChange> changes() const = 0;
  /// As `ReplicationClient::values`.
  virtual bool values(std::uint32_t id, std::span<std::int64_t> values) const = 0;
  /// Rises when it turned out that a world was not as it was applied.
  virtual std::uint64_t divergences() const = 0;
  /// Whether all has come by now that there was for this end at first.
  virtual bool is_complete() const = 0;
  /// Whether anything of an entity has come, though it may not be among the changes yet. Not for
  /// ever after it has gone.
  virtual bool holds(std::uint32_t id) const = 0;
};

/// A server, through the client's connection.
class ServerSource final : public WorldSource {
 public:
  /// Must outlive this.
  explicit ServerSource(const ReplicationClient& client) : client_(client) {}
  const ReplicationSchema* schema() const override {
    return client_.phase() == ReplicationPhase::playing ? client_.schema() : nullptr;
  }
  std::uint32_t map() const override { return client_.map(); }
  std::span<const ReplicatedChange> changes() const override { return client_.changes(); }
  bool values(std::uint32_t id, std::span<std::int64_t> values) const override {
    return client_.values(id, values);
  }
  std::uint64_t divergences() const override { return client_.counters().divergences; }
  bool is_complete() const override { return client_.is_complete(); }
  bool holds(std::uint32_t id) const override { return client_.holds(id); }

 private:
  const ReplicationClient& client_;
};

/// A recording of a server's world, for replays: the rest of a game does not notice.
class RecordedSource final : public WorldSource {
 public:
  /// Must outlive this.
  explicit RecordedSource(const RecordingReader& reader) : reader_(reader) {}
  const ReplicationSchema* schema() const override { return &reader_.schema(); }
  std::uint32_t map() const override { return 0; }  // A recording has one schema.
  std::span<const ReplicatedChange> changes() const override { return reader_.changes(); }
  bool values(std::uint32_t id, std::span<std::int64_t> values) const override {
    return reader_.mirror().values(id, values);
  }
  std::uint64_t divergences() const override { return 0; }
  /// Every tick of a recording has the whole world.
  bool is_complete() const override { return reader_.has_tick(); }
  bool holds(std::uint32_t id) const override { return reader_.mirror().has(id); }

 private:
  const RecordingReader& reader_;
};

/// A component of an entity that arrives.
struct ArrivedComponent {
  ComponentId component;
  Bytes value;  ///< As described; fields that were not received have their default.
};

/// Decides whether an entity that arrives is one that the world has already: a client's own, made
/// ahead of the server.
class SpawnAdoption {
 public:
  virtual ~SpawnAdoption() = default;
  /// An entity of the world that becomes the one of this id; null for a new one. Called for
  /// entities that this end owns. The values are those of the root.
  virtual EntityId adopt(EntityReference id, TypeId type,
                         std::span<const ArrivedComponent> values) = 0;
};

/// Applies what a `ReplicationClient` or a recording tells to a world: despawns, spawns, updates.
/// Entities whose bundle is not there yet exist and are updated all the same; what belongs to their
/// children is put there when these come. A component of another version is converted field by
/// field; what this end has and the server does not send, keeps the value of the prefab.
///
/// Where prefabs are reloaded while it plays (`PrefabInstances`), it looks anew at what belongs to
/// each entity, and applies again what the server says of it.
///
/// A reference to an entity is its network id: it may come before that entity, and is resolved by
/// `ReplicatedCollection::find` from the moment on at which that one is there.
///
/// What stands in the level has its ids (`Level::register_placed`) before the first `apply`. An
/// entity of a placed id is followed as it stands there, and not made again; those of which the
/// source, once it is complete, holds nothing are gone from its world, and are despawned.
///
/// A receiver is for one source. What it is given must outlive it. One thread at a time; steady
/// state allocates nothing.
///
///     replication.update(connection);
///     receiver.apply(replication);
///     replication.verify(&receiver);     // when nothing here changes what the server sends
///     replication.clear();
///     loader.update(now);
///     deferred.update();
///     receiver.complete(replication);
class WorldReceiver final : public EntityValues {
 public:
  WorldReceiver(Spawner& spawner, DeferredSpawner& deferred, ReplicatedCollection& collection,
                const WorldReceiverOptions& options);

  /// Applies the source's changes: once, after each `update` or `step` of it.
  void apply(const WorldSource& source);
  void apply(const ReplicationClient& client) { apply(ServerSource(client)); }
  void apply(const RecordingReader& reader) { apply(RecordedSource(reader)); }

  /// Puts the values of children into those entities that are complete now, and gives those parts
  /// of their roots that the server does not send the prefab's values.
  void complete(const WorldSource& source);
  void complete(const ReplicationClient& client) { complete(ServerSource(client)); }
  void complete(const RecordingReader& reader) { complete(RecordedSource(reader)); }

  /// The values of an entity as this world has them, for `ReplicationClient::verify`. It lacks what
  /// the game has destroyed: the entity, or a component of its root that the server sends.
  EntityFound values(std::uint32_t id, std::span<std::int64_t> values,
                     std::uint16_t& lacking) const override;

  /// Calls `visit(EntityReference, std::uint16_t type, SeenBy)` for every entity that is here, by
  /// ascending id; `type` is an index into the source's schema.
  template <typename Visit>
  void each(Visit visit) const {
    for (std::uint32_t id = 0; id < received_.size(); ++id) {
      const Received* const received = find(id);
      if (received == nullptr) continue;
      visit(EntityReference{static_cast<std::int32_t>(id)}, received->type, received->seen_by);
    }
  }

  /// Null for none. Must outlive this.
  void set_adoption(SpawnAdoption* adoption) { adoption_ = adoption; }

  /// Who plays here is known now.
  void set_player(PlayerId player);

  /// What stood in the level and was despawned by the last `apply` because the source, which is
  /// complete, holds nothing of it: no change tells of it.
  std::span<const EntityReference> untold() const { return untold_; }

  /// What the server sends and this end cannot take, since the last call: for the log.
  std::vector<std::string> take_notes();
  /// Entities whose bundle has not come, or cannot be had.
  std::size_t incomplete_count() const { return incomplete_.size(); }
  const ReplicatedApplyCounters& counters() const { return replicated_.counters(); }

 private:
  static constexpr std::uint32_t kComplete = 0xFFFF'FFFF;
  struct Received {
    std::uint16_t type = 0;  ///< Index into the plan.
    SeenBy seen_by = SeenBy::others;
    bool is_kept = false;  ///< It came and has not gone, as far as the server says.
    std::uint32_t incomplete_index = kComplete;  ///< In `incomplete_`.
    std::vector<Creation> members;               ///< The root alone while its bundle is missing.
    std::vector<std::int64_t> values;  ///< Those applied last; empty when they have to be again.
  };

  void follow_schema(const WorldSource& source);
  void come_and_go(const WorldSource& source);
  EntityId adopted(const WorldSource& source, const ReplicatedChange& change);
  void begin(const ReplicatedChange& change);
  bool has_lost_members(const Received& received);
  void set_incomplete(std::uint32_t id, bool is_incomplete);
  void update(const WorldSource& source, const ReplicatedChange& change);
  void mend(const WorldSource& source);
  void follow_reload(const WorldSource& source);
  bool is_lost(std::uint32_t id) const;
  void follow_level(const WorldSource& source);
  void drop_untold(const WorldSource& source);
  void apply_again(const WorldSource& source, std::uint32_t id, const PrefabPlan* prefab);
  bool take_values(const WorldSource& source, std::uint32_t id, Received& received);
  void list_updates(std::uint32_t id, const Received& received, const PrefabPlan* prefab);
  Bytes base_of(EntityId entity, const ReceivedComponent& component, const PrefabPlan* prefab);
  const PrefabPlan* prefab_of(EntityId root);
  Received* find(std::uint32_t id);
  const Received* find(std::uint32_t id) const;
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
  std::uint32_t map_ = 0;           ///< Of which the plan is.
  std::vector<Received> received_;  ///< By network id.
  std::vector<std::uint32_t> incomplete_;
  std::uint64_t divergences_ = 0;  ///< That the source has told of.
  std::uint32_t reloads_ = 0;      ///< That the spawner has seen.
  SpawnAdoption* adoption_ = nullptr;

  // Of one call; kept for their memory.
  std::vector<EntityReference> despawned_;
  std::vector<EntityReference> untold_;
  std::vector<Creation> listed_;
  std::vector<ReplicatedSpawn> spawned_;
  std::vector<ReplicatedUpdate> updated_;
  std::vector<std::int64_t> values_;
  ByteVector bytes_;
  std::vector<ArrivedComponent> arrived_;
  std::vector<std::string> notes_;
};

}  // namespace muster
