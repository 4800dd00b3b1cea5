// Rates of traffic over the last second and over the last samples, from totals that only grow.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "net/endpoint/server.h"
#include "net/transport/connection_counters.h"
#include "registry/base/clock.h"

namespace muster {

/// What rates are computed of. Totals since the beginning.
struct TrafficTotals {
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t packets_in = 0;
  std::uint64_t packets_out = 0;
  std::uint64_t lost_in = 0;
  std::uint64_t lost_out = 0;
  std::uint64_t delivered = 0;
};

TrafficTotals totals_of(const ConnectionCounters& counters);
/// A server's datagrams, handshakes included; losses are known of connections only.
TrafficTotals totals_of(const ServerCounters& counters);

/// What was at one point in time.
struct TrafficSample {
  Time at{};
  TrafficTotals totals;
  Duration round_trip{};  ///< Smoothed; zero when it is not known.
};

/// What happened between two samples.
struct TrafficRates {
  Duration over{};  ///< Time between the two; zero, with all the rest, before there are two.
  double bytes_in_per_second = 0;
  double bytes_out_per_second = 0;
  double packets_in_per_second = 0;
  double packets_out_per_second = 0;
  double loss_in = 0;   ///< Share of the peer's packets that did not arrive, 0 to 1.
  double loss_out = 0;  ///< Share of ours whose fate became known, 0 to 1.
  Duration round_trip_mean{};
  Duration round_trip_max{};
};

/// How many samples `last_samples` spans, as in the first games of this kind: two seconds at 60 Hz.
inline constexpr std::size_t kWindowSamples = 120;
/// The least time between the samples that are kept for `last_second`.
inline constexpr Duration kSecondWindowStep = std::chrono::milliseconds(25);
/// As many as reach back a second, however they lie.
inline constexpr std::size_t kSecondSamples = std::chrono::seconds(1) / kSecondWindowStep + 2;

/// The last samples of a ring, newest first.
template <std::size_t Capacity>
class SampleRing {
 public:
  void push(const TrafficSample& sample) { samples_[count_++ % Capacity] = sample; }
  std::size_t size() const { return count_ < Capacity ? count_ : Capacity; }
  /// Requires: `age < size()`; 0 is the newest.
  const TrafficSample& at(std::size_t age) const {
    assert(age < size());
    return samples_[(count_ - 1 - age) % Capacity];
  }

 private:
  std::array<TrafficSample, Capacity> samples_{};
  std::size_t count_ = 0;
};

/// The rolling windows of one connection, or of a server. Add a sample each tick; ask when somebody
/// looks. Allocates nothing.
///
///     windows.add({.at = now, .totals = totals_of(connection.counters()),
///                  .round_trip = connection.round_trip().smoothed()});
class TrafficWindows {
 public:
  /// Requires: not earlier than the last one, and totals that did not shrink.
  void add(const TrafficSample& sample);

  /// Rates of the second before the last sample. Where samples are more than a second apart, or the
  /// first is younger, `over` says how long it was.
  TrafficRates last_second() const;
  /// Rates from `kWindowSamples` samples before the last one on.
  TrafficRates last_samples() const;

 private:
  SampleRing<kWindowSamples + 1> samples_;
  /// At least `kSecondWindowStep` apart, so that they reach back a second however fast ticks are.
  SampleRing<kSecondSamples> spaced_;
};

}  // namespace muster
