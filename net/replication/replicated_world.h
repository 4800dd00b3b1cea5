// A server's world for replication. It is serialised once per tick for all clients.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "net/replication/clamped_fields.h"
#include "net/replication/schema_type.h"
#include "net/replication/sorted_blocks.h"
#include "net/replication/type_views.h"
#include "net/snapshot/codec_type.h"
#include "net/snapshot/entity_track.h"
#include "net/snapshot/row_pool.h"
#include "registry/base/network_id.h"
#include "registry/base/player_id.h"
#include "registry/base/tick.h"

namespace muster {

/// A position for interest management; it is not replicated.
struct WorldPosition {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const WorldPosition&, const WorldPosition&) = default;
};

/// The clients to which an entity is sent.
enum class Relevance : std::uint8_t {
  near = 0,    ///< Clients whose view position is within the radius of the entity's class.
  always = 1,  ///< All clients.
  owner = 2,   ///< Only the entity's owner.
  team = 3,    ///< Clients of the entity's team.
  custom = 4,  ///< Chosen by the game's `InterestRule`.
};

/// A class of entities. It determines how often, to which distance and with which urgency the
/// entities are sent. See REPLICATION_FORMAT.md, "Which changes go first".
struct UpdateClass {
  /// When there is too little room, entities get updates in proportion to weight × nearness.
  float weight = 1;
  /// For `Relevance::near`: the distance within which a client receives an entity.
  float radius = 100;
  float near_distance = 1e9F;  ///< If an entity is nearer than this, its changes are sent at once.
  /// The minimum number of ticks between two sent changes of a farther entity.
  std::uint16_t far_ticks = 1;
  /// A change that has waited longer than this is sent first; such changes use at most a quarter of
  /// the room.
  std::uint16_t longest_ticks = 60;
};

/// The constant properties of an entity.
struct ReplicatedEntityOptions {
  SchemaType type{};
  PlayerId owner = PlayerId::none;
  Relevance relevance = Relevance::near;
  std::uint8_t team = 0;
  std::uint8_t update_class = 0;
  WorldPosition position{};
};

/// An entity with its current values. Rows stay readable for `kPastTicksMax` ticks after their
/// values were replaced.
struct ReplicatedEntity {
  NetworkId id{};
  std::uint32_t generation = 0;  ///< Each new entity that uses the id has a higher generation.
  ReplicatedEntityOptions options;
  Tick changed_at{};  ///< The tick of the last change of the values.
  /// The rows of values, indexed by `SeenBy`. If the owner and the other clients receive the same
  /// fields, both pointers are equal. A change in only one of these views leaves the row of the
  /// other view unchanged. A row contains the lanes of all slices, one after another.
  std::array<LaneValue*, kSeenByCount> rows{};
  std::array<Tick, kSeenByCount> rows_since{};  ///< The ticks at which the rows were written.

  const LaneValue* row(SeenBy seen_by) const { return rows[static_cast<std::size_t>(seen_by)]; }
  Tick since(SeenBy seen_by) const { return rows_since[static_cast<std::size_t>(seen_by)]; }
};

/// The world of a server. In each tick, call `begin`, then `spawn` and `despawn` entities, and call
/// `set` for the entities that may have changed. All other entities stay unchanged and cost no
/// work. Not thread-safe, but any number of threads may read until the next `begin`.
class ReplicatedWorld {
 public:
  /// Both arguments must outlive the world.
  ReplicatedWorld(const ReplicationSchema& schema, const TypeViews& views);

  /// Requires: `tick` is after the previous tick.
  void begin(Tick tick);
  /// Requires: `id` is unused and below `views.id_end()`; the type is in the schema; the update
  /// class exists; there are `schema.value_count(type)` values. Values outside their ranges are
  /// moved into the range and counted (`clamped`).
  void spawn(NetworkId id, const ReplicatedEntityOptions& options,
             std::span<const std::int64_t> values);
  /// Requires: `id` is in use.
  void despawn(NetworkId id);
  /// Requires: `id` is in use, and `values` are as for `spawn`. Equal values change nothing.
  void set(NetworkId id, std::span<const std::int64_t> values);
  void set_position(NetworkId id, const WorldPosition& position);
  void set_owner(NetworkId id, PlayerId owner);
  /// Sets the audience and urgency of an entity. Requires: `id` is in use, and the update class
  /// exists. Equal options change nothing. If only the update class changes, the change takes
  /// effect within `InterestOptions::refresh_ticks`.
  void set_interest(NetworkId id, Relevance relevance, std::uint8_t team,
                    std::uint8_t update_class);
  /// Starts another map: despawns all entities, and generations start again.
  void clear();

  Tick tick() const { return tick_; }
  /// All entities, sorted by id.
  const SortedBlocks<ReplicatedEntity>& entities() const { return entities_; }
  /// Returns null if the id is not in use.
  const ReplicatedEntity* find(NetworkId id) const { return entities_.find(id); }
  /// The ids that were spawned, despawned or moved, or that changed owner, since `begin`. An id can
  /// occur twice.
  std::span<const NetworkId> moves() const { return moves_; }
  /// Returns the list of ids of entities whose values changed, in the order of the changes, without
  /// the first `since` ids. An id in the list may be despawned by now. Returns nothing if the id at
  /// position `since` is no longer stored.
  std::optional<std::span<const NetworkId>> changes_since(std::uint64_t since) const;
  std::uint64_t change_count() const { return changes_begin_ + changes_.size(); }
  /// Grows with each spawn, despawn, and change of owner.
  std::uint64_t version() const { return version_; }
  /// Returns the values of an entity's slice at a tick, as seen by clients that know it as
  /// `codec_type`. Returns null if the values are no longer stored, or if the entity did not exist
  /// or had another type. It searches all later changes, so it is too slow to be called every tick.
  const LaneValue* row_at(NetworkId id, Tick tick, CodecType codec_type) const;

  /// The values outside their ranges that the game has written since the world began.
  const ClampedFields& clamped() const { return clamped_; }

  const ReplicationSchema& schema() const { return schema_; }
  const TypeViews& views() const { return views_; }
  std::size_t memory_bytes() const;

 private:
  /// A row of replaced values.
  struct Past {
    NetworkId id{};
    CodecType codec_type{};  ///< The codec type of the first slice.
    Tick began_at{};
    Tick ended_at{};  ///< The first tick at which the values were out of date.
    LaneValue* row = nullptr;
  };

  void write_rows(ReplicatedEntity& entity, std::span<const std::int64_t> values);
  void retire(const ReplicatedEntity& entity, std::size_t seen_by);
  void retire_all(const ReplicatedEntity& entity);
  void forget_past();
  std::size_t row_count(SchemaType type) const;
  std::uint32_t next_generation(NetworkId id);

  const ReplicationSchema& schema_;
  const TypeViews& views_;
  Tick tick_{};
  std::uint64_t version_ = 0;
  std::vector<NetworkId> moves_;
  SortedBlocks<ReplicatedEntity> entities_;
  std::vector<NetworkId> changes_;
  std::uint64_t changes_begin_ = 0;  ///< The position of the first stored change.
  /// The pool of each codec type. Only the pools of first slices are used.
  std::vector<RowPool> pools_;
  std::vector<Past> past_;      ///< Sorted by `ended_at`.
  std::size_t past_begin_ = 0;  ///< The index of the first entry of `past_` that is still stored.
  /// The next generation of each recently used id.
  std::unordered_map<NetworkId, std::uint32_t> next_generations_;
  std::uint32_t generation_floor_ =
      0;  ///< The next generation of all other ids. No entity has used it.
  std::vector<LaneValue> lanes_;
  ClampedFields clamped_;
};

}  // namespace muster
