#include "net/transport/path_time.h"

#include <algorithm>
#include <span>
#include <utility>

namespace muster {

namespace {

/// RFC 6298: the mean moves by an eighth, the variation by a quarter.
void smooth(Duration sample, Duration& mean, Duration& variation) {
  const Duration error = sample - mean;
  variation += ((error < Duration::zero() ? -error : error) - variation) / 4;
  mean += error / 8;
}

/// When queues change between samples, the offset of the clocks changes by at most this. A larger
/// difference is a clock jump.
constexpr Duration kOffsetJump = std::chrono::milliseconds(10);
/// The interval of drift measurements, and how many of them are needed.
constexpr Duration kMarkInterval = std::chrono::seconds(1);
constexpr std::size_t kMarksEnough = 4;
/// The maximum drift. No usable clock differs more.
constexpr double kDriftMax = 0.5;

}  // namespace

void RoundTrip::add(Time now, Duration sample, Duration hold) {
  // Times have a resolution of 100 µs, so an answer may seem to be older than its packet. The
  // minimum of a round trip is 1 µs.
  const Duration trip = std::max<Duration>(sample - hold, std::chrono::microseconds(1));
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

Duration RoundTrip::probe_timeout() const {
  if (!has_sample_) return kFirstTimeout;
  return answer_ + 4 * answer_variation_ + kAckDelay;
}

Time PeerClock::unwrap(Time now, std::uint16_t sent) const {
  if (!has_packet_) return Time(sent * kWireTimeUnit);
  // Both clocks run at the same speed, so the peer's clock advanced by the time that passed here.
  const Time expected = last_sent_ + (now - last_arrival_);
  const auto step =
      static_cast<std::int16_t>(static_cast<std::uint16_t>(sent - wire_time(expected)));
  const auto whole = expected.time_since_epoch() / kWireTimeUnit;
  return Time((whole + step) * kWireTimeUnit);
}

void PeerClock::add(Time now, std::uint16_t sent) {
  const Time sent_at = unwrap(now, sent);
  raw_age_ = now - sent_at;
  if (has_packet_) {
    const double passed = std::chrono::duration<double>(now - shifted_at_).count();
    clock_shift_ += duration_of(speed_.drift() * passed);
  }
  shifted_at_ = now;
  age_ = raw_age_ - clock_shift_;
  age_min_.add(now, age_);
  queue_delay_ = age_ - age_min_.value();
  if (!has_packet_ || sent_at > last_sent_) {
    last_sent_ = sent_at;
    last_arrival_ = now;
  }
  has_packet_ = true;
}

/// The queue on the way here is part of the round trip above its minimum. A clock added the rest of
/// the delay. Ages are also compared with the ages of packets with a known round trip, because the
/// minimum of all packets may belong to a smaller packet.
void PeerClock::add_round_trip(Time now, Duration round_trip, Duration slack) {
  trip_min_.add(now, round_trip);
  measured_age_min_.add(now, age_);
  const Duration excess = round_trip - trip_min_.value();
  const Duration added = age_ - measured_age_min_.value() - excess;
  if (added > slack) {
    clock_shift_ += added;
    age_ -= added;
    queue_delay_ = std::max(queue_delay_ - added, Duration::zero());
    // The jump may be larger: queues in the other direction hide the rest.
    if (slack > kClockNoise) forget_ages();
    age_min_.add(now, age_);
  }
  speed_.add(now, raw_age_, round_trip);
  add_offset(now, round_trip, excess);
}

void PeerClock::add_offset(Time now, Duration round_trip, Duration excess) {
  // The packet left `round_trip / 2` ago, when the peer's clock was at `now - raw_age_`.
  const OffsetSample sample{
      .round_trip = round_trip, .offset = round_trip / 2 - raw_age_, .at = now};
  if (offset_.has_value()) {
    // A queue changes the offset by half of the time that it adds to a round trip. A larger change
    // is a jump.
    const Duration known = *at(now) - now;
    const Duration other = offset_.value().round_trip - trip_min_.value();
    const Duration error = known < sample.offset ? sample.offset - known : known - sample.offset;
    if (error > (excess + std::max(other, Duration::zero())) / 2 + kOffsetJump) offset_.clear();
  }
  offset_.add(now, sample);
}

std::optional<Time> PeerClock::at(Time now) const {
  if (!offset_.has_value()) return std::nullopt;
  const OffsetSample& best = offset_.value();
  const double passed = std::chrono::duration<double>(now - best.at).count();
  return now + best.offset - duration_of(speed_.drift() * passed);
}

Duration PeerClock::on_our_clock(Duration theirs) const {
  if (speed_.drift() == 0) return theirs;
  return duration_of(std::chrono::duration<double>(theirs).count() / (1 - speed_.drift()));
}

void ClockSpeed::add(Time now, Duration age, Duration round_trip) {
  const Mark mark{.at = now, .age = age, .round_trip = round_trip};
  const Duration step = round_trip - std::exchange(last_trip_, round_trip);
  fluctuation_ += ((step < Duration::zero() ? -step : step) - fluctuation_) / 16;
  if (has_best_ && now - second_began_ >= kMarkInterval) {
    push(best_);
    judge();
    has_best_ = false;
  }
  if (!has_best_) second_began_ = now;
  if (!has_best_ || round_trip < best_.round_trip) best_ = mark;
  has_best_ = true;
}

void ClockSpeed::push(const Mark& mark) {
  if (count_ == kMarks) {
    std::rotate(marks_.begin(), marks_.begin() + 1, marks_.end());
    --count_;
  }
  marks_[count_++] = mark;
}

/// Between two marks the age without queues changes only with the clocks. Each queue is between
/// zero and the round trip minus its minimum. So each pair of marks bounds the drift from both
/// sides. If no drift fits all pairs, a clock has jumped or changed its speed.
void ClockSpeed::judge() {
  const std::span marks = std::span(marks_).first(count_);
  const Duration noise = kClockNoise + fluctuation_;
  Duration minimum = Duration::max();
  for (const Mark& mark : marks) minimum = std::min(minimum, mark.round_trip);
  double low = -kDriftMax;
  double high = kDriftMax;
  for (std::size_t later = 1; later < count_; ++later) {
    for (std::size_t i = 0; i < later; ++i) {
      const double passed = std::chrono::duration<double>(marks[later].at - marks[i].at).count();
      if (passed <= 0) continue;
      const auto slope = [passed](Duration grown) {
        return std::chrono::duration<double>(grown).count() / passed;
      };
      const Duration grown = marks[later].age - marks[i].age;
      low = std::max(low, slope(grown - (marks[later].round_trip - minimum) - noise));
      high = std::min(high, slope(grown + (marks[i].round_trip - minimum) + noise));
    }
  }
  if (low > high) {
    marks_[0] = marks_[count_ - 1];
    count_ = 1;
  } else if (count_ >= kMarksEnough) {
    // Uses zero drift if it fits: any remaining drift is too small to matter, or chance.
    const double off = std::max({low, -high, 0.0});
    const double nearest = low > 0 ? low : std::min(high, 0.0);
    drift_ = off > high - low ? (low + high) / 2 : nearest;
  }
}

}  // namespace muster
