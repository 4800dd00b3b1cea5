#include "net/endpoint/receive_budget.h"

#include <algorithm>
#include <cassert>

namespace muster {

namespace {

constexpr Duration kBacklogInterval = std::chrono::seconds(1);

double units(Duration time) {
  return std::chrono::duration<double>(time).count() * receive_work::kUnitsPerSecond;
}

/// Returns `count` times `factor`, or `count` if the product overflows. Such a large `count` does
/// not limit anything.
std::size_t scaled(std::size_t count, double factor) {
  constexpr double kMax = 1e18;
  const double product = factor * static_cast<double>(count);
  return product < kMax ? static_cast<std::size_t>(product) : count;
}

}  // namespace

ReceiveBudget::ReceiveBudget(const ReceiveLimits& limits, Time now)
    : limits_(limits),
      datagrams_max_(limits.datagrams_max),
      bucket_({.per_second = limits.share * receive_work::kUnitsPerSecond,
               .burst = units(limits.call_max)},
              now) {
  assert(limits.share > 0);
  assert(limits.call_max > Duration::zero());
  assert(limits.datagrams_max > 0);
}

void ReceiveBudget::begin(Time now) {
  rhythm_.note(now);
  // With a fixed limit, a slow loop would get less than its share of time. The longest interval
  // counts, because a loop may make several calls at once and then no call for a long time.
  const double call_max = units(limits_.call_max);
  const double burst = std::max(limits_.share * units(rhythm_.longest()), call_max);
  bucket_.set_burst(burst);
  datagrams_max_ = scaled(limits_.datagrams_max, burst / call_max);
  bucket_.fill(now);
  report_ = {};
}

std::size_t ReceiveBudget::may_read(std::size_t wanted) const {
  const double by_work = std::max(bucket_.left() / receive_work::kDatagram, 0.0);
  return std::min({wanted, static_cast<std::size_t>(by_work), datagrams_max_ - report_.datagrams});
}

void ReceiveBudget::count_datagram() {
  ++report_.datagrams;
  spend(receive_work::kDatagram);
}

void ReceiveBudget::spend(std::uint32_t units) {
  bucket_.spend(units);
  report_.work += units;
}

ReceiveReport ReceiveBudget::end(Time now, bool is_limited, const DatagramSocket& socket) {
  report_.is_limited = is_limited;
  const bool is_due = !queried_at_.has_value() || now - *queried_at_ > kBacklogInterval;
  if (!is_limited && !is_due) return report_;
  queried_at_ = now;
  const SocketBacklog backlog = socket.backlog();
  dropped_unread_ = backlog.dropped;
  if (is_limited) report_.unread_bytes = backlog.waiting_bytes;
  return report_;
}

}  // namespace muster
