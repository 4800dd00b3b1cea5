// Computes the number of ticks that are due in a frame.
#pragma once

#include <cstdint>
#include <optional>

#include "registry/base/clock.h"

namespace muster {

/// Converts time to whole ticks at a fixed rate. At most `kTicksPerFrameMax` ticks are due in a
/// frame; further ticks are skipped and counted. Without this limit, one slow frame could make
/// every later frame slower, because each frame would have more ticks to run. If the time goes
/// back, no ticks are due. The state depends only on the calls and their arguments.
class TickClock {
 public:
  static constexpr std::uint32_t kTicksPerFrameMax = 8;

  /// Requires: 1 to 1,000 ticks per second.
  explicit TickClock(std::uint32_t ticks_per_second) : rate_(ticks_per_second) {}

  /// Returns the number of ticks that are due. The first call returns 0.
  std::uint32_t due(Time now);
  /// The time between the last call of `due` and the next tick.
  Duration to_next() const;
  /// The fraction of a tick that has passed since the last tick; below 1.
  float fraction() const;
  /// The value of `fraction` at a time after the last call of `due`. The value is 1 or more if
  /// ticks are due.
  float fraction_at(Time now) const;
  std::uint64_t skipped() const { return skipped_; }

 private:
  std::int64_t rate_;
  std::optional<Time> last_;
  /// The time since the last tick, in parts of a tick. A tick has `kTickParts` parts, so the time
  /// is exact at any rate.
  std::int64_t parts_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace muster
