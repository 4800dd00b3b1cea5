#include "net/transport/path_time.h"

#include <algorithm>

namespace muster {

namespace {

/// RFC 6298: the mean moves by an eighth, the variation by a quarter.
void smooth(NetDuration sample, NetDuration& mean, NetDuration& variation) {
  const NetDuration error = sample - mean;
  variation += ((error < NetDuration::zero() ? -error : error) - variation) / 4;
  mean += error / 8;
}

}  // namespace

void RoundTrip::add(NetTime now, NetDuration sample, NetDuration hold) {
  // A clock of 100 µs may see an answer before the question; a round trip takes some time.
  const NetDuration trip = std::max<NetDuration>(sample - hold, std::chrono::microseconds(1));
  latest_ = trip;
  minimum_.add(now, trip);
  if (!has_sample_) {
    has_sample_ = true;
    smoothed_ = trip;
    variation_ = trip / 2;
    answer_ = sample;
    answer_variation_ = sample / 2;
    return;
  }
  smooth(trip, smoothed_, variation_);
  smooth(sample, answer_, answer_variation_);
}

NetDuration RoundTrip::probe_timeout() const {
  if (!has_sample_) return kFirstTimeout;
  return answer_ + 4 * answer_variation_ + kAckDelay;
}

NetTime PeerClock::unwrap(NetTime now, std::uint16_t sent) const {
  if (!has_packet_) return NetTime(sent * kWireTimeUnit);
  // Both clocks run alike, so the peer's clock shows about what it showed plus what passed here.
  const NetTime expected = last_sent_ + (now - last_arrival_);
  const auto step =
      static_cast<std::int16_t>(static_cast<std::uint16_t>(sent - wire_time(expected)));
  const auto whole = expected.time_since_epoch() / kWireTimeUnit;
  return NetTime((whole + step) * kWireTimeUnit);
}

void PeerClock::add(NetTime now, std::uint16_t sent) {
  const NetTime sent_at = unwrap(now, sent);
  last_age_ = now - sent_at;
  least_age_.add(now, last_age_);
  queue_delay_ = last_age_ - least_age_.value();
  if (!has_packet_ || sent_at > last_sent_) {
    last_sent_ = sent_at;
    last_arrival_ = now;
  }
  has_packet_ = true;
}

void PeerClock::add_round_trip(NetTime now, NetDuration round_trip) {
  // It left `round_trip / 2` ago, when the peer's clock showed `now - last_age_`.
  offset_.add(now, {.round_trip = round_trip, .offset = round_trip / 2 - last_age_});
}

std::optional<NetTime> PeerClock::at(NetTime now) const {
  if (!offset_.has_value()) return std::nullopt;
  return now + offset_.value().offset;
}

}  // namespace muster
