// Hit tests against the volumes of a session's world, in the present and in the past.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/player_id.h"
#include "runtime/session/game.h"
#include "runtime/sync/hit_batch.h"
#include "runtime/sync/pose_history.h"
#include "runtime/world/world.h"

namespace muster {

/// Returns the moment that a player saw when the running command was made. If the function returns
/// nothing, the present is used, for example for entities without a player.
using SeenView = std::function<std::optional<ViewTime>(PlayerId player)>;

/// Keeps the history of the entities with a `HitVolume` and a component named "Transform". The
/// transform must have a `Vec3` field "position". The transform may have a quaternion field
/// "rotation" and a `Vec3` field "scale". A pose is relative to the nearest parent with a
/// transform. The scale of the entity also scales the entity's volume; scales of parents do not.
/// Values are rounded as on the wire, so server and client have equal values. The entity of a hit
/// is the replicated entity that the volume belongs to. Only one thread at a time may use this
/// object. World and game must outlive this object.
class HitTests {
 public:
  HitTests(const World& world, const Game& game);

  /// Whether the game has the components that hit tests need.
  bool is_used() const { return volume_.has_value(); }
  /// Records the poses of the world as the state of `tick`. A server calls this function at the end
  /// of a tick. A client calls this function after the received state is applied.
  void record(Tick tick);
  void set_view(SeenView view) { view_ = std::move(view); }
  /// Ends the lifetime of all returned spans, and reuses their memory.
  void release() { used_ = 0; }

  // Returned spans are valid until `release`.
  std::span<const Hit> hits(const Shot& shot, PlayerId shooter);
  std::span<const Hit> hits_within(Vec3 center, float metres, std::uint32_t layers);
  std::span<const SplashHit> splash(const Splash& splash);

  const PoseHistory& history() const { return history_; }

 private:
  struct Noted;
  struct Results {
    std::vector<Hit> hits;
    std::vector<SplashHit> splashed;
  };
  void note(EntityId entity, const HitVolume* volume);
  EntityId parent_with_pose(EntityId entity) const;
  EntityId replicated_above(EntityId entity) const;
  HitVolume rounded_volume(EntityId entity, Vec3 scale) const;
  Results& next_results();
  void go_to(const std::optional<ViewTime>& view);

  const World& world_;
  const Game& game_;
  std::optional<ComponentId> transform_;
  std::optional<ComponentId> volume_;
  std::optional<ComponentId> replicated_;
  const FieldDescription* position_ = nullptr;
  const FieldDescription* rotation_ = nullptr;
  const FieldDescription* scale_ = nullptr;
  PoseHistory history_;
  RewoundView rewound_;
  /// The moment of `rewound_`; empty if `rewound_` is outdated.
  std::optional<ViewTime> rewound_to_;
  SeenView view_;
  std::vector<Results> results_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace muster
