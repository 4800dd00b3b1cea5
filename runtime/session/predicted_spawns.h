// Keeps the entities that a client spawns ahead of the server, until the server has confirmed or
// refused the entities.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "registry/base/player_id.h"
#include "registry/base/tick.h"
#include "registry/base/type_id.h"
#include "runtime/replication/world_receiver.h"
#include "runtime/session/build_content.h"
#include "runtime/spawn/deferred_spawner.h"
#include "runtime/spawn/spawner.h"
#include "runtime/sync/predicted_key.h"

namespace muster {

/// The objects with which a client makes entities.
struct PredictionSource {
  World& received;  ///< The world to which the server's states are applied.
  Spawner& spawner;
  DeferredSpawner& deferred;
  const std::shared_ptr<const BuildContent>& content;  ///< A reload replaces the content.
};

/// Why a predicted entity was removed, although the server did not despawn the entity.
enum class SpawnEnd : std::uint8_t {
  undone,   ///< The command ran again and did not spawn the entity.
  refused,  ///< The server ran the command and did not spawn the entity.
  expired,  ///< The server did not confirm or refuse the entity in time.
};

/// Makes entities in the received world for the spawns of predicted commands. If an arriving spawn
/// of the server matches a predicted spawn, the server's spawn uses the predicted entity. The
/// entity then keeps its `EntityId`, and is not shown twice. Spawns match by predicted id
/// (`PredictedKey`), or else by `Overrides::match_spawn`. New entities come from a reserve of
/// entities without components, which exist in both the received and the predicted world. The
/// source must outlive this object. Only one thread at a time may use this object.
class PredictedSpawns final : public SpawnAdoption {
 public:
  enum class State : std::uint8_t { predicted, confirmed, ended };
  struct Entry {
    PredictedKey key;
    TypeId type;
    EntityId entity;
    State state = State::predicted;
    SpawnEnd end = SpawnEnd::undone;
    std::uint32_t replay = 0;    ///< The last replay in which the command spawned the entity.
    bool is_awaited = false;     ///< Whether the server has run the command.
    Tick awaited_since{};        ///< The tick at which `is_awaited` was set.
    bool has_despawned = false;  ///< Whether predicted systems have despawned the entity.
  };
  struct Ended {
    EntityId entity;
    SpawnEnd end{};
    bool has_despawned = false;  ///< Whether the entity was despawned before its end.
  };
  /// The minimum and maximum size of the reserve. The size limits the number of predicted spawns
  /// between two states of the server.
  static constexpr std::size_t kSpareMin = 32;
  static constexpr std::size_t kSpareMax = 1024;

  PredictedSpawns(const PredictionSource& source, PlayerId player)
      : source_(source), player_(player) {}

  /// Refills the reserve in the received world. Call this function before that world is copied.
  void refill();
  Entry* find(const PredictedKey& key);
  Entry* find(EntityId entity);
  /// Makes a predicted entity from a reserved entity. In the received world, the entity gets the
  /// loaded part of its prefab. Returns null if the reserve is empty.
  Entry* make(const PredictedKey& key, TypeId type);
  /// The components of a type's root; null while the type's bundle is not loaded.
  const PrefabPlan* plan(TypeId type);
  Result<TypeId> type(EntityType type) const { return source_.content->type(type); }
  /// Ends the prediction of an entity, and adds the entity to `ended`.
  void end(Entry& entry, SpawnEnd why);
  /// Removes the confirmed and ended entries of commands before `oldest`.
  void forget_before(CommandNumber oldest);

  std::span<Entry> entries() { return entries_; }
  std::span<const Entry> entries() const { return entries_; }
  bool is_predicted(EntityId entity) const;
  /// The entities that were made or ended. The caller must clear both lists.
  std::vector<EntityId>& made() { return made_; }
  std::vector<Ended>& ended() { return ended_; }
  std::uint64_t confirmed_count() const { return confirmed_count_; }

  EntityId adopt(EntityReference id, TypeId type,
                 std::span<const ArrivedComponent> values) override;
  /// Returns the value of a predicted entity's component after a command, or empty bytes if the
  /// value is unknown.
  using PastValue = std::function<Bytes(EntityId, ComponentId, CommandNumber command)>;
  void set_past(PastValue past) { past_ = std::move(past); }

 private:
  /// Matches a command that arrived too late: the server has run the command's presses with a later
  /// command. Returns the oldest predicted entity that can match the server's spawn `key`.
  Entry* match_late(TypeId type, const PredictedKey& key);
  Entry* match(TypeId type, std::span<const ArrivedComponent> values, CommandNumber command);

  PredictionSource source_;
  PlayerId player_;
  PastValue past_;
  std::vector<EntityId> spare_;
  std::size_t spare_wanted_ = kSpareMin;
  std::vector<Entry> entries_;  ///< Entries in the order of their creation.
  std::vector<EntityId> made_;
  std::vector<Ended> ended_;
  std::uint64_t confirmed_count_ = 0;
};

}  // namespace muster
