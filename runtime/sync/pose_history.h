// Keeps the poses of all hit volumes in the last ticks.
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

/// Returns the number of states that cover `span` if one state is stored every `stride_ticks`. The
/// result includes the state before `span` and the newest state.
std::uint32_t states_for(Duration span, std::uint32_t ticks_per_second,
                         std::uint32_t stride_ticks = 1);

struct PoseHistoryOptions {
  std::uint32_t states = 32;          ///< The number of kept states, at least 2. See `states_for`.
  std::uint32_t entities_max = 4096;  ///< Further entities are refused and counted.
  /// An entity whose position changes by more than this distance in a tick counts as teleported.
  float metres_per_tick_max = 4;
};

/// The state of an entity in a tick.
struct NotedPose {
  EntityId entity{};
  EntityId target{};  ///< The entity that hits report. If null, hits report `entity`.
  /// `pose` is relative to the parent's pose, if the parent is noted in the same tick.
  EntityId parent{};
  Pose pose{};
  const HitVolume* volume = nullptr;  ///< Copied. Null if the entity is only a parent of others.
  bool is_teleported = false;         ///< If true, this pose is not blended with the previous pose.
};

/// The last states of all hit volumes and of their parents. Each pose is stored relative to the
/// parent's pose. As on a client, relative poses are blended first, and then combined into world
/// poses. Volumes are not blended: between two states, the volume of the earlier state is used. A
/// despawned entity can be hit at times before its despawn, until the states of these times are
/// overwritten. Ids of despawned entities are not reused.
///
/// The memory is about 120 bytes per entity and state, and never shrinks. A tick allocates nothing
/// unless it has more entities than all earlier ticks. Several threads may read at once, also
/// through `RewoundView`, while no thread writes. Keeps no pointers to its arguments.
class PoseHistory {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  explicit PoseHistory(const PoseHistoryOptions& options = {});

  /// Begins the state of a tick. If all states are in use, the new state replaces the oldest state.
  /// If the tick is not after the newest state's tick, all states are dropped first. Requires: no
  /// state is open.
  void begin(Tick tick);
  /// Adds an entity to the state that `begin` has opened. If the entity was already added, replaces
  /// its pose. Returns false if there are too many entities.
  bool note(const NotedPose& noted);
  /// Closes the open state, which can then be read. Requires: a state is open.
  void end();
  void clear();

  bool is_empty() const { return state_count_ == 0; }
  /// Requires: not empty.
  Tick oldest() const { return state(0).tick; }
  Tick newest() const { return state(state_count_ - 1).tick; }
  std::uint32_t state_count() const { return state_count_; }
  /// The number of refused calls of `note`.
  std::uint64_t refused() const { return refused_; }
  std::size_t memory_bytes() const;

  // For `RewoundView`.
  struct Record {
    Pose pose;
    HitVolume volume;
    EntityId target;
    float reach = 0;  ///< The distance from the entity's position to the far end of its volume.
    std::uint32_t parent = kNone;
    /// The tick of the last pose that is not blended with the previous pose.
    Tick cut_tick{};
    bool is_present = false;
    bool has_volume = false;
  };
  static constexpr float kNowhere = -1e30F;
  static constexpr Tick kAlwaysCut{0xFFFFFFFF};
  /// Eight spheres. Each coordinate has an array, so that the compiler can use vector instructions.
  struct Spheres {
    static constexpr std::uint32_t kWidth = 8;
    alignas(32) std::array<float, kWidth> x{}, y{}, z{};
    /// The radius of each sphere; `kNowhere` for an entity without a volume.
    std::array<float, kWidth> reach{kNowhere, kNowhere, kNowhere, kNowhere,
                                    kNowhere, kNowhere, kNowhere, kNowhere};
    /// The latest `cut_tick` of the entity and its parents; `kAlwaysCut` for an entity without a
    /// volume.
    std::array<Tick, kWidth> cut_tick{};
  };
  struct State {
    Tick tick;
    std::vector<Record> records;  ///< Records by entity index.
    /// Spheres by entity index / 8. The centers of the spheres are the positions of the topmost
    /// parents.
    std::vector<Spheres> spheres;
  };
  /// The two states around a moment, and the moment's fraction of the time between the states. For
  /// a moment outside the history, both states are the nearest state.
  struct Moment {
    const State* from = nullptr;
    const State* to = nullptr;
    float fraction = 0;
  };
  /// Requires: not empty.
  Moment moment(const ViewTime& view) const;
  std::uint32_t index_count() const { return static_cast<std::uint32_t>(entities_.size()); }
  /// The maximum depth of parents. Parents above this depth are ignored.
  static constexpr std::uint32_t kDepthMax = 16;

 private:
  struct Entity {
    EntityId id;                 ///< Null if the index is free.
    std::uint64_t last_use = 0;  ///< The number of the last state that has the entity.
  };
  /// Returns a state by age: 0 is the oldest state.
  const State& state(std::uint32_t age) const { return states_[(first_ + age) % options_.states]; }
  std::uint32_t index_of(EntityId entity) const;
  std::uint32_t make_index(EntityId entity);
  void find_sphere(State& open, std::uint32_t index) const;
  void find_cut(Record& record, const Record* before, Tick previous) const;

  PoseHistoryOptions options_;
  std::vector<State> states_;  ///< A ring.
  std::uint32_t first_ = 0;
  std::uint32_t state_count_ = 0;
  std::uint64_t number_ = 0;  ///< The number of begun states.
  bool is_open_ = false;
  std::vector<Entity> entities_;
  std::vector<std::uint32_t> free_;
  std::vector<std::uint32_t> by_slot_;    ///< The index of the newest entity in each slot.
  std::vector<EntityId> parents_;         ///< The parents in the open state, by entity index.
  std::vector<std::uint8_t> teleported_;  ///< `is_teleported` in the open state, by entity index.
  std::uint64_t refused_ = 0;
};

}  // namespace muster
