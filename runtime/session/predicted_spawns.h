// Entities that a client spawns ahead of the server, until the server has confirmed or refused
// them.
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
  World& received;  ///< The world that the server's state is applied to.
  Spawner& spawner;
  DeferredSpawner& deferred;
  const std::shared_ptr<const BuildContent>& content;  ///< A reload replaces it.
};

/// Why a predicted entity was removed without a despawn by the server.
enum class SpawnEnd : std::uint8_t {
  undone,   ///< The command ran again and did not spawn it.
  refused,  ///< The server ran the command and did not spawn it.
  expired,  ///< The server has neither confirmed nor refused it in time.
};

/// Makes entities in the received world for the spawns of predicted commands. When a spawn of the
/// server arrives and matches one of these, it uses the existing entity. So the entity keeps its
/// `EntityId`, and is not shown twice. Spawns match by predicted id (`PredictedKey`) or else by
/// `Overrides::match_spawn`. The entities come from a reserve of entities without components, which
/// both the received and the predicted world have. The source must outlive this object. One thread
/// at a time.
class PredictedSpawns final : public SpawnAdoption {
 public:
  enum class State : std::uint8_t { predicted, confirmed, ended };
  struct Entry {
    PredictedKey key;
    TypeId type;
    EntityId entity;
    State state = State::predicted;
    SpawnEnd end = SpawnEnd::undone;
    std::uint32_t replay = 0;  ///< The last replay in which its command spawned it.
    bool is_awaited = false;   ///< The server has run its command, since this tick:
    Tick awaited_since{};
    bool has_despawned = false;  ///< Predicted systems have despawned it.
  };
  struct Ended {
    EntityId entity;
    SpawnEnd end{};
    bool has_despawned = false;  ///< It had despawned already, so nothing shown was wrong.
  };
  /// The minimum and maximum size of the reserve: how many entities can be spawned between two
  /// states of the server.
  static constexpr std::size_t kSpareMin = 32;
  static constexpr std::size_t kSpareMax = 1024;

  PredictedSpawns(const PredictionSource& source, PlayerId player)
      : source_(source), player_(player) {}

  /// Refills the reserve in the received world. To be called before that world is copied.
  void refill();
  Entry* find(const PredictedKey& key);
  Entry* find(EntityId entity);
  /// Takes an entity from the reserve. In the received world it gets the loaded part of its prefab.
  /// Null if the reserve is used up.
  Entry* make(const PredictedKey& key, TypeId type);
  /// The components of a type's root; null while its bundle is missing.
  const PrefabPlan* plan(TypeId type);
  Result<TypeId> type(EntityType type) const { return source_.content->type(type); }
  /// Ends a predicted entity: it despawns in the received world.
  void end(Entry& entry, SpawnEnd why);
  /// Removes the entries that no command from `oldest` on can spawn.
  void forget_before(std::uint32_t oldest);

  std::span<Entry> entries() { return entries_; }
  std::span<const Entry> entries() const { return entries_; }
  bool is_predicted(EntityId entity) const;
  /// The entities that were made or ended since the caller cleared the list.
  std::vector<EntityId>& made() { return made_; }
  std::vector<Ended>& ended() { return ended_; }
  std::uint64_t confirmed_count() const { return confirmed_count_; }

  EntityId adopt(EntityReference id, TypeId type,
                 std::span<const ArrivedComponent> values) override;
  /// Returns the value of a predicted entity's component after a command had run; empty if unknown.
  using PastValue = std::function<Bytes(EntityId, ComponentId, std::uint32_t command)>;
  void set_past(PastValue past) { past_ = std::move(past); }

 private:
  /// The oldest predicted entity whose command may have arrived too late, so that its press ran
  /// with the command of `key`.
  Entry* match_late(TypeId type, const PredictedKey& key);
  Entry* match(TypeId type, std::span<const ArrivedComponent> values, std::uint32_t command);

  PredictionSource source_;
  PlayerId player_;
  PastValue past_;
  std::vector<EntityId> spare_;
  std::size_t spare_wanted_ = kSpareMin;
  std::vector<Entry> entries_;  ///< In the order of creation.
  std::vector<EntityId> made_;
  std::vector<Ended> ended_;
  std::uint64_t confirmed_count_ = 0;
};

}  // namespace muster
