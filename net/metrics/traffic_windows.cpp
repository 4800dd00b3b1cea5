// One ring contains every sample. The other ring contains samples with a minimum distance, so that
// this ring covers a second at any tick rate. A rate is a difference of totals, so the skipped
// samples affect only the mean round trip.
#include "net/metrics/traffic_windows.h"

#include <algorithm>

namespace muster {

namespace {

constexpr Duration kSecond = std::chrono::seconds(1);

double share(std::uint64_t part, std::uint64_t rest) {
  return part == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(part + rest);
}

TrafficRates rates_between(const TrafficSample& first, const TrafficSample& last) {
  TrafficRates rates;
  rates.over = last.at - first.at;
  const double seconds = std::chrono::duration<double>(rates.over).count();
  if (seconds <= 0) return {};
  const TrafficTotals& a = first.totals;
  const TrafficTotals& b = last.totals;
  const auto per_second = [seconds](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) / seconds;
  };
  rates.bytes_in_per_second = per_second(a.bytes_in, b.bytes_in);
  rates.bytes_out_per_second = per_second(a.bytes_out, b.bytes_out);
  rates.packets_in_per_second = per_second(a.packets_in, b.packets_in);
  rates.packets_out_per_second = per_second(a.packets_out, b.packets_out);
  rates.loss_in = share(b.lost_in - a.lost_in, b.packets_in - a.packets_in);
  rates.loss_out = share(b.lost_out - a.lost_out, b.delivered - a.delivered);
  return rates;
}

[[maybe_unused]] bool has_shrunk(const TrafficTotals& before, const TrafficTotals& now) {
  return now.bytes_in < before.bytes_in || now.bytes_out < before.bytes_out ||
         now.packets_in < before.packets_in || now.packets_out < before.packets_out ||
         now.lost_in < before.lost_in || now.lost_out < before.lost_out ||
         now.delivered < before.delivered;
}

/// Returns the rates from the sample of this age to `last`, and the mean of the later round trips.
/// `last` need not be in the ring.
template <std::size_t Capacity>
TrafficRates rates_since(const SampleRing<Capacity>& ring, std::size_t age,
                         const TrafficSample& last) {
  TrafficRates rates = rates_between(ring.at(age), last);
  Duration sum = last.round_trip;
  std::int64_t count = 1;
  rates.round_trip_max = last.round_trip;
  for (std::size_t i = ring.at(0).at == last.at ? 1 : 0; i < age; ++i) {
    sum += ring.at(i).round_trip;
    rates.round_trip_max = std::max(rates.round_trip_max, ring.at(i).round_trip);
    ++count;
  }
  rates.round_trip_mean = sum / count;
  return rates;
}

}  // namespace

TrafficTotals totals_of(const ConnectionCounters& counters) {
  return {.bytes_in = counters.bytes_in,
          .bytes_out = counters.bytes_out,
          .packets_in = counters.packets_in,
          .packets_out = counters.packets_out,
          .lost_in = counters.lost_in,
          .lost_out = counters.lost_out,
          .delivered = counters.delivered};
}

TrafficTotals totals_of(const ServerCounters& counters) {
  return {.bytes_in = counters.bytes_in,
          .bytes_out = counters.bytes_out,
          .packets_in = counters.datagrams_in,
          .packets_out = counters.datagrams_out};
}

void TrafficWindows::add(const TrafficSample& sample) {
  assert(samples_.size() == 0 || sample.at >= samples_.at(0).at);
  assert(samples_.size() == 0 || !has_shrunk(samples_.at(0).totals, sample.totals));
  samples_.push(sample);
  if (spaced_.size() == 0 || sample.at - spaced_.at(0).at >= kSecondWindowStep) {
    spaced_.push(sample);
  }
}

TrafficRates TrafficWindows::last_second() const {
  if (samples_.size() < 2) return {};
  const TrafficSample& last = samples_.at(0);
  std::size_t age = 0;
  while (age + 1 < spaced_.size() && last.at - spaced_.at(age).at < kSecond) ++age;
  return rates_since(spaced_, age, last);
}

TrafficRates TrafficWindows::last_samples() const {
  if (samples_.size() < 2) return {};
  return rates_since(samples_, samples_.size() - 1, samples_.at(0));
}

}  // namespace muster
