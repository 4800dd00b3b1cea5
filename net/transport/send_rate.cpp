// Implements the estimator of net/CONNECTION.md, "Sending rate". Each round measures the queueing
// delay and its slope (the change of the delay per second). The slope shows by how much our rate
// exceeds our share of the path's rate. The delay shows whether the queue should grow or shrink.
// The slope is computed only from packets sent in this round. With older packets, each correction
// would be applied twice, and the queue would oscillate between empty and full.
//
// The wanted delay is lower for a higher rate. Flows that share a queue measure the same delay. So
// the faster flow reduces its rate and the slower flow increases its rate until the rates are
// equal. When the queue is level (its length is constant), corrections can be large: one flow gains
// the bandwidth that the other flow gives up. Copa controls a window by the delay, which oscillates
// with ticks of 60 Hz and delayed acknowledgements.
#include "net/transport/send_rate.h"

#include <algorithm>
#include <cmath>

namespace muster {

namespace {

constexpr double kFirstRate = 48'000;
/// A connection that has not exceeded its rate may always send this many bytes.
constexpr double kSmallPacket = 300;
/// On a slow path, `kSmallPacket` bytes take longer than a tick of 60 Hz. A game that fills its
/// budget at every tick would then skip ticks, and the queue would oscillate. So a game that has
/// just sent gets the bytes of this time, in seconds, but at least `kSmallMin` bytes.
constexpr double kSmallTime = 0.012;
constexpr double kSmallMin = 150;
/// The assumed round trip before the first measurement.
constexpr Duration kFirstRoundTrip = std::chrono::milliseconds(100);
/// If the interval of the peer's answers is longer, the peer's loop is slow.
constexpr Duration kSlowAnswers = std::chrono::milliseconds(90);
/// The time that ticks and delayed acknowledgements of both ends add to a round trip.
constexpr Duration kAroundTrip = std::chrono::milliseconds(40);
/// The minimum length of a round: more than one tick at 60 Hz.
constexpr Duration kRoundMin = std::chrono::milliseconds(50);
constexpr unsigned kRoundPackets = 3;
/// After its first packet arrives, a round is observed for the maximum of three times: this time, a
/// share of the round trip, and a multiple of the time that the minimum delay covers.
constexpr Duration kObserveMin = std::chrono::milliseconds(45);
constexpr double kObserveShare = 0.5;
constexpr double kObserveNoise = 1.5;
/// The minimum time, in seconds, of an observation whose slope is used.
constexpr double kSlopeSecondsMin = 0.025;
/// The delay is the minimum over the time of this many packets, because packets wait for each other
/// on a slow path.
constexpr double kNoisePackets = 3;
constexpr Duration kNoiseMin = std::chrono::milliseconds(30);
constexpr Duration kNoiseMax = std::chrono::milliseconds(150);
/// The number of reports over which fluctuation is smoothed, and the maximum fluctuation of one
/// report, in seconds.
constexpr double kFluctuationReports = 32;
constexpr double kFluctuationMax = 0.1;
/// The minimum delay is taken over `kFluctuationTimes` × the excess, up to a maximum. The excess is
/// the fluctuation above `kFluctuationMin` s plus `kFluctuationPacket` of a packet's time.
constexpr double kFluctuationMin = 0.0015;
constexpr double kFluctuationPacket = 0.06;
constexpr double kFluctuationTimes = 80;
constexpr Duration kFluctuationLong = std::chrono::milliseconds(400);
constexpr double kFluctuationPackets = 10;
/// A queue is shortened at once if its delay exceeds the wanted delay by this many seconds plus the
/// time of `kFarPackets` packets.
constexpr double kFarAbove = 0.026;
constexpr double kFarPackets = 0.1;
/// The wanted delay in seconds is `kDelayAtRate` at the rate `kDelayRate`. Each time the rate is
/// divided by e, the delay grows by `kDelayPerFactor`. The minimum is above the noise of clocks and
/// threads. The maximum is for slow paths.
constexpr double kDelayAtRate = 0.002;
constexpr double kDelayRate = 1'250'000;
constexpr double kDelayPerFactor = 0.0065;
constexpr double kTargetDelayMax = 0.023;
constexpr double kTargetDelayMin = 0.002;
/// A measured delay includes the time of the packet itself, which is not a queue. This share of the
/// packet's time is added to the wanted delay, up to `kOwnTimeMax` seconds.
constexpr double kOwnTimeShare = 0.4;
constexpr double kOwnTimeMax = 0.050;
/// Replaces `kOwnTimeShare` for a slow loop, which sends few large packets.
constexpr double kSlowOwnTimeShare = 0.9;
/// The time in which a queue should reach the wanted delay, in seconds, and its minimum in rounds.
constexpr double kApproach = 0.12;
constexpr double kApproachRounds = 1.45;
/// The delay is predicted for this share of the time until a packet that is sent now arrives.
constexpr double kAheadShare = 0.7;
/// During slow start, the rate doubles until the delay reaches this share of the wanted delay.
constexpr double kStartShare = 0.6;
/// The queue is level while the slope of its delay is below this value. Corrections speed up after
/// more than `kLevelRounds` level rounds.
constexpr double kLevelSlope = 0.1;
constexpr int kLevelRounds = 2;
/// The maximum factor by which corrections of a level queue are larger. The factor is at most
/// `kHasteTime`, in seconds, divided by the time of a packet.
constexpr double kHasteMax = 6;
constexpr double kHasteTime = 0.12;
/// For a queue that oscillates, `kMeanGain` times the mean error over this many rounds is added to
/// the error. Rounds of `kMeanFrom` seconds add nothing, and rounds of `kMeanWhole` seconds add the
/// whole value. When a packet takes longer than `kMeanTime` seconds, the value is multiplied by
/// (`kMeanTime` / the packet's time)².
constexpr double kMeanRounds = 6;
constexpr double kMeanGain = 4;
constexpr double kMeanFrom = 0.2;
constexpr double kMeanWhole = 0.35;
constexpr double kMeanTime = 0.004;
/// A delay is caused by the path, not by a queue, if it stays constant while the rate is below
/// `kSendsLess` of the earlier rate. The delay may change by `kLevelDelay` seconds during
/// `kLevelTime` plus a round trip.
constexpr double kLevelDelay = 0.005;
constexpr Duration kLevelTime = std::chrono::milliseconds(120);
constexpr double kSendsLess = 0.8;
/// The maximum delay that is assigned to the path, in seconds. Packets cannot report delays above
/// 0.4 s.
constexpr double kPathExtraMax = 0.3;
/// The maximum by which our lower rate shortens a queue: the time of the unsent bytes times this
/// factor, plus `kOwnDrainNoise` seconds.
constexpr double kOwnDrain = 1.2;
constexpr double kOwnDrainNoise = 0.004;
/// The path has become slower if each round of a shortening, after the first round, delivered less
/// than this share of the mean.
constexpr double kFallen = 0.5;
/// The rate falls by the slope of the delay times this factor.
constexpr double kSlopeShare = 1.07;
/// The rate grows at most to this multiple of the maximum delivered rate of the last rounds,
/// because a higher rate was not tested.
constexpr double kAboveDelivered = 1.6;
constexpr double kDeliveredFade = 0.9;
/// Replaces `kAboveDelivered` for a slow loop. Its packets arrive in bursts, so a round may contain
/// an extra burst.
constexpr double kAboveDeliveredSlowly = 1.1;
/// The maximum changes of the rate in a round, as shares. `kGrowthCareful` replaces `kGrowthMax`
/// after a loss that we caused.
constexpr double kGrowthMax = 0.25;
constexpr double kGrowthCareful = 0.01;
constexpr double kShrinkMax = 0.5;
/// A smaller share of loss does not lower the rate.
constexpr double kLossMatters = 0.03;
/// During slow start, a larger share of loss means that our rate is too high.
constexpr double kLossAtStart = 0.4;
/// The number of delivered or lost packets that a loss estimate needs.
constexpr double kDeliveriesEnough = 32;
/// The certainty of a loss test, in standard deviations: one decision in 160 is wrong.
constexpr double kSure = 2.5;
constexpr double kDrainedEnough = 16;
constexpr double kDrainedFade = 256;
constexpr Duration kDrainEvery = std::chrono::seconds(10);
/// The minimum interval between two drainings while the cause of a loss is unknown.
constexpr Duration kDrainSoon = std::chrono::seconds(1);
/// The interval is at least this many rounds. Rounds are long on paths with random delay.
constexpr int kDrainRounds = 12;
constexpr double kDrainShare = 1.0 / 3;
constexpr double kDrainPerDelay = 3.2;
constexpr Duration kDrainLong = std::chrono::milliseconds(150);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

SendRate::SendRate(const SendRateLimits& limits)
    : limits_(limits),
      rate_(std::clamp(kFirstRate, limits.rate_min, limits.rate_max)),
      growth_max_(kGrowthMax),
      burst_(kBurst),
      round_trip_(kFirstRoundTrip),
      target_(target_delay()) {}

void SendRate::restart() {
  const Duration burst = burst_;
  *this = SendRate(limits_);
  burst_ = burst;
}

void SendRate::set_loops(const Loops& loops) {
  burst_ = loops.interval > kBurst ? loops.interval + loops.interval / 5 : kBurst;
  hold_ = loops.hold;
  const Duration answers = loops.answers > kSlowAnswers ? loops.answers : Duration::zero();
  slow_loop_ = std::max(burst_ > kBurst ? burst_ : Duration::zero(), answers + answers / 5);
}

double SendRate::bytes_per_second() const {
  return now_ < drain_end_ ? std::max(rate_ * kDrainShare, limits_.rate_min) : rate_;
}

/// The window is large. It limits paced packets only when acknowledgements stop.
std::size_t SendRate::window() const {
  // A slow loop reads answers one tick later, and has sent the packets of another tick by then.
  const Duration loop = burst_ + 2 * (burst_ - kBurst);
  const Duration around = std::max(kAroundTrip, 2 * hold_);
  const double answer = seconds(round_trip_ + around + loop) + 2 * target_;
  return static_cast<std::size_t>(rate_ * answer * 1.25 + 2 * kDatagramBytesSafe);
}

std::size_t SendRate::budget(Time now, std::size_t bytes_in_flight) const {
  return saved(now, bytes_in_flight, kSmallPacket);
}

std::size_t SendRate::game_budget(Time now, std::size_t bytes_in_flight) const {
  const bool is_idle = now - paid_until_ >= burst_;
  const double small = std::clamp(rate_ * kSmallTime, kSmallMin, kSmallPacket);
  return saved(now, bytes_in_flight, is_idle ? kSmallPacket : small);
}

/// Returns the unused bytes of the rate, but at least `minimum` if sent packets have not exceeded
/// the rate.
std::size_t SendRate::saved(Time now, std::size_t bytes_in_flight, double minimum) const {
  const std::size_t window_bytes = window();
  if (bytes_in_flight >= window_bytes) return 0;
  const Time earliest = std::max(paid_until_, now - burst_);
  if (earliest > now) return 0;
  const double bytes = std::max(bytes_per_second() * seconds(now - earliest), minimum);
  return std::min(static_cast<std::size_t>(bytes), window_bytes - bytes_in_flight);
}

std::size_t SendRate::left(Time now) const {
  const Time from = std::min(std::max(paid_until_, now - burst_), now);
  return static_cast<std::size_t>(bytes_per_second() * seconds(now - from));
}

void SendRate::stamp(PacketRecord& record) const {
  record.is_draining = record.sent_at < drain_end_;
}

void SendRate::sent(Time now, std::size_t bytes, bool is_limited) {
  now_ = now;
  mean_packet_ += (static_cast<double>(bytes) - mean_packet_) / 16;
  const Time from = std::max(paid_until_, now - burst_);
  paid_until_ = from + duration_of(static_cast<double>(bytes) / bytes_per_second());
  const double left = bytes_per_second() * seconds(now - paid_until_);
  is_full_ = is_full_ || is_limited || left < kSmallPacket;
}

void SendRate::delivered(Time now, const PacketRecord& record, Duration queue_delay,
                         const RoundTrip& path) {
  now_ = now;
  if (path.has_sample()) round_trip_ = path.minimum();
  measure_fluctuation(seconds(queue_delay));
  const Duration noise = noise_time();
  // The peer gradually subtracts this delay itself, and it must not be subtracted twice.
  path_extra_ = std::min(path_extra_, seconds(queue_delay));
  standing_delay_.set_window(noise);
  standing_delay_.add(now, queue_delay - duration_of(path_extra_));
  delivered_bytes_ += record.byte_count;
  count_delivery(record, false);
  ++delivered_packets_;
  if (!is_seen_ && record.sent_at >= round_began_) {
    is_seen_ = true;
    seen_from_ = now;
    delay_before_ = seconds(standing_delay_.value());
  }
  if (delivered_packets_ < kRoundPackets || now - round_began_ < kRoundMin) return;
  const Duration wait = std::max({kObserveMin, duration_of(kObserveShare * seconds(round_trip_)),
                                  duration_of(kObserveNoise * seconds(noise))});
  // A long queue is corrected at once.
  if (is_far_above() || (is_seen_ && now - seen_from_ >= wait)) begin_round(now);
}

void SendRate::lost(const PacketRecord& record) {
  if (!record.is_probe) count_delivery(record, true);
}

void SendRate::count_delivery(const PacketRecord& record, bool is_lost) {
  const double lost = is_lost ? 1 : 0;
  loss_ += (lost - loss_) / 64;
  counted_ += 1;
  counted_lost_ += lost;
  if (!record.is_draining) return;
  drained_ += 1;
  drained_lost_ += lost;
  if (drained_ < kDrainedFade) return;
  drained_ /= 2;
  drained_lost_ /= 2;
}

/// Returns the share of loss that congestion does not cause; the maximum before a measurement.
double SendRate::loss_min() const {
  return drained_ < kDrainedEnough ? 0.6 : std::min(drained_lost_ / drained_, 0.6);
}

/// The time that one packet takes at our rate, in seconds.
double SendRate::packet_time() const { return mean_packet_ / rate_; }

/// Counts only changes of direction, because a queue makes the delay rise and fall slowly.
void SendRate::measure_fluctuation(double reported_delay) {
  if (now_ == reported_at_ && reported_delay == reported_delay_) return;
  reported_at_ = now_;
  const double step = reported_delay - reported_delay_;
  const bool has_turned = (step < 0) != (step_ < 0);
  const double swing =
      has_turned ? std::min({std::abs(step), std::abs(step_), kFluctuationMax}) : 0;
  fluctuation_ += (swing - fluctuation_) / kFluctuationReports;
  reported_delay_ = reported_delay;
  step_ = step;
}

/// Returns the time over which the minimum delay is measured. This time is long enough to contain a
/// packet that did not wait for another packet and had little random delay.
Duration SendRate::noise_time() const {
  const Duration packets =
      std::clamp(duration_of(kNoisePackets * packet_time()), kNoiseMin, kNoiseMax);
  // Only the first packet of a burst measures the queue of the path.
  const Duration bursts = slow_loop_ + slow_loop_ / 5;
  const double fluctuation = fluctuation_ - kFluctuationMin - kFluctuationPacket * packet_time();
  const Duration longest =
      std::max(kFluctuationLong, duration_of(kFluctuationPackets * packet_time()));
  return std::max(
      {packets, bursts, std::min(duration_of(kFluctuationTimes * fluctuation), longest)});
}

bool SendRate::is_far_above() const {
  return seconds(standing_delay_.value()) > target_ + kFarAbove + kFarPackets * packet_time();
}

/// Returns the wanted delay. If the rate is doubled, the wanted delay always falls by the same
/// amount. So two flows converge to equal rates equally fast on every path.
double SendRate::target_delay() const {
  const bool is_slow_loop = burst_ > kBurst;
  const double share = is_slow_loop ? kSlowOwnTimeShare : kOwnTimeShare;
  const double maximum = is_slow_loop ? std::max(seconds(burst_), kOwnTimeMax) : kOwnTimeMax;
  const double own_time = std::min(share * packet_time(), maximum);
  const double wanted = kDelayAtRate - kDelayPerFactor * std::log(rate_ / kDelayRate);
  return std::clamp(wanted, kTargetDelayMin, kTargetDelayMax) + own_time;
}

/// Ends a round: sets the rate from its measurements.
void SendRate::begin_round(Time now) {
  const double whole_round = seconds(now - round_began_);
  const double through = static_cast<double>(delivered_bytes_) / whole_round;
  const double round = std::min(whole_round, 1.0);
  const double delay = seconds(standing_delay_.value());
  const double observed = is_seen_ ? seconds(now - seen_from_) : 0;
  const double slope = observed > kSlopeSecondsMin ? (delay - delay_before_) / observed : 0;
  const double delivered = static_cast<double>(delivered_bytes_) / round;
  // While the rate doubles, a mean over several rounds would be too low.
  delivered_rate_ += (delivered - delivered_rate_) * (slow_start_ ? 1 : 0.3);
  delivered_max_ = std::max(through, delivered_max_ * kDeliveredFade);
  const bool was_drained = drain_end_ > round_began_;
  round_began_ = now;
  delivered_bytes_ = 0;
  delivered_packets_ = 0;
  is_seen_ = false;
  if (is_far_above()) {
    shorten_queue(now, delay, through);
  } else if (is_shortening_) {
    is_shortening_ = false;
    rate_ = rate_after_queue(now, delay);
  } else if (!was_drained && !drain(now, delay)) {
    steer(round, delay, slope);
  }
  is_full_ = false;
  target_ = target_delay();
}

void SendRate::steer(double round, double delay, double slope) {
  if (slow_start_ && is_full_) {
    // If the path's buffer is too small for a measurable delay, most of the excess packets are
    // lost.
    const bool is_lossy = counted_ >= kDeliveriesEnough && counted_lost_ > kLossAtStart * counted_;
    if (delay < kStartShare * target_ && !is_lossy && !yields_to_loss()) {
      rate_ = std::min(rate_ * 2, limits_.rate_max);
      return;
    }
    slow_start_ = false;
    rate_ = std::min(rate_, std::max(delivered_rate_, rate_ / 2));
    return;
  }
  if (yields_to_loss()) return;
  // The queue keeps changing at this slope until a packet that is sent now arrives.
  const double ahead = kAheadShare * seconds(round_trip_ + std::max(kBurst, slow_loop_)) *
                       std::clamp(slope, -0.5, 0.5);
  const double error = target_ - std::max(delay + ahead, 0.0);
  double change = pull(error, slope, round) / std::max(kApproach, kApproachRounds * round);
  const bool is_loss_known = drained_ >= kDrainedEnough;
  const bool is_far_below = delay < target_ / 2 && (loss_ < kLossMatters || !is_loss_known);
  rounds_of_growth_ = is_full_ && is_far_below ? rounds_of_growth_ + 1 : 0;
  // If the queue stays empty, the path can carry more, so the growth speeds up.
  if (rounds_of_growth_ > 3) change *= 1 << std::min(rounds_of_growth_ - 3, 2);
  change -= kSlopeShare * std::clamp(slope, -0.3, 1.0);
  change = std::clamp(change, -kShrinkMax, is_full_ ? growth_max_ : 0.0);
  const double above = burst_ > kBurst ? kAboveDeliveredSlowly : kAboveDelivered;
  const double maximum =
      std::max(rate_, above * delivered_max_ / (1 - std::min(loss_, kLossAtStart)));
  rate_ = std::clamp(std::min(rate_ * (1 + change), maximum), limits_.rate_min, limits_.rate_max);
}

/// Returns the error to correct. The result is larger than the measured error if the queue has been
/// level for several rounds at a wrong delay, because other flows then balance our corrections.
/// Loss and large packets have the same effect, so both cases are excluded. On a long path the
/// delay oscillates around the wanted delay, so its mean error is added.
double SendRate::pull(double error, double slope, double round) {
  const bool is_level =
      std::abs(slope) < kLevelSlope && loss_ < kLossMatters && growth_max_ >= kGrowthMax;
  same_side_ = is_level && is_below_ == (error > 0) ? std::min(same_side_ + 1, 100) : 0;
  is_below_ = error > 0;
  mean_error_ = is_level && is_full_ ? mean_error_ + (error - mean_error_) / kMeanRounds : 0;
  if (same_side_ > kLevelRounds) {
    const double maximum = std::clamp(kHasteTime / packet_time(), 1.0, kHasteMax);
    return error * std::min(std::exp2(same_side_ - kLevelRounds), maximum);
  }
  const double long_rounds = std::clamp((round - kMeanFrom) / (kMeanWhole - kMeanFrom), 0.0, 1.0);
  const double small_packets = std::min(kMeanTime / packet_time(), 1.0);
  return error + kMeanGain * long_rounds * small_packets * small_packets * mean_error_;
}

/// Lowers the rate to shorten a long queue. While there is a queue, packets arrive at the rate of
/// the path, so the queue shrinks at any lower rate. `through` is the delivered rate of the last
/// round.
void SendRate::shorten_queue(Time now, double delay, double through) {
  if (!is_shortening_) {
    rate_before_ = rate_;
    shorten_from_ = now;
    longest_ = 0;
    through_ = 0;
    is_through_full_ = false;
  } else {
    // The path can carry at least this rate. If the game used its whole budget in the round, the
    // path cannot carry more.
    through_ = std::max(through_, through);
    is_through_full_ = is_through_full_ || is_full_;
  }
  longest_ = std::max(longest_, delay);
  // The current report is about packets that were sent one queueing delay and one round trip ago.
  const bool is_less = rate_ < kSendsLess * rate_before_ && loss_ < kLossMatters &&
                       delay + path_extra_ < kPathExtraMax &&
                       now - shorten_from_ > round_trip_ + duration_of(delay) + kObserveMin;
  if (!is_less || std::abs(delay - level_) > kLevelDelay) {
    level_ = delay;
    level_from_ = now;
  } else if (now - level_from_ >= kLevelTime + round_trip_) {
    return count_as_path(delay);
  }
  carried_ = std::max(is_shortening_ ? carried_ : 0, delivered_rate_);
  is_shortening_ = true;
  slow_start_ = false;
  rounds_of_growth_ = 0;
  const double approach = std::max(2 * kApproach, 3 * seconds(round_trip_));
  const double less = std::clamp((delay - target_) / approach, 0.05, kShrinkMax);
  // A game that uses less than its budget does not cause the queue, so it keeps its rate.
  const double share = is_full_ ? 1 - less : 1;
  rate_ = std::clamp(delivered_rate_ * share, limits_.rate_min, rate_before_);
}

/// Returns the rate after a long queue was shortened: the mean delivered rate. If the rate of the
/// path fell by half or more, the mean includes earlier rounds and would fill the queue again. The
/// maximum of the rounds during the shortening is then used.
double SendRate::rate_after_queue(Time now, double delay) const {
  if (was_another_queue(now, delay)) return rate_before_;
  const bool has_fallen = is_through_full_ && through_ < kFallen * carried_;
  return std::clamp(0.95 * (has_fallen ? through_ : carried_), rate_, rate_before_);
}

/// Assigns a delay to the path: the delay stays although less is sent, so the path has become
/// longer. The peer subtracts this delay itself when its old minimum delay expires.
void SendRate::count_as_path(double delay) {
  path_extra_ += delay;
  standing_delay_ = WindowedMinimum<Duration>(kNoiseMin);
  is_shortening_ = false;
  rate_ = std::max(rate_, 0.95 * rate_before_);
}

/// Returns true when a delay disappeared faster than our lower rate explains. Then our rate was not
/// the cause of the delay.
bool SendRate::was_another_queue(Time now, double delay) const {
  const double time = std::max(seconds(now - shorten_from_ - round_trip_), 0.0);
  const double left_out = time * (1 - rate_ / rate_before_);
  return longest_ - delay > kOwnDrain * left_out + kOwnDrainNoise;
}

/// Compares the loss with the loss at the lower rate of draining. If the loss is higher, our rate
/// causes it. The function then lowers the rate by the loss, limits its growth, and returns true.
bool SendRate::yields_to_loss() {
  if (counted_ < kDeliveriesEnough) return false;
  const double share = counted_lost_ / counted_;
  const double minimum = loss_min();
  // Use the two-proportion z-test: the loss shares of few packets may differ by chance.
  const double both = (counted_lost_ + drained_lost_ + 1) / (counted_ + drained_ + 2);
  const double noise = kSure * std::sqrt(both * (1 - both) * (1 / counted_ + 1 / (drained_ + 1)));
  counted_ = counted_lost_ = 0;
  if (share < minimum + noise + kLossMatters) {
    growth_max_ = std::min(growth_max_ * 2, kGrowthMax);
    return false;
  }
  rate_ = std::max(rate_ * (1 - share) / (1 - minimum), limits_.rate_min);
  growth_max_ = kGrowthCareful;
  return true;
}

/// Lowers the rate periodically, to measure the path without our own queue (draining). Returns true
/// when a draining begins.
bool SendRate::drain(Time now, double delay) {
  const bool is_soon = loss_ > kLossMatters && drained_ < 4 * kDrainedEnough;
  const Duration soon = std::clamp(kDrainRounds * noise_time(), kDrainSoon, kDrainEvery);
  const Duration interval = is_soon ? soon : kDrainEvery;
  if (drain_at_ == Time{} || drain_at_ > now + interval) drain_at_ = now + interval;
  if (now < drain_at_ || slow_start_) return false;
  Duration minimum = is_soon ? kDrainLong : Duration::zero();
  // A draining must contain a tick of a slow loop.
  if (burst_ > kBurst) minimum = std::max(minimum, 2 * burst_);
  drain_end_ = now + std::max({round_trip_, duration_of(kDrainPerDelay * delay), minimum});
  drain_at_ = drain_end_ + interval;
  return true;
}

}  // namespace muster
