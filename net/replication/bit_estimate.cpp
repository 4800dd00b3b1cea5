// Two scales correct the predicted costs. They follow the measured costs slowly, and more slowly
// for small snapshots.
#include "net/replication/bit_estimate.h"

#include <algorithm>
#include <bit>

namespace muster {
namespace {

/// Estimated bits of an update and of each of its lanes, before measurement.
constexpr double kUpdateBits = 6;
constexpr double kLaneBits = 1.5;

void learn_scale(double& scale, double seen_bits, double predicted_bits) {
  constexpr double kRate = 1.0 / 16;
  constexpr double kEnoughBits = 200;  // A very small snapshot measures the scale inaccurately.
  const double weight = kRate * std::min(predicted_bits / kEnoughBits, 1.0);
  if (predicted_bits <= 0) return;
  scale = std::clamp(scale * (1 + weight * (seen_bits / predicted_bits - 1)), 0.05, 20.0);
}

}  // namespace

double BitEstimate::update_bits(std::size_t lane_count) const {
  return update_scale_ * (kUpdateBits + kLaneBits * static_cast<double>(lane_count));
}

double BitEstimate::new_bits(std::span<const LaneSchema> lanes) const {
  double bits = kUpdateBits;
  for (const LaneSchema& lane : lanes) bits += std::bit_width(lane.maximum) / 2.0 + 1;
  return new_scale_ * bits;
}

void BitEstimate::learn(double update_bits, double new_bits, const SnapshotCost& cost,
                        std::size_t snapshot_bytes) {
  learn_scale(update_scale_, cost.update_bits, update_bits);
  learn_scale(new_scale_, cost.new_bits, new_bits);
  tick_overhead_bits_ +=
      std::max(static_cast<double>(snapshot_bytes) * 8 - cost.update_bits - cost.new_bits, 0.0);
}

void BitEstimate::end_tick() {
  if (tick_overhead_bits_ > 0) overhead_bits_ += (tick_overhead_bits_ - overhead_bits_) / 8;
}

}  // namespace muster
