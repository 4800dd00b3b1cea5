// Which tick a client shows: behind the newest snapshot by as much as snapshots are late.
#pragma once

#include <cstdint>
#include <memory>

#include "registry/base/clock.h"
#include "registry/base/tick.h"

namespace muster {

/// How a jitter buffer chooses its delay.
enum class JitterPolicy : std::uint8_t {
  quantile,  ///< A quantile of what snapshots were late by, and a peak that decays. The default.
  variance,  ///< Seed 001: mean and variance of the waiting snapshots; adds and skips intervals.
  newest,    ///< FPSSample: rides at the newest snapshot. It has no buffer.
};

/// How the quantile policy weighs late snapshots against delay.
enum class JitterWeight : std::uint8_t {
  quick,     ///< A fifth to a third less delay, and a fifth more late snapshots.
  balanced,  ///< The default.
  steady,    ///< A sixth fewer late snapshots at 1.6 times the delay: for spectators.
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
  /// The tick to show in the frame at `now`, with its fraction. 0 before the first snapshot; at
  /// least 0. It decreases only when the clock is re-seated (`reseats`).
  virtual double shown(Time now) = 0;
  /// How far `shown` is behind the time line of the server as seen through the link's usual delay.
  virtual Duration delay() const = 0;
  /// How often the clock jumped because its error was beyond the limits of the policy.
  virtual std::uint64_t reseats() const = 0;
};

/// Requires: options within their ranges.
std::unique_ptr<JitterBuffer> make_jitter_buffer(const JitterOptions& options);

}  // namespace muster
