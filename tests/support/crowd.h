// Many entities that are spawned, moved and despawned together, to measure how the work grows with
// their number.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "net/replication/interest.h"
#include "net/replication/replicated_world.h"
#include "registry/base/seed.h"
#include "tests/support/replication_stage.h"

namespace muster {

enum class IdOrder : std::uint8_t { rising, falling, shuffled };

/// Returns the ids from 1 to `count`.
inline std::vector<NetworkId> ids_in(IdOrder order, std::uint32_t count) {
  std::vector<NetworkId> ids;
  for (std::uint32_t id = 1; id <= count; ++id) ids.push_back(NetworkId{id});
  if (order == IdOrder::falling) std::ranges::reverse(ids);
  if (order == IdOrder::shuffled) {
    Random random(5);
    for (std::size_t i = ids.size(); i > 1; --i) std::swap(ids[i - 1], ids[random.below(i)]);
  }
  return ids;
}

struct CrowdOptions {
  Relevance relevance = Relevance::near;
  /// True if every entity is in another cell of the grid. If false, all are in one cell.
  bool is_spread = false;
};

/// A server's world without clients. All entities have one owner.
class Crowd {
 public:
  explicit Crowd(const CrowdOptions& options) : options_(options) {}

  void spawn(const std::vector<NetworkId>& ids) {
    world_.begin(Tick(++tick_));
    for (const NetworkId id : ids) {
      world_.spawn(id,
                   {.type = SchemaType{1},
                    .owner = PlayerId{3},
                    .relevance = options_.relevance,
                    .position = position_of(id)},
                   values_);
    }
    grid_.update(world_);
  }
  /// Moves every entity into another cell.
  void move(const std::vector<NetworkId>& ids) {
    world_.begin(Tick(++tick_));
    for (const NetworkId id : ids) {
      WorldPosition position = position_of(id);
      position.x += 40 * static_cast<float>(tick_);
      world_.set_position(id, position);
    }
    grid_.update(world_);
  }
  void despawn(const std::vector<NetworkId>& ids) {
    world_.begin(Tick(++tick_));
    for (const NetworkId id : ids) world_.despawn(id);
    grid_.update(world_);
  }

 private:
  WorldPosition position_of(NetworkId id) const {
    if (!options_.is_spread) return {};
    return {.x = static_cast<float>(wire_id(id) % 200) * 32,
            .z = static_cast<float>(wire_id(id) / 200) * 32};
  }

  CrowdOptions options_;
  ReplicationSchema schema_ = replication_samples_schema();
  TypeViews views_{schema_};
  ReplicatedWorld world_{schema_, views_};
  std::vector<UpdateClass> classes_{UpdateClass{}};
  InterestGrid grid_{{}, classes_};
  std::vector<std::int64_t> values_ = std::vector<std::int64_t>(schema_.value_count(SchemaType{1}));
  std::uint32_t tick_ = 0;
};

}  // namespace muster
