// Chooses the tick that a client shows, so that few snapshots arrive too late for it.
#pragma once

#include <cstdint>
#include <memory>

#include "registry/base/clock.h"
#include "registry/base/tick.h"

namespace muster {

/// How a jitter buffer chooses its delay.
enum class JitterPolicy : std::uint8_t {
  quantile,  ///< A quantile of the snapshots' lateness, and a peak that decays. The default.
  variance,  ///< Mean and variance of the number of waiting snapshots (`VarianceBuffer`).
  newest,    ///< Shows the newest snapshot, without a buffer (`NewestBuffer`).
};

/// The trade-off of the quantile policy between delay and late snapshots.
enum class JitterWeight : std::uint8_t {
  quick,     ///< Than balanced: a fifth to a third less delay, a fifth more late snapshots.
  balanced,  ///< The default.
  steady,    ///< Than balanced: 1.6 times the delay, a sixth fewer late ones. For spectators.
};

struct JitterOptions {
  std::uint32_t ticks_per_second = 60;  ///< 1 to 1,000.
  std::uint32_t snapshot_ticks = 1;     ///< Ticks from one snapshot to the next; at least 1.
  JitterPolicy policy = JitterPolicy::quantile;
  JitterWeight weight = JitterWeight::balanced;
};

/// The playback clock of received snapshots. A function of the arguments of its calls: it reads no
/// clock and draws no random number, so equal calls give equal results. Memory is bounded and
/// allocated at construction. One thread at a time.
///
/// Per frame: `note` for each snapshot that arrived, in order of arrival, then `shown` once. Times
/// must not decrease. A new connection, a seek and a change of the tick rate need a new buffer.
class JitterBuffer {
 public:
  virtual ~JitterBuffer() = default;

  /// A snapshot of `tick` arrived at `now`. One that is older than the newest is ignored.
  virtual void note(Tick tick, Time now) = 0;
  /// The tick to show in the frame at `now`, with a fraction. 0 before the first snapshot, and
  /// never negative. It decreases only when the clock jumps (`reseats`).
  virtual double shown(Time now) = 0;
  /// How far `shown` is behind the newest tick that would have arrived by now with the link's usual
  /// delay.
  virtual Duration delay() const = 0;
  /// How often the clock jumped because its error was beyond the limits of the policy.
  virtual std::uint64_t reseats() const = 0;
};

/// Requires: options within their ranges.
std::unique_ptr<JitterBuffer> make_jitter_buffer(const JitterOptions& options);

}  // namespace muster
