// What the shots of systems hit: the volumes of a session's world, now and in the past.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "registry/base/player_id.h"
#include "runtime/session/game.h"
#include "runtime/sync/hit_query.h"
#include "runtime/sync/pose_history.h"
#include "runtime/world/world.h"

namespace muster {

/// The moment that a player has seen when the command was made that runs now; nothing for the
/// present, as for an entity without a player.
using SeenView = std::function<std::optional<ViewTime>(PlayerId player)>;

/// Keeps the history of the entities with a `HitVolume` and a component named "Transform", which
/// has a `Vec3` field "position" and may have a quaternion "rotation" and a `Vec3` "scale". Poses
/// are relative to the nearest parent with a transform; a volume grows with its own scale. Values
/// are rounded as on the wire, so that server and client have the same ones. A hit's entity is the
/// replicated one that the volume belongs to. One thread at a time; both references must outlive
/// it.
class HitTests {
 public:
  HitTests(const World& world, const Game& game);

  /// Whether the game has anything that can be hit.
  bool is_used() const { return volume_.has_value(); }
  /// The world is as it will be at the end of `tick`, or was when it was received.
  void record(Tick tick);
  void set_view(SeenView view) { view_ = std::move(view); }
  /// Spans that were returned before are not used any more.
  void release() { used_ = 0; }

  // Spans live until `release`.
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
  std::optional<ViewTime> rewound_to_;  ///< Empty when `rewound_` is out of date.
  SeenView view_;
  std::vector<Results> results_;
  std::size_t used_ = 0;
  std::vector<std::uint32_t> scratch_;
};

}  // namespace muster
