// A playback rule for comparison: a buffer that grows and shrinks by whole snapshots.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// Starts when 3 snapshots wait, and then plays in real time. Once per snapshot interval, the
/// buffer counts its waiting snapshots. After 30 counts, the buffer checks the variance and the
/// mean of the counts. If the variance is above normal, the counts are discarded. Otherwise, if the
/// mean is above the upper bound, the playback jumps ahead by one interval, so the buffer shrinks.
/// If the mean is below the lower bound, the playback waits for one interval, so the buffer grows.
///
/// The playback does not change its speed, so shown motion jumps or stops by an interval. The
/// playback never passes the newest snapshot. Source: "How we wrote the network code of the mobile
/// PvP shooter" (Pixonic, 2018). The source does not state the bounds. The bounds of this class
/// keep one or two intervals in the buffer.
class VarianceBuffer final : public JitterBuffer {
 public:
  explicit VarianceBuffer(const JitterOptions& options);

  void note(Tick tick, Time now) override;
  double shown(Time now) override;
  Duration delay() const override { return delay_; }
  std::uint64_t reseats() const override { return 0; }
  /// The number of intervals by which the playback jumped ahead (`added`) and waited (`skipped`).
  std::uint64_t added() const { return added_; }
  std::uint64_t skipped() const { return skipped_; }

 private:
  void count_waiting();
  void judge();

  double ticks_per_second_;
  double interval_ticks_;
  std::optional<Tick> first_;
  std::optional<Tick> newest_;
  std::optional<Time> frame_;
  Time newest_at_{};
  bool is_playing_ = false;
  double shown_ = 0;
  double pause_ticks_ = 0;
  double to_count_ticks_ = 0;
  std::uint32_t counts_ = 0;
  double sum_ = 0;
  double square_sum_ = 0;
  Duration delay_{};
  std::uint64_t added_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace muster
