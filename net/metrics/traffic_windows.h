// Traffic rates over the last second and over the last samples, computed from growing totals.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "net/endpoint/server.h"
#include "net/transport/connection_counters.h"
#include "registry/base/clock.h"

namespace muster {

/// The totals since the start, from which rates are computed.
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
/// A server's datagrams, including handshakes; losses are counted only per connection.
TrafficTotals totals_of(const ServerCounters& counters);

/// The totals at one point in time.
struct TrafficSample {
  Time at{};
  TrafficTotals totals;
  Duration round_trip{};  ///< Smoothed; zero if unknown.
};

/// The traffic between two samples.
struct TrafficRates {
  /// Time between the two samples. Before there are two samples, all fields are zero.
  Duration over{};
  double bytes_in_per_second = 0;
  double bytes_out_per_second = 0;
  double packets_in_per_second = 0;
  double packets_out_per_second = 0;
  double loss_in = 0;  ///< Share of the peer's packets that did not arrive, 0 to 1.
  /// Share of this end's packets that were lost, among those delivered or lost, 0 to 1.
  double loss_out = 0;
  Duration round_trip_mean{};
  Duration round_trip_max{};
};

/// The number of samples that `last_samples` covers: two seconds at 60 Hz.
inline constexpr std::size_t kWindowSamples = 120;
/// The minimum time between the samples kept for `last_second`.
inline constexpr Duration kSecondWindowStep = std::chrono::milliseconds(25);
/// The number of samples that cover a second at any distance between them.
inline constexpr std::size_t kSecondSamples = std::chrono::seconds(1) / kSecondWindowStep + 2;

/// A ring of the last samples, newest first.
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

/// The rolling windows of one connection, or of a server. Add a sample each tick, and read the
/// rates when they are shown. Allocates nothing.
///
///     windows.add({.at = now, .totals = totals_of(connection.counters()),
///                  .round_trip = connection.round_trip().smoothed()});
class TrafficWindows {
 public:
  /// Requires: the time is not before the last sample's, and no total is less than before.
  void add(const TrafficSample& sample);

  /// Rates over the second before the last sample. `over` is the real duration. It is longer if
  /// samples are more than a second apart, and shorter if the first sample was added less than a
  /// second ago.
  TrafficRates last_second() const;
  /// Rates over the last `kWindowSamples` samples.
  TrafficRates last_samples() const;

 private:
  SampleRing<kWindowSamples + 1> samples_;
  /// Samples at least `kSecondWindowStep` apart, so that they cover a second at any tick rate.
  SampleRing<kSecondSamples> spaced_;
};

}  // namespace muster
