// The poses of the last ticks of everything that shots can hit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/clock.h"
#include "registry/base/tick.h"
#include "runtime/sync/hit_volume.h"
#include "runtime/sync/pose.h"
#include "runtime/sync/teleport.h"
#include "runtime/sync/view_time.h"

namespace muster {

/// How many states a history needs to cover `span`, if one state is noted every `stride_ticks`.
/// Includes the state before `span` and the newest state.
std::uint32_t states_for(Duration span, std::uint32_t ticks_per_second,
                         std::uint32_t stride_ticks = 1);

struct PoseHistoryOptions {
  std::uint32_t states = 32;          ///< States to keep, at least 2. See `states_for`.
  std::uint32_t entities_max = 4096;  ///< More entities are refused and counted.
  /// A pose whose position changes by more than this in a tick counts as teleported.
  float metres_per_tick_max = 4;
};

/// The state of an entity in a tick.
struct NotedPose {
  EntityId entity{};
  EntityId target{};  ///< The entity that hits report; null for `entity` itself.
  EntityId parent{};  ///< `pose` is relative to its pose, if it is noted in the same tick.
  Pose pose{};
  const HitVolume* volume = nullptr;  ///< Copied. Null if the entity only carries others.
  bool is_teleported = false;         ///< No blending from the pose before to this pose.
};

/// The last states of all hit volumes, and of the movers and parents that carry them. Poses are
/// kept relative to their parents. As on a client that draws them, the relative poses are blended
/// first, and then combined into world poses. Volumes are not blended: between two states, the
/// volume of the earlier state counts. An entity that has despawned can still be hit at times
/// before that, until the states of these times are overwritten. Its id is not reused.
///
/// Memory: about 120 bytes per entity and state. It grows with the number of entities and does not
/// shrink. A tick allocates nothing if an earlier tick had as many entities. Several threads may
/// read at once, also through `RewoundView`, if no thread writes. Keeps no pointers to its
/// arguments.
class PoseHistory {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit PoseHistory(const PoseHistoryOptions& options = {});

  /// Begins the state of a tick, which replaces the oldest state if all are in use. If the tick is
  /// not after the newest state, all states are dropped first. Requires: no state is open.
  void begin(Tick tick);
  /// Adds an entity to the open state. If the entity was added already, replaces its pose. False if
  /// there are too many entities.
  bool note(const NotedPose& noted);
  /// Closes the open state, which can be read from now on. Requires: a state is open.
  void end();
  void clear();

  bool is_empty() const { return state_count_ == 0; }
  /// Requires: not empty.
  Tick oldest() const { return state(0).tick; }
  Tick newest() const { return state(state_count_ - 1).tick; }
  std::uint32_t state_count() const { return state_count_; }
  /// The number of refused entities since the beginning. An entity counts once per tick.
  std::uint64_t refused() const { return refused_; }
  std::size_t memory_bytes() const;

  // For `RewoundView`.
  struct Record {
    Pose pose;
    HitVolume volume;
    EntityId target;
    float reach = 0;  ///< From the entity's position to the far end of its volume.
    std::uint32_t parent = kNone;
    std::uint32_t cut_tick = 0;  ///< The last tick to which no pose is blended.
    bool is_present = false;
    bool has_volume = false;
  };
  static constexpr float kNowhere = -1e30F;
  /// Eight spheres in arrays by coordinate, so that the compiler can use vector instructions.
  struct Spheres {
    static constexpr std::uint32_t kWidth = 8;
    alignas(32) std::array<float, kWidth> x{}, y{}, z{};
    /// `kNowhere` for an entity without a volume.
    std::array<float, kWidth> reach{kNowhere, kNowhere, kNowhere, kNowhere,
                                    kNowhere, kNowhere, kNowhere, kNowhere};
    std::array<std::uint32_t, kWidth> cut_tick{};  ///< The last cut of the entity or a parent.
  };
  struct State {
    Tick tick;
    std::vector<Record> records;   ///< By entity index.
    std::vector<Spheres> spheres;  ///< By index / 8. Centers: the topmost parents.
  };
  /// The two states around a moment, and the fraction of the way between them. For a moment outside
  /// the history, the nearest state.
  struct Moment {
    const State* from = nullptr;
    const State* to = nullptr;
    float fraction = 0;
  };
  /// Requires: not empty.
  Moment moment(const ViewTime& view) const;
  std::uint32_t index_count() const { return static_cast<std::uint32_t>(entities_.size()); }
  /// The maximum depth of parents. Parents above it are ignored.
  static constexpr std::uint32_t kDepthMax = 16;

 private:
  struct Entity {
    EntityId id;                 ///< Null for a free index.
    std::uint64_t last_use = 0;  ///< The number of the last state that has the entity.
  };
  /// A state by its position in the ring: 0 is the oldest.
  const State& state(std::uint32_t age) const { return states_[(first_ + age) % options_.states]; }
  std::uint32_t index_of(EntityId entity) const;
  std::uint32_t make_index(EntityId entity);
  void find_sphere(State& open, std::uint32_t index) const;
  void find_cut(Record& record, const Record* before, Tick previous) const;

  PoseHistoryOptions options_;
  std::vector<State> states_;  ///< A ring.
  std::uint32_t first_ = 0;
  std::uint32_t state_count_ = 0;
  std::uint64_t number_ = 0;  ///< How many states were begun.
  bool is_open_ = false;
  std::vector<Entity> entities_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_slot_;    ///< Index of the slot's newest entity.
  std::vector<EntityId> parents_;         ///< Of the open state, by entity index.
  std::vector<std::uint8_t> teleported_;  ///< Of the open state, by entity index.
  std::uint64_t refused_ = 0;
};

}  // namespace muster
