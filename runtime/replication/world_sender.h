// The server's side of the bridge: from a world of components to the integers that travel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/replication/replicated_world.h"
#include "registry/base/type_id.h"
#include "runtime/replication/replicated_types.h"
#include "runtime/spawn/replicated_collection.h"
#include "runtime/world/world.h"

namespace muster {

class PrefabInstances;

/// What a game says of an entity when it begins to send it.
struct SentEntityOptions {
  TypeId type;
  Relevance relevance = Relevance::near;
  std::uint8_t team = 0;
  std::uint8_t update_class = 0;
};

struct WorldSenderOptions {
  /// The component of an entity's root, and its field of three numbers, that say where it is.
  std::string_view place_component = "Transform";
  std::string_view place_field = "position";
};

enum class [[nodiscard]] SendVerdict : std::uint8_t{
    accepted,
    unknown_type,  ///< The registry had no such type.
    unknown_id,    ///< The collection has no entity of this id.
    sent_already,  ///< That entity is being sent.
};

/// What a sender has done so far.
struct WorldSenderCounters {
  std::uint64_t spawned = 0;
  std::uint64_t despawned = 0;
  std::uint64_t compared = 0;   ///< Entities that were looked at.
  std::uint64_t quantised = 0;  ///< Of those: had changed.
};

/// Tells a `ReplicatedWorld` once a tick what became of the entities that are sent. An entity goes
/// by itself when it despawns or leaves the collection; its owner is its player in the world. The
/// bytes of its components are compared with those of last time, and only what has changed is
/// quantised; what sleeps is not even looked at.
///
/// Types, world and collection must outlive it. One thread at a time; steady state allocates
/// nothing.
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

  /// Begins to send an entity. Requires: all of its prefab is there, as it is right after spawning.
  SendVerdict add(EntityReference id, const SentEntityOptions& options);

  /// Changes to whom an entity is sent, and how urgently; its type stays. Of an entity that sleeps,
  /// only this and its owner are sent. Nothing happens for an entity that is not sent.
  void set_options(EntityReference id, const SentEntityOptions& options);

  /// An entity that sleeps costs nothing, and its changes are not noticed; when it wakes, they are.
  void set_asleep(EntityReference id, bool is_asleep);

  /// Requires: between `begin_tick` and `end_tick` of the server that `out` belongs to, and always
  /// the same one.
  void write(ReplicatedWorld& out);

  /// After `PrefabInstances::reload`, in the same tick: what it has made anew below entities is
  /// sent in the place of what it has replaced, also of entities that are added later: `instances`
  /// must outlive this. What the types have no place for is not sent, until they are made anew too.
  void follow_reload(const PrefabInstances& instances);

  /// Another map has begun, with an empty world: what is alive is told anew.
  void restart();

  std::size_t count() const { return sent_.size(); }
  /// Puts the values of an entity, as they were written last, into `values`, which has all values
  /// of its type. False when it was not.
  bool values(EntityReference id, std::span<std::int64_t> values) const;
  /// Calls `visit(EntityReference, std::uint16_t type, PlayerNumber owner)` for every entity that
  /// was written, by ascending id; `type` is an index into the types.
  template <typename Visit>
  void each(Visit visit) const {
    for (const auto& [network_id, sent] : sent_) {
      if (sent.is_told) visit(sent.id, sent.type, sent.owner);
    }
  }
  const WorldSenderCounters& counters() const { return counters_; }

 private:
  struct Sent {
    EntityReference id;
    EntityId root;
    std::uint16_t type = 0;  ///< Index into the types.
    SentEntityOptions options;
    bool is_told = false;
    bool is_asleep = false;
    bool has_new_options = false;
    PlayerNumber owner = kNobody;
    Place place{};
    std::vector<Creation> members;
    ByteVector last;  ///< The bytes of its components, one after the other.
  };

  Sent* find(EntityReference id) { return const_cast<Sent*>(std::as_const(*this).find(id)); }
  const Sent* find(EntityReference id) const;
  bool is_gone(const Sent& sent) const;
  void tell(ReplicatedWorld& out, Sent& sent);
  void write_options(ReplicatedWorld& out, Sent& sent);
  bool take_changes(Sent& sent);
  void quantise_all(const Sent& sent, std::span<std::int64_t> values) const;
  Place place_of(const Sent& sent) const;

  const ReplicatedTypes& types_;
  const World& world_;
  const ReplicatedCollection& collection_;
  const PrefabInstances* instances_ = nullptr;  ///< Null until a reload.
  std::optional<ComponentId> place_component_;
  std::uint32_t place_offset_bytes_ = 0;
  /// By network id; of two with one id, the one that was added first comes first.
  std::multimap<std::int32_t, Sent> sent_;
  std::vector<std::int64_t> values_;
  WorldSenderCounters counters_;
};

}  // namespace muster
