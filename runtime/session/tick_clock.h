// Computes how many ticks are due in a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "registry/base/clock.h"

namespace muster {

/// Turns time into whole ticks at a fixed rate. At most `kTicksPerFrameMax` ticks are due in a
/// frame; the rest are skipped and counted. Without this limit, a frame with many ticks would take
/// long, the next frame would have even more ticks, and so on. If time goes back, no ticks are due.
/// The state is a function of the calls.
class TickClock {
 public:
  static constexpr std::uint32_t kTicksPerFrameMax = 8;

  /// Requires: 1 to 1,000 ticks per second.
  explicit TickClock(std::uint32_t ticks_per_second) : rate_(ticks_per_second) {}

  /// The number of ticks that are due; 0 in the first call.
  std::uint32_t due(Time now);
  /// The time from the last `due` until the next tick is due.
  Duration to_next() const;
  /// The fraction of a tick that has passed since the last one; below 1.
  float fraction() const;
  /// The fraction at a later time, before `due` is called for that time. It is 1 or more if ticks
  /// are due.
  float fraction_at(Time now) const;
  std::uint64_t skipped() const { return skipped_; }

 private:
  std::int64_t rate_;
  std::optional<Time> last_;
  /// The time that has passed since the last tick. A tick has `kTickParts` parts, so it is exact at
  /// any rate.
  std::int64_t parts_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace muster
