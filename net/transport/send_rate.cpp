// The estimator of net/CONNECTION.md, "How much may be sent". Each round it looks at the delay in
// the queue: its slope tells by how much the rate exceeds what the path leaves to us, its height
// whether the queue should grow or shrink. The slope is that of packets sent in the round itself:
// with older ones in it, each correction came twice, and the queue swung by as much as it was long.
// The height that is wanted falls with the rate. Flows that share a queue see one height, so the
// faster one yields to the slower until their rates are the same: that is where the fairness comes
// from. Once the queue is level, only this difference is left, and it may be corrected in haste:
// what one takes the other leaves. Steering a window by the delay, as Copa does, was tried: with
// ticks of 60 Hz and late acknowledgements it swings.
#include "net/transport/send_rate.h"

#include <algorithm>
#include <cmath>

namespace muster {

namespace {

constexpr double kFirstRate = 48'000;
/// When everything sent so far is paid for, this much may always go.
constexpr double kSmallPacket = 300;
/// Where that takes longer than a tick of 60 Hz, a game that fills its budget at each tick has to
/// leave out some: the queue swings by a tick. So a game that just sent is given what takes this
/// time, in seconds, but not so little that most of a packet is its head.
constexpr double kSmallTime = 0.012;
constexpr double kSmallLeast = 150;
/// Before the first round trip is known.
constexpr Duration kFirstRoundTrip = std::chrono::milliseconds(100);
/// Answers that come less often are those of a slow loop.
constexpr Duration kSlowAnswers = std::chrono::milliseconds(90);
/// What both ends' ticks and late acknowledgements add to a round trip.
constexpr Duration kAroundTrip = std::chrono::milliseconds(40);
/// More than one tick of 60 Hz.
constexpr Duration kRoundMin = std::chrono::milliseconds(50);
constexpr unsigned kRoundPackets = 3;
/// How long a round is looked at once what was sent in it arrives: this, a share of the round trip,
/// and a share of the time in which the delay of a few packets is told.
constexpr Duration kLookMin = std::chrono::milliseconds(45);
constexpr double kLookShare = 0.5;
constexpr double kLookNoise = 1.5;
/// A shorter look shows no slope, in seconds.
constexpr double kLookedEnough = 0.025;
/// The least delay of so many packets is believed: on a slow path each waits for another's.
constexpr double kNoisePackets = 3;
constexpr Duration kNoiseLeast = std::chrono::milliseconds(30);
constexpr Duration kNoiseMost = std::chrono::milliseconds(150);
/// How much the delays that are told go to and fro is smoothed over so many of them; one counts as
/// this at most, in seconds.
constexpr double kUnrestTold = 32;
constexpr double kUnrestMost = 0.1;
/// What is above this, in seconds, and what the packets of others do, as a share of what one takes
/// by itself, is looked at so many times as long, at most for so long or for so many packets.
constexpr double kUnrestLeast = 0.0015;
constexpr double kUnrestPacket = 0.06;
constexpr double kUnrestTimes = 80;
constexpr Duration kUnrestLong = std::chrono::milliseconds(400);
constexpr double kUnrestPackets = 10;
/// So much above what is wanted the queue is shortened at once, in seconds.
constexpr double kFarAbove = 0.026;
constexpr double kFarPackets = 0.1;  ///< And so many packets' time.
/// The queue that is wanted, in seconds: so much at a rate, and so much less for each factor e
/// above it; the most, for slow paths; the least, above the noise of clocks and threads.
constexpr double kDelayAtRate = 0.002;
constexpr double kDelayRate = 1'250'000;
constexpr double kDelayPerFactor = 0.0065;
constexpr double kDelayMost = 0.023;
constexpr double kDelayLeast = 0.002;
/// What a packet takes by itself on a slow path is no queue; and no more than this is believed.
constexpr double kOwnTimeShare = 0.4;
constexpr double kOwnTimeMost = 0.050;
/// A slow loop sends few packets, each of them large: none shows less than its own time.
constexpr double kSlowOwnTimeShare = 0.9;
/// The time in which a queue is to come to the height that is wanted, and at least so many rounds.
constexpr double kApproach = 0.12;
constexpr double kApproachRounds = 1.45;
/// Of the time until what is sent now arrives.
constexpr double kAheadShare = 0.7;
/// The first rate doubles up to this share of the wanted delay.
constexpr double kStartShare = 0.6;
/// A slope below which the queue is level, and the rounds after which that counts.
constexpr double kLevel = 0.1;
constexpr int kLevelRounds = 2;
/// How many times faster a level queue lets the rate be corrected, at most; less by as much as a
/// packet takes longer than a share of this, in seconds.
constexpr double kHasteMost = 6;
constexpr double kHasteTime = 0.12;
/// Where the queue swings about a height, what counts is the mean of so many rounds. It is added
/// so many times: where rounds are long, none from the first of these to all from the second, in
/// seconds; where a packet takes longer than this, in seconds, by the square of that less.
constexpr double kMeanRounds = 6;
constexpr double kMeanGain = 4;
constexpr double kMeanFrom = 0.2;
constexpr double kMeanWhole = 0.35;
constexpr double kMeanTime = 0.004;
/// A delay that has changed by no more than this in so long a time and a round trip
/// in which less was sent, is the path's.
constexpr double kLevelDelay = 0.005;
constexpr Duration kLevelTime = std::chrono::milliseconds(120);
constexpr double kSendsLess = 0.8;
/// Longer ones are told as 0.4 seconds, however long they are.
constexpr double kPathExtraMost = 0.3;
/// A queue of ours does not go faster than this times what was left out of it, and this, in
/// seconds.
constexpr double kOwnDrain = 1.2;
constexpr double kOwnDrainNoise = 0.004;
/// When less than this share of the mean came through in each round after the first in which a
/// queue was shortened, the path has fallen.
constexpr double kFallen = 0.5;
/// What the rate yields of a slope.
constexpr double kSlopeShare = 1.07;
/// The rate stays below this multiple of the largest delivered rate of the last rounds: a higher
/// rate was never tried, for whatever reason.
constexpr double kAboveDelivered = 1.6;
constexpr double kDeliveredFade = 0.9;
/// What a slow loop sends arrives in bursts, of which a round may hold one too many.
constexpr double kAboveDeliveredSlowly = 1.1;
/// What the rate may change by in a round, as shares.
constexpr double kGrowthMost = 0.25;
constexpr double kGrowthCareful = 0.01;
constexpr double kShrinkMost = 0.5;
/// Loss below this is left to those who resend.
constexpr double kLossMatters = 0.03;
/// When the first rate is looked for, of which nothing is known, this much is our own.
constexpr double kLossAtStart = 0.4;
/// So many fates must be known before a share of them says something.
constexpr double kFatesEnough = 32;
/// In standard deviations: one judgement in 160 is wrong.
constexpr double kSure = 2.5;
constexpr double kDrainedEnough = 16;
constexpr double kDrainedFade = 256;
constexpr Duration kDrainEvery = std::chrono::seconds(10);
/// While there is loss of which it is not known where it comes from.
constexpr Duration kDrainSoon = std::chrono::seconds(1);
/// Rounds are as long as what delays by chance need to be looked at: most of them steer.
constexpr int kDrainRounds = 12;
constexpr double kDrainShare = 1.0 / 3;
constexpr double kDrainPerDelay = 3.2;
constexpr Duration kDrainLong = std::chrono::milliseconds(150);

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

SendRate::SendRate(const SendRateLimits& limits)
    : limits_(limits),
      rate_(std::clamp(kFirstRate, limits.rate_min, limits.rate_max)),
      growth_max_(kGrowthMost),
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

/// Wide enough never to hold back what is paced, but when nothing is acknowledged any more.
std::size_t SendRate::window() const {
  // A slow loop sees answers a tick later, and has sent for another one by then.
  const Duration loop = burst_ + 2 * (burst_ - kBurst);
  const Duration around = std::max(kAroundTrip, 2 * hold_);
  const double answer = seconds(round_trip_ + around + loop) + 2 * target_;
  return static_cast<std::size_t>(rate_ * answer * 1.25 + 2 * kDatagramBytesSafe);
}

std::size_t SendRate::budget(Time now, std::size_t on_the_way) const {
  return saved(now, on_the_way, kSmallPacket);
}

std::size_t SendRate::game_budget(Time now, std::size_t on_the_way) const {
  const bool is_idle = now - paid_until_ >= burst_;
  const double small = std::clamp(rate_ * kSmallTime, kSmallLeast, kSmallPacket);
  return saved(now, on_the_way, is_idle ? kSmallPacket : small);
}

/// What is saved up, but at least so much once everything is paid for.
std::size_t SendRate::saved(Time now, std::size_t on_the_way, double least) const {
  const std::size_t window_bytes = window();
  if (on_the_way >= window_bytes) return 0;
  const Time earliest = std::max(paid_until_, now - burst_);
  if (earliest > now) return 0;
  const double bytes = std::max(bytes_per_second() * seconds(now - earliest), least);
  return std::min(static_cast<std::size_t>(bytes), window_bytes - on_the_way);
}

std::size_t SendRate::left(Time now) const {
  const Time from = std::min(std::max(paid_until_, now - burst_), now);
  return static_cast<std::size_t>(bytes_per_second() * seconds(now - from));
}

void SendRate::stamp(PacketRecord& record) const {
  record.is_draining = record.sent_at < drain_end_;
}

void SendRate::sent(Time now, std::size_t bytes, bool is_held) {
  now_ = now;
  mean_packet_ += (static_cast<double>(bytes) - mean_packet_) / 16;
  const Time from = std::max(paid_until_, now - burst_);
  paid_until_ = from + duration_of(static_cast<double>(bytes) / bytes_per_second());
  // A game that fills its budget to the byte leaves nothing waiting: it is full as well.
  const double left = bytes_per_second() * seconds(now - paid_until_);
  is_full_ = is_full_ || is_held || left < kSmallPacket;
}

void SendRate::delivered(Time now, const PacketRecord& record, Duration queue_delay,
                         const RoundTrip& path) {
  now_ = now;
  if (path.has_sample()) round_trip_ = path.minimum();
  watch_unrest(seconds(queue_delay));
  const Duration noise = noise_time();
  // What the peer learns of its path in time is not added any more.
  path_extra_ = std::min(path_extra_, seconds(queue_delay));
  standing_delay_.set_window(noise);
  standing_delay_.add(now, queue_delay - duration_of(path_extra_));
  delivered_bytes_ += record.byte_count;
  count_fate(record, false);
  ++delivered_packets_;
  if (!is_seen_ && record.sent_at >= round_began_) {
    is_seen_ = true;
    seen_from_ = now;
    delay_before_ = seconds(standing_delay_.value());
  }
  if (delivered_packets_ < kRoundPackets || now - round_began_ < kRoundMin) return;
  const Duration look = std::max({kLookMin, duration_of(kLookShare * seconds(round_trip_)),
                                  duration_of(kLookNoise * seconds(noise))});
  // A long queue is not waited for.
  if (is_far_above() || (is_seen_ && now - seen_from_ >= look)) begin_round(now);
}

void SendRate::lost(const PacketRecord& record) {
  if (!record.is_probe) count_fate(record, true);
}

void SendRate::count_fate(const PacketRecord& record, bool is_lost) {
  const double lost = is_lost ? 1 : 0;
  loss_ += (lost - loss_) / 64;
  fates_ += 1;
  fates_lost_ += lost;
  if (!record.is_draining) return;
  drained_ += 1;
  drained_lost_ += lost;
  if (drained_ < kDrainedFade) return;
  drained_ /= 2;
  drained_lost_ /= 2;
}

/// The path's own loss. As long as that is not known, all of it.
double SendRate::least_loss() const {
  return drained_ < kDrainedEnough ? 0.6 : std::min(drained_lost_ / drained_, 0.6);
}

/// What one packet takes at our rate, in seconds.
double SendRate::packet_time() const { return mean_packet_ / rate_; }

/// What a queue adds to the delay grows and shrinks; what the path adds by chance goes to and fro.
void SendRate::watch_unrest(double told) {
  // Several packets are told of at once.
  if (now_ == told_at_ && told == told_) return;
  told_at_ = now_;
  const double step = told - told_;
  const bool has_turned = (step < 0) != (step_ < 0);
  const double swing = has_turned ? std::min({std::abs(step), std::abs(step_), kUnrestMost}) : 0;
  unrest_ += (swing - unrest_) / kUnrestTold;
  told_ = told;
  step_ = step;
}

/// How long must be looked at to see more than one packet behind another's, and one that came
/// through without what the path adds by chance. If fewer packets were looked at where fewer are
/// sent, the least of them would be longer, and less would be sent again.
Duration SendRate::noise_time() const {
  const Duration packets =
      std::clamp(duration_of(kNoisePackets * packet_time()), kNoiseLeast, kNoiseMost);
  // The packets of one burst wait for each other: only the first shows what was there before.
  // Answers that come seldom show a queue late.
  const Duration bursts = slow_loop_ + slow_loop_ / 5;
  const double unrest = unrest_ - kUnrestLeast - kUnrestPacket * packet_time();
  const Duration longest = std::max(kUnrestLong, duration_of(kUnrestPackets * packet_time()));
  return std::max({packets, bursts, std::min(duration_of(kUnrestTimes * unrest), longest)});
}

bool SendRate::is_far_above() const {
  return seconds(standing_delay_.value()) > target_ + kFarAbove + kFarPackets * packet_time();
}

/// Falls with the rate, by the same for each factor: so fast two flows come together, whatever the
/// path carries. Where it is level they come together by chance.
double SendRate::target_delay() const {
  const bool is_slow_loop = burst_ > kBurst;
  const double share = is_slow_loop ? kSlowOwnTimeShare : kOwnTimeShare;
  const double most = is_slow_loop ? std::max(seconds(burst_), kOwnTimeMost) : kOwnTimeMost;
  const double own_time = std::min(share * packet_time(), most);
  const double wanted = kDelayAtRate - kDelayPerFactor * std::log(rate_ / kDelayRate);
  return std::clamp(wanted, kDelayLeast, kDelayMost) + own_time;
}

/// Once a round trip: how the last one went.
void SendRate::begin_round(Time now) {
  const double whole_round = seconds(now - round_began_);
  const double through = static_cast<double>(delivered_bytes_) / whole_round;
  const double round = std::min(whole_round, 1.0);
  const double delay = seconds(standing_delay_.value());
  const double looked = is_seen_ ? seconds(now - seen_from_) : 0;
  const double slope = looked > kLookedEnough ? (delay - delay_before_) / looked : 0;
  const double delivered = static_cast<double>(delivered_bytes_) / round;
  // While it doubles, a mean would tell of the past.
  delivered_rate_ += (delivered - delivered_rate_) * (slow_start_ ? 1 : 0.3);
  most_delivered_ = std::max(through, most_delivered_ * kDeliveredFade);
  const bool was_drained = drain_end_ > round_began_;
  round_began_ = now;
  delivered_bytes_ = 0;
  delivered_packets_ = 0;
  is_seen_ = false;
  // What came of a part of the rate tells nothing of the whole.
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
    // Where the queue is too short to show, most of what is too much is lost.
    const bool is_lossy = fates_ >= kFatesEnough && fates_lost_ > kLossAtStart * fates_;
    if (delay < kStartShare * target_ && !is_lossy && !yields_to_loss()) {
      rate_ = std::min(rate_ * 2, limits_.rate_max);
      return;
    }
    slow_start_ = false;
    rate_ = std::min(rate_, std::max(delivered_rate_, rate_ / 2));
    return;
  }
  if (yields_to_loss()) return;
  // The queue goes on as it did until what is sent now arrives.
  const double ahead = kAheadShare * seconds(round_trip_ + std::max(kBurst, slow_loop_)) *
                       std::clamp(slope, -0.5, 0.5);
  const double error = target_ - std::max(delay + ahead, 0.0);
  double change = pull(error, slope, round) / std::max(kApproach, kApproachRounds * round);
  const bool is_loss_known = drained_ >= kDrainedEnough;
  const bool is_far_below = delay < target_ / 2 && (loss_ < kLossMatters || !is_loss_known);
  rounds_of_growth_ = is_full_ && is_far_below ? rounds_of_growth_ + 1 : 0;
  // A queue that stays empty says that there is more to be had.
  if (rounds_of_growth_ > 3) change *= 1 << std::min(rounds_of_growth_ - 3, 2);
  change -= kSlopeShare * std::clamp(slope, -0.3, 1.0);
  change = std::clamp(change, -kShrinkMost, is_full_ ? growth_max_ : 0.0);
  const double above = burst_ > kBurst ? kAboveDeliveredSlowly : kAboveDelivered;
  const double most =
      std::max(rate_, above * most_delivered_ / (1 - std::min(loss_, kLossAtStart)));
  rate_ = std::clamp(std::min(rate_ * (1 + change), most), limits_.rate_min, limits_.rate_max);
}

/// The error that is corrected. More than was seen, when the queue is level for rounds, but not as
/// we want it: others hold it there, and the sum will stay. Loss and packets that are long by
/// themselves look like that, too. Far away the queue swings by some milliseconds, and is never
/// long on one side; then its mean says the same.
double SendRate::pull(double error, double slope, double round) {
  const bool is_level =
      std::abs(slope) < kLevel && loss_ < kLossMatters && growth_max_ >= kGrowthMost;
  same_side_ = is_level && is_below_ == (error > 0) ? std::min(same_side_ + 1, 100) : 0;
  is_below_ = error > 0;
  mean_error_ = is_level && is_full_ ? mean_error_ + (error - mean_error_) / kMeanRounds : 0;
  if (same_side_ > kLevelRounds) {
    const double most = std::clamp(kHasteTime / packet_time(), 1.0, kHasteMost);
    return error * std::min(std::exp2(same_side_ - kLevelRounds), most);
  }
  const double long_rounds = std::clamp((round - kMeanFrom) / (kMeanWhole - kMeanFrom), 0.0, 1.0);
  const double small_packets = std::min(kMeanTime / packet_time(), 1.0);
  return error + kMeanGain * long_rounds * small_packets * small_packets * mean_error_;
}

/// With a queue there is a rate that is known: what comes through. Below it the queue shrinks.
/// `through` is what came in the last round.
void SendRate::shorten_queue(Time now, double delay, double through) {
  if (!is_shortening_) {
    rate_before_ = rate_;
    shorten_from_ = now;
    longest_ = 0;
    through_ = 0;
    is_through_full_ = false;
  } else {
    // However little was wanted, as much as this the path carries; that it carries no more, only a
    // round says in which more was wanted.
    through_ = std::max(through_, through);
    is_through_full_ = is_through_full_ || is_full_;
  }
  longest_ = std::max(longest_, delay);
  // What is told now was sent a queue and a round trip ago.
  const bool is_less = rate_ < kSendsLess * rate_before_ && loss_ < kLossMatters &&
                       delay + path_extra_ < kPathExtraMost &&
                       now - shorten_from_ > round_trip_ + duration_of(delay) + kLookMin;
  if (!is_less || std::abs(delay - level_) > kLevelDelay) {
    level_ = delay;
    level_from_ = now;
  } else if (now - level_from_ >= kLevelTime + round_trip_) {
    return take_for_path(delay);
  }
  carried_ = std::max(is_shortening_ ? carried_ : 0, delivered_rate_);
  is_shortening_ = true;
  slow_start_ = false;
  rounds_of_growth_ = 0;
  const double approach = std::max(2 * kApproach, 3 * seconds(round_trip_));
  const double less = std::clamp((delay - target_) / approach, 0.05, kShrinkMost);
  // A game that asks for less than it may have keeps what it uses: the queue is not its own.
  const double share = is_full_ ? 1 - less : 1;
  rate_ = std::clamp(delivered_rate_ * share, limits_.rate_min, rate_before_);
}

/// Once the queue is gone: what came through. The mean over rounds, for that differs less by
/// chance; but where the path has lost half of its rate or more the mean still holds what came
/// before, and would fill the queue again.
double SendRate::rate_after_queue(Time now, double delay) const {
  if (was_another_queue(now, delay)) return rate_before_;
  const bool has_fallen = is_through_full_ && through_ < kFallen * carried_;
  return std::clamp(0.95 * (has_fallen ? through_ : carried_), rate_, rate_before_);
}

/// However little is sent, the delay stays: the path is longer than it was. The peer finds out when
/// it has forgotten how short it once was.
void SendRate::take_for_path(double delay) {
  path_extra_ += delay;
  standing_delay_ = WindowedMinimum<Duration>(kNoiseLeast);
  is_shortening_ = false;
  rate_ = std::max(rate_, 0.95 * rate_before_);
}

/// Whether a delay went faster than sending less can have shortened a queue: then it was none, or
/// others have left it.
bool SendRate::was_another_queue(Time now, double delay) const {
  const double time = std::max(seconds(now - shorten_from_ - round_trip_), 0.0);
  const double left_out = time * (1 - rate_ / rate_before_);
  return longest_ - delay > kOwnDrain * left_out + kOwnDrainNoise;
}

/// A queue too short to be seen in the delay shows in loss that is absent at a part of the rate:
/// then the rate falls to what came through, and grows with care from there. True when it did.
bool SendRate::yields_to_loss() {
  if (fates_ < kFatesEnough) return false;
  const double share = fates_lost_ / fates_;
  const double least = least_loss();
  // Two shares of so few packets differ by chance: the test for two proportions.
  const double both = (fates_lost_ + drained_lost_ + 1) / (fates_ + drained_ + 2);
  const double noise = kSure * std::sqrt(both * (1 - both) * (1 / fates_ + 1 / (drained_ + 1)));
  fates_ = fates_lost_ = 0;
  if (share < least + noise + kLossMatters) {
    growth_max_ = std::min(growth_max_ * 2, kGrowthMost);
    return false;
  }
  rate_ = std::max(rate_ * (1 - share) / (1 - least), limits_.rate_min);
  growth_max_ = kGrowthCareful;
  return true;
}

/// Lowers the rate for a while now and then, to see the path without our own queue. True when it
/// begins to.
bool SendRate::drain(Time now, double delay) {
  const bool is_soon = loss_ > kLossMatters && drained_ < 4 * kDrainedEnough;
  const Duration soon = std::clamp(kDrainRounds * noise_time(), kDrainSoon, kDrainEvery);
  const Duration interval = is_soon ? soon : kDrainEvery;
  if (drain_at_ == Time{} || drain_at_ > now + interval) drain_at_ = now + interval;
  if (now < drain_at_ || slow_start_) return false;
  // Long enough for the queue to empty when half of it is another's.
  Duration least = is_soon ? kDrainLong : Duration::zero();
  // A slow loop has to send in it.
  if (burst_ > kBurst) least = std::max(least, 2 * burst_);
  drain_end_ = now + std::max({round_trip_, duration_of(kDrainPerDelay * delay), least});
  drain_at_ = drain_end_ + interval;
  return true;
}

}  // namespace muster
