// Two rules reduce the delay on recorded links, in addition to the rules of delay_estimate.cpp.
//
// A snapshot is late only if the frame before its arrival has played past the snapshot's tick. So
// the need of a snapshot is measured from that frame, and does not include the frame's length.
//
// A stall is detected before it ends: the clock reaches the newest snapshot, and no later snapshot
// has arrived. The clock then slows down, so that fewer of the delayed snapshots are late.
#include "runtime/sync/quantile_buffer.h"

#include <algorithm>
#include <cmath>

#include "runtime/sync/milliseconds.h"

namespace muster {
namespace {

/// The maximum frame length that counts. A longer frame means that the client was suspended.
constexpr double kFrameMaxMs = 50;
/// The maximum number of snapshots that count as lost for one gap in the ticks.
constexpr double kLostMax = 20;
/// A gap means lost snapshots if its length is a multiple of the interval. The length may differ by
/// this share of an interval.
constexpr double kGapTolerance = 0.1;

DelayEstimateOptions buffer_estimate(double interval_ms, JitterWeight weight) {
  DelayEstimateOptions options;
  // A late snapshot costs more if snapshots are rare, because the time without a state is longer.
  options.late_cost_ms = 3600 + 50 * interval_ms;
  if (weight == JitterWeight::quick) options.late_cost_ms *= 0.2;
  if (weight == JitterWeight::smooth) options.late_cost_ms *= 2.3;
  options.floor_ms = interval_ms;
  options.peak_max_ms = 100;
  return options;
}

}  // namespace

QuantileBuffer::QuantileBuffer(const JitterOptions& options)
    : tick_ms_(1000.0 / options.ticks_per_second),
      interval_ms_(tick_ms_ * options.snapshot_ticks),
      estimate_(buffer_estimate(interval_ms_, options.weight)) {}

double QuantileBuffer::to_ms(Time now) const { return to_milliseconds(now - origin_); }

void QuantileBuffer::note(Tick tick, Time now) {
  const double tick_time = tick_ms_ * tick.value();
  if (!has_begun_) {
    origin_ = now;
    newest_ms_ = tick_time - interval_ms_;
    has_begun_ = true;
  }
  if (tick_time <= newest_ms_) return;
  const double now_ms = to_ms(now);
  const double intervals = (tick_time - newest_ms_) / interval_ms_;
  const bool is_multiple = std::abs(intervals - std::round(intervals)) < kGapTolerance;
  const double lost = is_multiple ? std::min(std::round(intervals) - 1, kLostMax) : 0;
  newest_ms_ = tick_time;
  // The snapshot is late if the frame before the snapshot's arrival showed a later time than the
  // snapshot's tick.
  const double before = has_frame_ ? std::max(frame_ms_, now_ms - kFrameMaxMs) : now_ms;
  const double needed = before - tick_time;
  // This snapshot replaces the lost snapshots. The need of a lost snapshot is the need of this
  // snapshot plus the time between the two ticks.
  for (int i = static_cast<int>(lost); i >= 1; --i) estimate_.note_lost(needed + i * interval_ms_);
  estimate_.note(needed, now_ms);
}

double QuantileBuffer::shown(Time now) {
  if (!has_begun_) return 0;
  const double now_ms = to_ms(now);
  frame_ms_ = now_ms;
  has_frame_ = true;
  const double waiting = now_ms - newest_ms_;
  const double limit = estimate_.settled_ms() + estimate_.peak_max_ms();
  const double wanted = std::max(estimate_.wanted_ms(now_ms), std::min(waiting, limit));
  const double position = clock_.follow(now_ms - wanted, now_ms);
  delay_ms_ = now_ms - position - estimate_.typical_ms();
  return std::max(position / tick_ms_, 0.0);
}

Duration QuantileBuffer::delay() const { return from_milliseconds(delay_ms_); }

}  // namespace muster
