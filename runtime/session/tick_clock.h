// Which ticks are due, whatever the frames do.
#pragma once

#include <cstdint>
#include <optional>

#include "registry/base/clock.h"

namespace muster {

/// Turns time into whole ticks at a fixed rate. After a long frame at most `kTicksPerFrameMax`
/// ticks are made up for, or each frame would take longer than the one before; the rest are skipped
/// and counted. A clock that goes back gives no ticks. A function of what it is given.
class TickClock {
 public:
  static constexpr std::uint32_t kTicksPerFrameMax = 8;

  /// Requires: 1 to 1,000 ticks per second.
  explicit TickClock(std::uint32_t ticks_per_second) : rate_(ticks_per_second) {}

  /// The ticks that are due. The first call has none.
  std::uint32_t due(Time now);
  /// Until the next tick is due, as of the last `due`.
  Duration to_next() const;
  /// The fraction of a tick that has passed since the last one; below 1.
  float fraction() const;
  /// The same at a later time, before `due` is called for it; 1 and more when ticks are due.
  float fraction_at(Time now) const;
  std::uint64_t skipped() const { return skipped_; }

 private:
  std::int64_t rate_;
  std::optional<Time> last_;
  /// Time that is in no tick yet, in parts of which a tick has `kTickParts`: exact at any rate.
  std::int64_t parts_ = 0;
  std::uint64_t skipped_ = 0;
};

}  // namespace muster
