// Estimates the bits of updates and new entities from the cost of earlier snapshots.
#pragma once

#include <cstddef>
#include <span>

#include "net/snapshot/schema.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {

/// Estimates bits with a simple prediction. The measured costs of recent snapshots correct the
/// prediction. The correction adapts slowly. The results depend only on the calls.
class BitEstimate {
 public:
  /// The expected bits of an update of this many lanes.
  double update_bits(std::size_t lane_count) const;
  /// The expected bits of a new entity with these lanes.
  double new_bits(std::span<const LaneSchema> lanes) const;
  /// The expected bits of a tick's snapshots, without the bits of updates and new entities.
  double overhead_bits() const { return overhead_bits_; }

  /// Call this function before the snapshots of a tick.
  void begin_tick() { tick_overhead_bits_ = 0; }
  /// Call this function after each snapshot. The first two arguments are the sums of the estimates
  /// for the snapshot's updates and new entities. `cost` has the measured bits.
  void learn(double update_bits, double new_bits, const SnapshotCost& cost,
             std::size_t snapshot_bytes);
  /// Call this function after all snapshots of the tick.
  void end_tick();

 private:
  double update_scale_ = 1;
  double new_scale_ = 1;
  double overhead_bits_ = 64;
  double tick_overhead_bits_ = 0;
};

}  // namespace muster
