#include "net/transport/path_time.h"

#include <algorithm>
#include <span>
#include <utility>

namespace muster {

namespace {

/// Smooths as RFC 6298 does: the mean moves by an eighth of its error, and the variation by a
/// quarter.
void smooth(Duration sample, Duration& mean, Duration& variation) {
  const Duration error = sample - mean;
  variation += ((error < Duration::zero() ? -error : error) - variation) / 4;
  mean += error / 8;
}

/// If the offset of the clocks changes by more than this, beyond the effect of queues, a clock has
/// jumped.
constexpr Duration kOffsetJump = std::chrono::milliseconds(10);
/// The interval of drift measurements, and the number of measurements that are needed.
constexpr Duration kMarkInterval = std::chrono::seconds(1);
constexpr std::size_t kMarksEnough = 4;
/// The maximum drift. No usable clock drifts more.
constexpr double kDriftMax = 0.5;

}  // namespace

void RoundTrip::add(Time now, Duration sample, Duration hold) {
  // Hold times have a resolution of 100 µs, so the difference may be negative. The minimum round
  // trip is 1 µs.
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
  // The peer's clock is assumed to have advanced as much as our clock.
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

/// A queue on the way from the peer lengthens the round trip by at most `excess`. A clock added the
/// rest of the delay. `measured_age_min_` covers only packets with a measured round trip. Other
/// packets may be smaller, and therefore have a lower age.
void PeerClock::add_round_trip(Time now, Duration round_trip, Duration slack) {
  trip_min_.add(now, round_trip);
  measured_age_min_.add(now, age_);
  const Duration excess = round_trip - trip_min_.value();
  const Duration added = age_ - measured_age_min_.value() - excess;
  if (added > slack) {
    clock_shift_ += added;
    age_ -= added;
    queue_delay_ = std::max(queue_delay_ - added, Duration::zero());
    // The jump may be larger than `added`, because a queue in the other direction also lengthens
    // the round trip.
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
    // A queue changes the offset by half of the time that it adds to a round trip. If the offset
    // changes more, a clock has jumped.
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

/// Without queues, the ages of two marks differ only by the drift of the clocks. The queueing delay
/// of each mark is between zero and its round trip minus the minimum round trip. So each pair of
/// marks gives a lower and an upper bound of the drift. If no drift is within all bounds, a clock
/// has jumped or changed its speed.
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
    // Uses the smallest drift within the bounds, unless the bounds are close together and far from
    // zero.
    const double off = std::max({low, -high, 0.0});
    const double nearest = low > 0 ? low : std::min(high, 0.0);
    drift_ = off > high - low ? (low + high) / 2 : nearest;
  }
}

}  // namespace muster
