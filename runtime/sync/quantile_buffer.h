// The default jitter buffer, whose delay is a quantile of the lateness plus a decaying peak.
#pragma once

#include <cstdint>

#include "runtime/sync/delay_estimate.h"
#include "runtime/sync/jitter_buffer.h"
#include "runtime/sync/playback_clock.h"

namespace muster {

/// Plays behind the newest snapshot by the delay of `DelayEstimate`. The delay includes one
/// snapshot interval, so that states can be interpolated. `JitterWeight` determines how much
/// lateness the delay includes. If the next snapshot does not arrive, the target time waits at the
/// newest snapshot for up to 100 ms. The clock follows the target time at 0.85 to 1.1 times real
/// time. The clock jumps if it is 150 ms behind or 500 ms ahead.
class QuantileBuffer final : public JitterBuffer {
 public:
  explicit QuantileBuffer(const JitterOptions& options);

  void note(Tick tick, Time now) override;
  double shown(Time now) override;
  Duration delay() const override;
  std::uint64_t reseats() const override { return clock_.reseats(); }

 private:
  double to_ms(Time now) const;

  double tick_ms_;
  double interval_ms_;
  bool has_begun_ = false;
  bool has_frame_ = false;
  Time origin_{};         ///< The arrival of the first snapshot. All times in ms count from it.
  double newest_ms_ = 0;  ///< The time of the newest snapshot's tick.
  double frame_ms_ = 0;   ///< The time of the last frame.
  double delay_ms_ = 0;
  DelayEstimate estimate_;
  PlaybackClock clock_;
};

}  // namespace muster
