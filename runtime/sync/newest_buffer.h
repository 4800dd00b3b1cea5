// The playback rule of Unity's FPSSample, for comparison.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/sync/jitter_buffer.h"

namespace muster {

/// Plays in real time, and stops at the newest snapshot. If the playback is more than 1 tick behind
/// the newest snapshot, the playback runs 1 % faster. If the playback is more than 10 ticks behind,
/// the playback jumps to 8 ticks behind. The playback has no delay, so it often stops until the
/// next snapshot arrives.
///
/// Source: Unity's FPSSample, ClientGameLoop, "render time".
class NewestBuffer final : public JitterBuffer {
 public:
  explicit NewestBuffer(const JitterOptions& options);

  void note(Tick tick, Time now) override;
  double shown(Time now) override;
  Duration delay() const override { return delay_; }
  std::uint64_t reseats() const override { return reseats_; }

 private:
  double ticks_per_second_;
  std::optional<Tick> newest_;
  std::optional<Time> frame_;
  Time newest_at_{};
  double shown_ = 0;
  Duration delay_{};
  std::uint64_t reseats_ = 0;
};

}  // namespace muster
