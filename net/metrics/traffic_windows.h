// Computes traffic rates over the last second and over the last samples, from totals that grow.
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
/// The totals of a server's datagrams, including handshakes. The totals contain no losses, because
/// only connections count losses.
TrafficTotals totals_of(const ServerCounters& counters);

/// The totals at one point in time.
struct TrafficSample {
  Time at{};
  TrafficTotals totals;
  Duration round_trip{};  ///< The smoothed round trip; zero if unknown.
};

/// The traffic between two samples.
struct TrafficRates {
  /// The time between the two samples. Before there are two samples, all fields are zero.
  Duration over{};
  double bytes_in_per_second = 0;
  double bytes_out_per_second = 0;
  double packets_in_per_second = 0;
  double packets_out_per_second = 0;
  double loss_in = 0;  ///< The share of the peer's packets that did not arrive, 0 to 1.
  /// The number of lost packets of this end, divided by the number of delivered and lost packets.
  double loss_out = 0;
  Duration round_trip_mean{};
  Duration round_trip_max{};
};

/// The number of samples that `last_samples` covers: two seconds at 60 Hz.
inline constexpr std::size_t kWindowSamples = 120;
/// The minimum time between the samples kept for `last_second`.
inline constexpr Duration kSecondWindowStep = std::chrono::milliseconds(25);
/// The number of samples that always cover a second.
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

/// The samples of one connection or of a server, over rolling windows. Add a sample in each tick,
/// and read the rates at any time. Never allocates.
///
///     windows.add({.at = now, .totals = totals_of(connection.counters()),
///                  .round_trip = connection.round_trip().smoothed()});
class TrafficWindows {
 public:
  /// Requires: the time and all totals are not less than in the last sample.
  void add(const TrafficSample& sample);

  /// The rates over the second before the last sample. `TrafficRates::over` is the real duration.
  /// The duration is longer than a second if samples are more than a second apart, and shorter
  /// during the first second.
  TrafficRates last_second() const;
  /// The rates over the last `kWindowSamples` samples.
  TrafficRates last_samples() const;

 private:
  SampleRing<kWindowSamples + 1> samples_;
  /// Samples that are at least `kSecondWindowStep` apart.
  SampleRing<kSecondSamples> spaced_;
};

}  // namespace muster
