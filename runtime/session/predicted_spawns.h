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

/// The objects that make a client's entities.
struct PredictionSource {
  World& received;  ///< The world that the server's state is applied to.
  Spawner& spawner;
  DeferredSpawner& deferred;
  const std::shared_ptr<const BuildContent>& content;  ///< Another one after a reload.
};

/// Why a predicted entity is gone although no server has despawned it.
enum class SpawnEnd : std::uint8_t {
  undone,   ///< The command ran again and did not spawn it.
  refused,  ///< The server ran the command and did not spawn it.
  expired,  ///< The server has neither confirmed nor refused it in time.
};

/// Gives spawns of predicted commands entities in the received world, and hands these to the
/// server's spawns that match: by predicted id (`PredictedKey`), else by `Overrides::match_spawn`.
/// So the entity keeps its id, and nothing exists twice. Ids come from a reserve of blank
/// entities that both the received and the predicted world have. Its source must outlive it.
/// One thread at a time.
class PredictedSpawns final : public SpawnAdoption {
 public:
  enum class State : std::uint8_t { predicted, confirmed, ended };
  struct Entry {
    PredictedKey key;
    TypeId type;
    EntityId entity;
    State state = State::predicted;
    SpawnEnd end = SpawnEnd::undone;
    std::uint32_t replay = 0;  ///< In which replay its command spawned it last.
    bool is_awaited = false;   ///< The server has run its command, as of this tick:
    Tick awaited_since{};
    bool has_despawned = false;  ///< Its own systems have despawned it again.
  };
  struct Ended {
    EntityId entity;
    SpawnEnd end{};
    bool has_despawned = false;  ///< It was gone already: nothing shown was wrong.
  };
  /// Entities that can be spawned between two states of the server.
  static constexpr std::size_t kSpareMin = 32;
  static constexpr std::size_t kSpareMax = 1024;

  PredictedSpawns(const PredictionSource& source, PlayerId player)
      : source_(source), player_(player) {}

  /// Makes blank entities in the received world, before it is copied.
  void refill();
  Entry* find(const PredictedKey& key);
  Entry* find(EntityId entity);
  /// An entity of the reserve, in the received world with what is loaded of its prefab. Null when
  /// the reserve is used up.
  Entry* make(const PredictedKey& key, TypeId type);
  /// The components of a type's root; null while its bundle is missing.
  const PrefabPlan* plan(TypeId type);
  Result<TypeId> type(EntityType type) const { return source_.content->type(type); }
  /// Takes an entity back: it despawns in the received world.
  void end(Entry& entry, SpawnEnd why);
  /// Forgets what no command from `oldest` on can ask for.
  void forget_before(std::uint32_t oldest);

  std::span<Entry> entries() { return entries_; }
  std::span<const Entry> entries() const { return entries_; }
  bool is_predicted(EntityId entity) const;
  /// Entities made, and entities that ended, since these lists were cleared.
  std::vector<EntityId>& made() { return made_; }
  std::vector<Ended>& ended() { return ended_; }
  std::uint64_t confirmed_count() const { return confirmed_count_; }

  EntityId adopt(EntityReference id, TypeId type,
                 std::span<const ArrivedComponent> values) override;
  /// The value that a predicted entity had when a command had run; empty when it is not known.
  using PastValue = std::function<Bytes(EntityId, ComponentId, std::uint32_t command)>;
  void set_past(PastValue past) { past_ = std::move(past); }

 private:
  /// The oldest predicted entity whose press may have come too late for its own tick.
  Entry* match_late(TypeId type, const PredictedKey& key);
  Entry* match(TypeId type, std::span<const ArrivedComponent> values, std::uint32_t command);

  PredictionSource source_;
  PlayerId player_;
  PastValue past_;
  std::vector<EntityId> spare_;
  std::size_t spare_wanted_ = kSpareMin;
  std::vector<Entry> entries_;  ///< In the order in which they were made.
  std::vector<EntityId> made_;
  std::vector<Ended> ended_;
  std::uint64_t confirmed_count_ = 0;
};

}  // namespace muster
