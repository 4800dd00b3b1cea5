// A server's world for replication: serialised once per tick, for all clients.
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
#include "net/snapshot/row_pool.h"
#include "net/snapshot/snapshot_track.h"
#include "registry/base/network_id.h"
#include "registry/base/player_id.h"
#include "registry/base/tick.h"

namespace muster {

/// A position for interest management; it is not replicated.
struct WorldPosition {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const WorldPosition&, const WorldPosition&) = default;
};

/// Which clients an entity is sent to.
enum class Relevance : std::uint8_t {
  near = 0,    ///< Clients within the radius of its class.
  always = 1,  ///< All clients.
  owner = 2,   ///< Only its owner.
  team = 3,    ///< Its team.
  custom = 4,  ///< Chosen by the game's `InterestRule`.
};

/// How often, how far and how urgently entities of a class are sent. REPLICATION_FORMAT.md, "Which
/// changes go first".
struct UpdateClass {
  float weight = 1;    ///< When room is short, updates are shared out by weight × nearness.
  float radius = 100;  ///< For `Relevance::near`: a client does not receive entities beyond it.
  float near_distance = 1e9F;   ///< Changes of nearer entities are sent at once.
  std::uint16_t far_ticks = 1;  ///< Minimum ticks between two sent changes of a farther entity.
  /// A change that has waited this long is sent first, within a quarter of the room.
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
  std::uint32_t generation = 0;  ///< Grows with each entity that uses the id.
  ReplicatedEntityOptions options;
  Tick changed_at{};  ///< The tick at which the values changed last.
  /// Indexed by `SeenBy`. Both rows are the same one if the owner and the others see the same
  /// fields. A change that only one of these views contains leaves the row of the other view
  /// unchanged. A row contains the lanes of all slices, one after another.
  std::array<LaneValue*, kSeenByCount> rows{};
  std::array<Tick, kSeenByCount> rows_since{};  ///< The ticks at which the rows were
                                                ///< written.

  const LaneValue* row(SeenBy seen_by) const { return rows[static_cast<std::size_t>(seen_by)]; }
  Tick since(SeenBy seen_by) const { return rows_since[static_cast<std::size_t>(seen_by)]; }
};

/// The world of a server. Each tick: `begin`; then spawn, despawn, and `set` entities that may have
/// changed. Other entities cost nothing and stay unchanged. Not thread-safe; until the next `begin`
/// any number of threads may read.
class ReplicatedWorld {
 public:
  /// Both arguments must outlive the world.
  ReplicatedWorld(const ReplicationSchema& schema, const TypeViews& views);

  /// Requires: a tick after the last one.
  void begin(Tick tick);
  /// Requires: an unused id below `views.id_end()`; a type of the schema; an update class of the
  /// server; `schema.value_count(type)` values. Values outside their ranges are moved into the
  /// range and counted (`clamped`).
  void spawn(NetworkId id, const ReplicatedEntityOptions& options,
             std::span<const std::int64_t> values);
  /// Requires: an id in use.
  void despawn(NetworkId id);
  /// Requires: an id in use; values as for `spawn`. Equal values change nothing.
  void set(NetworkId id, std::span<const std::int64_t> values);
  void set_position(NetworkId id, const WorldPosition& position);
  void set_owner(NetworkId id, PlayerId owner);
  /// Sets the audience and urgency of an entity. Requires: as for `spawn`. Equal options change
  /// nothing; another update class alone takes effect within `InterestOptions::refresh_ticks`.
  void set_interest(NetworkId id, Relevance relevance, std::uint8_t team,
                    std::uint8_t update_class);
  /// Starts another map: despawns everything, and generations start again.
  void clear();

  Tick tick() const { return tick_; }
  /// Sorted by id.
  const SortedBlocks<ReplicatedEntity>& entities() const { return entities_; }
  /// Null if the id is not in use.
  const ReplicatedEntity* find(NetworkId id) const { return entities_.find(id); }
  /// The ids that were spawned, despawned or moved, or that changed owner, since `begin`. An id can
  /// occur twice.
  std::span<const NetworkId> moves() const { return moves_; }
  /// The ids of entities whose values changed, in the order of the changes, from position `since`
  /// of the list on. Positions count from 0. An id may be despawned by now. Returns nothing if that
  /// position is no longer stored.
  std::optional<std::span<const NetworkId>> changes_since(std::uint64_t since) const;
  std::uint64_t change_count() const { return changes_begin_ + changes_.size(); }
  /// Grows with each spawn, despawn, and change of owner.
  std::uint64_t version() const { return version_; }
  /// Returns the values of an entity's slice at a tick, as seen by clients that know it as
  /// `codec_type`. Returns null if they are no longer stored, or if the entity did not exist or had
  /// another type. It searches all later changes, so it is too slow to be called every tick.
  const LaneValue* row_at(NetworkId id, Tick tick, CodecType codec_type) const;

  /// Values outside their ranges that the game has written since the world began.
  const ClampedFields& clamped() const { return clamped_; }

  const ReplicationSchema& schema() const { return schema_; }
  const TypeViews& views() const { return views_; }
  std::size_t memory_bytes() const;

 private:
  /// Replaced values.
  struct Past {
    NetworkId id{};
    CodecType codec_type{};  ///< The first slice's.
    Tick began_at{};
    Tick ended_at{};  ///< The first tick at which they were out of date.
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
  std::uint64_t changes_begin_ = 0;  ///< The position of the first of them.
  std::vector<RowPool> pools_;       ///< By codec type; only of first slices.
  std::vector<Past> past_;           ///< Sorted by the tick at which each ended.
  std::size_t past_begin_ = 0;       ///< All entries of `past_` before this index are forgotten.
  /// The next generation of each recently used id.
  std::unordered_map<NetworkId, std::uint32_t> next_generations_;
  std::uint32_t generation_floor_ =
      0;  ///< The next generation of all other ids; never used before.
  std::vector<LaneValue> lanes_;
  ClampedFields clamped_;
};

}  // namespace muster
