// Estimates the bits of updates and new entities from what earlier snapshots cost.
#pragma once

#include <cstddef>
#include <span>

#include "net/snapshot/schema.h"
#include "net/snapshot/snapshot_writer.h"

namespace muster {

/// Measured costs relative to a simple prediction. They adapt slowly to what recent snapshots cost.
/// A function of its calls alone.
class BitEstimate {
 public:
  /// The expected bits of an update of this many lanes.
  double update_bits(std::size_t lane_count) const;
  /// The expected bits of a new entity with these lanes.
  double new_bits(std::span<const LaneSchema> lanes) const;
  /// The expected bits of a tick's snapshots outside updates and new entities.
  double overhead_bits() const { return overhead_bits_; }

  /// Call before the snapshots of a tick ...
  void begin_tick() { tick_overhead_bits_ = 0; }
  /// ... after each, with the sum of the estimates of what it contains and its size ...
  void learn(double update_bits, double new_bits, const SnapshotCost& cost,
             std::size_t snapshot_bytes);
  /// ... and after all.
  void end_tick();

 private:
  double update_scale_ = 1;
  double new_scale_ = 1;
  double overhead_bits_ = 64;
  double tick_overhead_bits_ = 0;
};

}  // namespace muster
