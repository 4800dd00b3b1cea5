// A server's world as it is replicated: serialised once a tick, for all clients.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "net/replication/clamped_fields.h"
#include "net/replication/sorted_blocks.h"
#include "net/replication/type_views.h"
#include "net/snapshot/row_pool.h"
#include "net/snapshot/snapshot_track.h"

namespace muster {

/// Whose an entity is, or who looks: a player's number.
using PlayerNumber = std::uint16_t;
inline constexpr PlayerNumber kNobody = 0xFFFF;

/// Where an entity is; for interest, not for replication.
struct Place {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// To whom an entity matters.
enum class Relevance : std::uint8_t {
  near = 0,    ///< To those within the radius of its class.
  always = 1,  ///< To everybody.
  owner = 2,   ///< To its owner alone.
  team = 3,    ///< To its team.
  custom = 4,  ///< To whom the game's `InterestRule` says.
};

/// How often, how far and how urgently entities of a class are sent. REPLICATION_FORMAT.md, "Which
/// changes go first".
struct UpdateClass {
  float weight = 1;    ///< When room is short, updates are shared out by weight × nearness.
  float radius = 100;  ///< For `Relevance::near`: farther ones do not exist for a client.
  float near_distance = 1e9F;   ///< Within it every change is sent at once; beyond it ...
  std::uint16_t far_ticks = 1;  ///< ... a change waits until this many ticks after the last.
  /// A change that has waited this long comes first, within a quarter of the room.
  std::uint16_t longest_ticks = 60;
};

/// What a game says of an entity once.
struct ReplicatedEntityOptions {
  std::uint16_t type = 0;  ///< Index into the schema.
  PlayerNumber owner = kNobody;
  Relevance relevance = Relevance::near;
  std::uint8_t team = 0;
  std::uint8_t update_class = 0;
  Place place{};
};

/// An entity with its values now. Rows stay readable for `kPastTicksMax` ticks after their values
/// were replaced.
struct ReplicatedEntity {
  std::uint32_t id = 0;
  std::uint32_t generation = 0;  ///< Rises with each entity that uses the id.
  ReplicatedEntityOptions options;
  std::uint32_t changed_at = 0;  ///< The tick at which the values changed last.
  /// By `SeenBy`; both the same where owners see nothing else. What only the one may see leaves the
  /// other's row as it is. The lanes of all slices, one behind the other.
  std::array<LaneValue*, kSeenByCount> rows{};
  std::array<std::uint32_t, kSeenByCount> rows_since{};  ///< The ticks since when.

  const LaneValue* row(SeenBy seen_by) const { return rows[static_cast<std::size_t>(seen_by)]; }
  std::uint32_t since(SeenBy seen_by) const {
    return rows_since[static_cast<std::size_t>(seen_by)];
  }
};

/// Every tick of replication: `begin`; spawn, despawn, `set` what may have changed. What is not set
/// costs nothing and stays as it is. Not thread-safe; until the next `begin` any number of threads
/// may read.
class ReplicatedWorld {
 public:
  /// Both must outlive the world.
  ReplicatedWorld(const ReplicationSchema& schema, const TypeViews& views);

  /// Requires: a tick after the one before.
  void begin(std::uint32_t tick);
  /// Requires: an id that is not in use, below `views.id_end()`; a type of the schema; an update
  /// class of the server's; `schema.value_count(type)` values. Values outside their ranges are
  /// brought into them and counted (`clamped`).
  void spawn(std::uint32_t id, const ReplicatedEntityOptions& options,
             std::span<const std::int64_t> values);
  /// Requires: an id in use.
  void despawn(std::uint32_t id);
  /// Requires: an id in use. Values as for `spawn`; equal ones change nothing.
  void set(std::uint32_t id, std::span<const std::int64_t> values);
  void set_place(std::uint32_t id, const Place& place);
  void set_owner(std::uint32_t id, PlayerNumber owner);
  /// To whom the entity matters, and how urgently. Requires: as for `spawn`. Equal options change
  /// nothing; another update class alone takes effect within `InterestOptions::refresh_ticks`.
  void set_interest(std::uint32_t id, Relevance relevance, std::uint8_t team,
                    std::uint8_t update_class);
  /// Another map: everything is despawned, and generations begin again.
  void clear();

  std::uint32_t tick() const { return tick_; }
  /// Sorted by id.
  const SortedBlocks<ReplicatedEntity>& entities() const { return entities_; }
  /// Null when there is none.
  const ReplicatedEntity* find(std::uint32_t id) const { return entities_.find(id); }
  /// Ids that were spawned, despawned or placed, or changed hands, since `begin`; some twice.
  std::span<const std::uint32_t> moves() const { return moves_; }
  /// Ids of entities whose values changed, in their order, from position `since` on; some are gone.
  /// Nothing when so much has changed since that it is forgotten. Positions count up from 0.
  std::optional<std::span<const std::uint32_t>> changes_since(std::uint64_t since) const;
  std::uint64_t change_count() const { return changes_begin_ + changes_.size(); }
  /// Rises with each spawn, despawn, and change of owner.
  std::uint64_t version() const { return version_; }
  /// The values that an entity had at a tick, as those see it whom the codec tells of it as
  /// `codec_type`, of that slice; null when they are forgotten, or it was not there or of another
  /// type. For comparisons, not for every tick: looks through what changed since.
  const LaneValue* row_at(std::uint32_t id, std::uint32_t tick, std::uint16_t codec_type) const;

  /// Values outside their ranges that the game has written since the world began.
  const ClampedFields& clamped() const { return clamped_; }

  const ReplicationSchema& schema() const { return schema_; }
  const TypeViews& views() const { return views_; }
  std::size_t memory_bytes() const;

 private:
  /// Values that are the truth no more.
  struct Past {
    std::uint32_t id = 0;
    std::uint16_t codec_type = 0;  ///< Of the first slice.
    std::uint32_t began_at = 0;
    std::uint32_t ended_at = 0;  ///< The first tick at which they were not the truth.
    LaneValue* row = nullptr;
  };

  void write_rows(ReplicatedEntity& entity, std::span<const std::int64_t> values);
  void retire(const ReplicatedEntity& entity, std::size_t seen_by);
  void retire_all(const ReplicatedEntity& entity);
  void forget_past();
  std::size_t row_count(std::uint16_t type) const;
  std::uint32_t take_generation(std::uint32_t id);

  const ReplicationSchema& schema_;
  const TypeViews& views_;
  std::uint32_t tick_ = 0;
  std::uint64_t version_ = 0;
  std::vector<std::uint32_t> moves_;
  SortedBlocks<ReplicatedEntity> entities_;
  std::vector<std::uint32_t> changes_;
  std::uint64_t changes_begin_ = 0;  ///< The position of the first of them.
  std::vector<RowPool> pools_;       ///< By codec type; of first slices alone.
  std::vector<Past> past_;           ///< By the tick at which it ended; those before ...
  std::size_t past_begin_ = 0;       ///< ... this are forgotten.
  /// The next generation of ids that were used lately; of all others it is ...
  std::unordered_map<std::uint32_t, std::uint32_t> next_generations_;
  std::uint32_t generation_floor_ = 0;  ///< ... this, which is higher than any forgotten one.
  std::vector<LaneValue> lanes_;
  ClampedFields clamped_;
};

}  // namespace muster
