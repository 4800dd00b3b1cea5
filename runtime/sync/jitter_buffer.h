// Chooses the tick that a client shows, so that few snapshots arrive too late to be shown.
#pragma once

#include <cstdint>
#include <memory>

#include "registry/base/clock.h"
#include "registry/base/tick.h"

namespace muster {

/// How a jitter buffer chooses its delay.
enum class JitterPolicy : std::uint8_t {
  /// A quantile of the snapshots' lateness plus a decaying peak (`QuantileBuffer`). The default.
  quantile,
  variance,  ///< Mean and variance of the number of waiting snapshots (`VarianceBuffer`).
  newest,    ///< Shows the newest snapshot, without a buffer (`NewestBuffer`).
};

/// The trade-off of the quantile policy between delay and late snapshots.
enum class JitterWeight : std::uint8_t {
  quick,     ///< Compared with `balanced`: 20 to 33 % less delay, and 20 % more late snapshots.
  balanced,  ///< The default.
  /// Compared with `balanced`: 1.6 times the delay, and 17 % fewer late snapshots. For spectators.
  smooth,
};

struct JitterOptions {
  std::uint32_t ticks_per_second = 60;  ///< 1 to 1,000.
  /// The interval between two snapshots, in ticks; at least 1.
  std::uint32_t snapshot_ticks = 1;
  JitterPolicy policy = JitterPolicy::quantile;
  JitterWeight weight = JitterWeight::balanced;
};

/// The playback clock of received snapshots. The state is a function of the calls: equal calls give
/// equal results. Memory is bounded and allocated at construction. Only one thread at a time may
/// use this object.
///
/// In each frame, call `note` for each snapshot in the order of arrival, and then `shown` once.
/// Times must not decrease. A new connection, a seek and a change of the tick rate need a new
/// buffer.
class JitterBuffer {
 public:
  virtual ~JitterBuffer() = default;

  /// Adds a snapshot of `tick` that arrived at `now`. A snapshot that is older than the newest
  /// snapshot is ignored.
  virtual void note(Tick tick, Time now) = 0;
  /// Returns the tick to show in the frame at `now`, with a fraction. The result is 0 before the
  /// first snapshot, and never negative. The result decreases only when the clock jumps
  /// (`reseats`).
  virtual double shown(Time now) = 0;
  /// The time by which `shown` is behind the server, minus the usual delay of the link.
  virtual Duration delay() const = 0;
  /// The number of jumps, which happen when the clock's error is above the limits of the policy.
  virtual std::uint64_t reseats() const = 0;
};

/// Requires: options within their ranges.
std::unique_ptr<JitterBuffer> make_jitter_buffer(const JitterOptions& options);

}  // namespace muster
