// What shots hit, at the moments that their shooters saw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/sync/hit_volume.h"
#include "runtime/sync/pose_history.h"
#include "runtime/sync/rewound_view.h"
#include "runtime/sync/view_time.h"
#include "runtime/world/worker_pool.h"

namespace muster {

/// The environment: `metres` returns how far a ray gets, at most `metres_max`. Called from several
/// threads at once: it must be a pure function while shots are resolved. Null for no environment.
struct Environment {
  const void* context = nullptr;
  float (*metres)(const void* context, Vec3 from, Vec3 direction, float metres_max) = nullptr;
};

struct ViewedShot {
  Shot shot;
  ViewTime view;
};

/// Appends what one shot hits in a view, nearest first, equal distances by entity id: each entity
/// once, with its nearest part (of equal ones the lowest), no farther than the environment. A shot
/// with values that are not finite, or whose direction does not have a length of 1 within 1 %, hits
/// nothing. `scratch` keeps memory between calls. Returns the metres that the shot gets through the
/// environment.
float resolve_shot(RewoundView& view, const Shot& shot, const Environment& environment,
                   std::vector<std::uint32_t>& scratch, std::vector<Hit>& out);

/// Resolves many shots: goes back once per distinct moment, and each shot sees the same volumes
/// whatever else is in the batch. So the verdicts are the same in every order and on any number of
/// threads. Reuse it: a batch allocates nothing when an earlier one was as large.
class HitBatch {
 public:
  /// Results of the batch before are gone. `workers` may be null: then this thread does it all.
  /// Requires: `history` does not change meanwhile.
  void resolve(const PoseHistory& history, std::span<const ViewedShot> shots,
               const Environment& environment = {}, WorkerPool* workers = nullptr);

  /// The hits of a shot of the last batch, by its index; valid until the next batch.
  std::span<const Hit> hits(std::size_t shot) const;
  /// How far the environment lets it get.
  float metres(std::size_t shot) const { return results_[shot].metres; }

  // Since the beginning.
  std::uint64_t rewind_count() const;
  std::uint64_t placed_count() const;

 private:
  struct Result {
    std::uint32_t lane = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    float metres = 0;
  };
  /// What one thread works with.
  struct Lane {
    RewoundView view;
    std::vector<std::uint32_t> near;
    std::vector<Hit> hits;
    std::uint64_t rewinds = 0;
  };
  void run_lane(std::uint32_t lane, const PoseHistory& history, std::span<const ViewedShot> shots,
                const Environment& environment);

  std::vector<Lane> lanes_;
  std::uint32_t lanes_used_ = 0;
  std::vector<std::uint32_t> order_;   ///< Shots by moment.
  std::vector<std::uint32_t> groups_;  ///< Where each moment begins in `order_`, and the end.
  std::vector<Result> results_;
};

/// Appends the entities that a splash reaches in a view, nearest first, equal distances by entity
/// id: each once, by its nearest part. Nothing for values that are not finite.
void resolve_splash(RewoundView& view, const Splash& splash, std::vector<std::uint32_t>& scratch,
                    std::vector<SplashHit>& out);

/// The share of the damage at a distance from the center, without `instigator_share`.
float splash_share(const Splash& splash, float metres);

}  // namespace muster
