// Seed 001's rule of playback: a buffer of snapshots that grows and shrinks by whole ones.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// Starts when 3 snapshots wait, and then plays in real time. Once per snapshot interval it counts
/// the snapshots that wait. After 30 counts: if their variance is normal, a mean above the upper
/// bound plays one interval more at once (the buffer shrinks), and a mean below the lower bound
/// waits for one interval (it grows). A variance above normal discards the counts.
///
/// It knows no speeds: shown motion jumps or stops by an interval. It never plays past the newest
/// snapshot. Source: "How we wrote the network code of the mobile PvP shooter" (Pixonic, 2018),
/// which names no bounds; those here keep one interval or two in the buffer.
class VarianceBuffer final : public JitterBuffer {
 public:
  explicit VarianceBuffer(const JitterOptions& options);

  void note(Tick tick, Time now) override;
  double shown(Time now) override;
  Duration delay() const override { return delay_; }
  std::uint64_t reseats() const override { return 0; }
  /// Intervals that were played at once, and waited.
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
