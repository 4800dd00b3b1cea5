// Computes the hits of shots. Each shot is tested at the moment that the shooter saw.
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

/// The environment, which stops shots. `metres` returns the distance at which the environment stops
/// a ray, at most `metres_max`. `metres` is called from several threads at once, and must be a pure
/// function while shots are resolved. `metres` is null if there is no environment.
struct Environment {
  const void* context = nullptr;
  float (*metres)(const void* context, Vec3 from, Vec3 direction, float metres_max) = nullptr;
};

struct ViewedShot {
  Shot shot;
  ViewTime view;
};

/// Appends the entities that a shot hits in a view, nearest first. Entities at equal distances are
/// ordered by entity id. Each entity is listed once, with its nearest part. If several parts are
/// equally near, the part with the lowest number is listed. Entities behind the environment are not
/// hit. A shot hits nothing if one of its values is not finite, or if the length of its direction
/// differs from 1 by more than 1 %. `scratch` keeps memory between calls. Returns the distance at
/// which the environment stops the shot, in metres.
float resolve_shot(RewoundView& view, const Shot& shot, const Environment& environment,
                   std::vector<std::uint32_t>& scratch, std::vector<Hit>& out);

/// Resolves many shots, and rewinds once per distinct moment. The result of a shot does not depend
/// on the other shots in the batch. Therefore the results are the same in every order and for any
/// number of threads. If the object is reused, only a batch that is larger than all earlier batches
/// allocates memory.
class HitBatch {
 public:
  /// Resolves a batch, and replaces the results of the previous batch. If `workers` is null, the
  /// calling thread does all the work. Requires: `history` does not change during the call.
  void resolve(const PoseHistory& history, std::span<const ViewedShot> shots,
               const Environment& environment = {}, WorkerPool* workers = nullptr);

  /// The hits of the shot with index `shot` in the last batch; valid until the next batch.
  std::span<const Hit> hits(std::size_t shot) const;
  /// The distance at which the environment stops the shot, in metres.
  float metres(std::size_t shot) const { return results_[shot].metres; }

  // Sums over all batches.
  std::uint64_t rewind_count() const;
  std::uint64_t world_volume_count() const;

 private:
  struct Result {
    std::uint32_t lane = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    float metres = 0;
  };
  /// The data of one thread.
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
  std::vector<std::uint32_t> order_;  ///< Indices of shots, sorted by moment.
  /// The first index of each moment in `order_`, followed by the size of `order_`.
  std::vector<std::uint32_t> groups_;
  std::vector<Result> results_;
};

/// Appends the entities that a splash reaches in a view, nearest first. Entities at equal distances
/// are ordered by entity id. Each entity is listed once, with its nearest part. Appends nothing if
/// a value of the splash is not finite.
void resolve_splash(RewoundView& view, const Splash& splash, std::vector<std::uint32_t>& scratch,
                    std::vector<SplashHit>& out);

/// The share of the damage at a distance from the center. Does not apply `instigator_share`.
float splash_share(const Splash& splash, float metres);

}  // namespace muster
