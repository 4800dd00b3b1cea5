// Where everything that shots can hit was in the last ticks.
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

/// How many states cover `span` when one is noted every `stride_ticks`, the one before it included.
std::uint32_t states_for(Duration span, std::uint32_t ticks_per_second,
                         std::uint32_t stride_ticks = 1);

struct PoseHistoryOptions {
  std::uint32_t states = 32;          ///< Kept, at least 2: `states_for`.
  std::uint32_t entities_max = 4096;  ///< Further ones are refused and counted.
  /// A pose that moves by more in a tick has not moved but was teleported.
  float metres_per_tick_max = 4;
};

/// The state of an entity in a tick.
struct NotedPose {
  EntityId entity{};
  EntityId target{};  ///< The entity that hits report; null for `entity` itself.
  EntityId parent{};  ///< `pose` is relative to its pose, if it is noted in the same tick.
  Pose pose{};
  const HitVolume* volume = nullptr;  ///< Null for what only carries others. Copied.
  bool is_teleported = false;         ///< Nothing lies between this pose and the one before.
};

/// The last states of all hit volumes, and of the movers and parents that carry them. Poses are
/// kept relative to their parents and blended before they are put together, as a client does that
/// draws them. A volume is that of the earlier state until the later one is reached. What has
/// despawned can still be hit at the times before, until those states are overwritten; its id is
/// not reused.
///
/// Memory: about 120 bytes per entity and state, which grow with the entities and stay. A tick
/// allocates nothing when as many entities were there before. Several threads may read at once,
/// also through `RewoundView`, while none writes. A value without pointers to what it was given.
class PoseHistory {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit PoseHistory(const PoseHistoryOptions& options = {});

  /// Begins the state of a tick, which replaces the oldest one. A tick that is not after the newest
  /// forgets everything first. Requires: no state is open.
  void begin(Tick tick);
  /// Adds an entity to the open state. The same entity again replaces its pose. False when there
  /// are too many entities.
  bool note(const NotedPose& noted);
  /// Closes the state, which can be read from now on. Requires: one is open.
  void end();
  void clear();

  bool is_empty() const { return state_count_ == 0; }
  /// Requires: not empty.
  Tick oldest() const { return state(0).tick; }
  Tick newest() const { return state(state_count_ - 1).tick; }
  std::uint32_t state_count() const { return state_count_; }
  /// Entities that were refused since the beginning, once per tick.
  std::uint64_t refused() const { return refused_; }
  std::size_t memory_bytes() const;

  // For `RewoundView`.
  struct Record {
    Pose pose;
    HitVolume volume;
    EntityId target;
    float reach = 0;  ///< From the entity's position to the far end of its volume.
    std::uint32_t parent = kNone;
    std::uint32_t cut_tick = 0;  ///< The last one that nothing leads to from before.
    bool is_present = false;
    bool has_volume = false;
  };
  static constexpr float kNowhere = -1e30F;
  /// Eight spheres side by side, which the compiler computes with at once.
  struct Spheres {
    static constexpr std::uint32_t kWidth = 8;
    alignas(32) std::array<float, kWidth> x{}, y{}, z{};
    /// `kNowhere` without a volume.
    std::array<float, kWidth> reach{kNowhere, kNowhere, kNowhere, kNowhere,
                                    kNowhere, kNowhere, kNowhere, kNowhere};
    std::array<std::uint32_t, kWidth> cut_tick{};  ///< The last cut of the entity or a parent.
  };
  struct State {
    Tick tick;
    std::vector<Record> records;   ///< By entity index.
    std::vector<Spheres> spheres;  ///< The same, by eight: around the topmost parent's position.
  };
  /// The states around a moment, and what lies between: the nearest ones outside the history.
  struct Moment {
    const State* from = nullptr;
    const State* to = nullptr;
    float fraction = 0;
  };
  /// Requires: not empty.
  Moment moment(const ViewTime& view) const;
  std::uint32_t index_count() const { return static_cast<std::uint32_t>(entities_.size()); }
  /// Parents of parents, at most.
  static constexpr std::uint32_t kDepthMax = 16;

 private:
  struct Entity {
    EntityId id;                 ///< Null for a free index.
    std::uint64_t last_use = 0;  ///< The number of the last state with it.
  };
  /// By age: 0 is the oldest.
  const State& state(std::uint32_t age) const { return states_[(first_ + age) % options_.states]; }
  std::uint32_t index_of(EntityId entity) const;
  std::uint32_t make_index(EntityId entity);
  void find_sphere(State& open, std::uint32_t index) const;
  void find_cut(Record& record, const Record* before, Tick previous) const;

  PoseHistoryOptions options_;
  std::vector<State> states_;  ///< A ring.
  std::uint32_t first_ = 0;
  std::uint32_t state_count_ = 0;
  std::uint64_t number_ = 0;  ///< States begun.
  bool is_open_ = false;
  std::vector<Entity> entities_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_slot_;    ///< Index of the slot's newest entity.
  std::vector<EntityId> parents_;         ///< In the open state, by index.
  std::vector<std::uint8_t> teleported_;  ///< The same.
  std::uint64_t refused_ = 0;
};

}  // namespace muster
