// The estimator of net/CONNECTION.md, "How much may be sent". Two flows that share a queue see one
// delay `d`; each steers to the rate K(rate) / d. K grows slower than the rate, so there is just
// one rate at which that holds, the same for both: that is where the fairness comes from.
#include "net/transport/send_rate.h"

#include <algorithm>
#include <cmath>

namespace muster {

namespace {

constexpr double kPacket = 1200;
constexpr double kFirstWindow = 4 * kPacket;
constexpr double kWindowMin = 500;
/// When everything sent so far is paid for, this much may always go.
constexpr double kSmallPacket = 300;
/// Before the first round trip is known.
constexpr NetDuration kFirstRoundTrip = std::chrono::milliseconds(100);
/// No queue of ours may take longer than this, however slow the path is.
constexpr double kQueueSecondsMax = 0.040;
/// Packets in the queue per root of packets a second: 8 at 10 Mbit/s.
constexpr double kQueueGrowth = 0.25;
/// Below this a delay is noise of clocks and threads.
constexpr double kDelayFloor = 0.0005;
/// Loss below this is left to those who resend.
constexpr double kLossMatters = 0.05;
/// So many packets must have gone at half the rate before their loss is known.
constexpr double kDrainedEnough = 16;
constexpr NetDuration kDrainEvery = std::chrono::seconds(10);
/// While there is loss of which it is not known where it comes from.
constexpr NetDuration kDrainSoon = std::chrono::milliseconds(500);

double seconds(NetDuration duration) { return std::chrono::duration<double>(duration).count(); }

NetDuration duration_of(double seconds) {
  return std::chrono::duration_cast<NetDuration>(std::chrono::duration<double>(seconds));
}

}  // namespace

SendRate::SendRate(const SendRateLimits& limits)
    : limits_(limits),
      window_(kFirstWindow),
      round_trip_(kFirstRoundTrip),
      round_trip_min_(kFirstRoundTrip) {}

void SendRate::restart() { *this = SendRate(limits_); }

double SendRate::present_rate() const {
  const double trip = seconds(round_trip_min_) + seconds(standing_delay_.value());
  return window_ / std::max(trip, 1e-4);
}

double SendRate::bytes_per_second() const {
  const double wanted = std::clamp(present_rate(), limits_.rate_min, limits_.rate_max);
  return now_ < drain_end_ ? wanted / 2 : wanted;
}

std::size_t SendRate::budget(NetTime now, std::size_t on_the_way) const {
  const double window = now < drain_end_ ? window_ / 2 : window_;
  const double floor = limits_.rate_min * seconds(round_trip_);
  const double free = std::max(window, floor) - static_cast<double>(on_the_way);
  const NetTime earliest = std::max(paid_until_, now - kBurst);
  if (earliest > now) return 0;
  const double rate = bytes_per_second();
  const double saved = std::max(rate * seconds(now - earliest), kSmallPacket);
  return static_cast<std::size_t>(std::max(0.0, std::min(saved, free)));
}

void SendRate::stamp(PacketRecord& record) const {
  record.delivered_before = delivered_bytes_;
  record.delivered_at = delivered_at_ == NetTime{} ? record.sent_at : delivered_at_;
  record.at_half_rate = record.sent_at < drain_end_;
}

void SendRate::sent(NetTime now, std::size_t bytes, bool is_full) {
  now_ = now;
  full_this_round_ = full_this_round_ || is_full;
  mean_packet_ += (static_cast<double>(bytes) - mean_packet_) / 16;
  const NetTime from = std::max(paid_until_, now - kBurst);
  paid_until_ = from + duration_of(static_cast<double>(bytes) / bytes_per_second());
}

void SendRate::measure_rate(NetTime now, const PacketRecord& record) {
  const double took = std::max(seconds(now - record.delivered_at), seconds(round_trip_min_));
  const double bytes = static_cast<double>(delivered_bytes_ - record.delivered_before);
  if (took > 0) negated_rate_.add(now, -bytes / took);
}

void SendRate::delivered(NetTime now, const PacketRecord& record, NetDuration queue_delay,
                         const RoundTrip& path) {
  now_ = now;
  if (path.has_sample()) {
    round_trip_ = path.smoothed();
    round_trip_min_ = path.minimum();
  }
  standing_delay_.set_window(std::max<NetDuration>(round_trip_ / 2, kAckDelay));
  standing_delay_.add(now, queue_delay);
  delivered_bytes_ += record.byte_count;
  delivered_at_ = now;
  count_fate(record, false);
  measure_rate(now, record);
  if (now - round_began_ >= round_trip_) begin_round(now);
  if (was_full_ || full_this_round_) steer(static_cast<double>(record.byte_count));
}

void SendRate::lost(const PacketRecord& record) {
  if (!record.is_probe) count_fate(record, true);
}

void SendRate::count_fate(const PacketRecord& record, bool is_lost) {
  const double lost = is_lost ? 1 : 0;
  loss_ += (lost - loss_) / 64;
  if (!record.at_half_rate) return;
  drained_sent_ += 1;
  drained_lost_ += lost;
  if (drained_sent_ < 256) return;
  drained_sent_ /= 2;
  drained_lost_ /= 2;
}

double SendRate::least_loss() const {
  return drained_sent_ < kDrainedEnough ? 0.6 : std::min(drained_lost_ / drained_sent_, 0.6);
}

double SendRate::queue_bytes_wanted() const {
  const double rate = present_rate();
  const double packets = std::max(2.0, kQueueGrowth * std::sqrt(rate / kPacket));
  const double most = std::max(rate * kQueueSecondsMax, mean_packet_);
  return std::min(packets * mean_packet_, most);
}

/// Moves the window by what one acknowledgement of so many bytes allows.
void SendRate::steer(double acknowledged) {
  if (now_ < drain_end_) return;
  const double delay = std::max(seconds(standing_delay_.value()), kDelayFloor);
  const double wanted_queue = queue_bytes_wanted();
  const bool is_below = present_rate() <= wanted_queue / delay;
  if (slow_start_) {
    if (is_below) {
      window_ += acknowledged;
      return;
    }
    end_slow_start();
  }
  const Direction direction = is_below ? Direction::up : Direction::down;
  if (direction != direction_) {
    direction_ = direction;
    velocity_ = 1;
    rounds_one_way_ = 0;
  }
  const double step = std::min(velocity_ * wanted_queue / 2, window_ / 2);
  const double change = step * acknowledged / window_;
  window_ = std::max(window_ + (is_below ? change : -change), kWindowMin);
  window_ = std::min(window_, limits_.rate_max * (seconds(round_trip_) + kQueueSecondsMax));
}

void SendRate::end_slow_start() {
  slow_start_ = false;
  direction_ = Direction::down;
  velocity_ = 1;
  const double carried = -negated_rate_.value() * seconds(round_trip_min_);
  window_ = std::max(std::min(window_, carried), kWindowMin);
}

/// Once a round trip: how the last one went.
void SendRate::begin_round(NetTime now) {
  round_began_ = now;
  was_full_ = full_this_round_;
  full_this_round_ = false;
  negated_rate_.set_window(std::max<NetDuration>(10 * round_trip_, std::chrono::milliseconds(500)));
  if (!was_full_) return;
  if (++rounds_one_way_ >= 3) velocity_ = std::min(velocity_ * 2, 64.0);
  if (slow_start_) {
    const double best = -negated_rate_.value();
    stages_without_growth_ = best > best_rate_at_stage_ * 1.25 ? 0 : stages_without_growth_ + 1;
    if (stages_without_growth_ == 0) best_rate_at_stage_ = best;
    if (stages_without_growth_ >= 3) end_slow_start();
    return;
  }
  yield_to_loss();
  drain(now);
}

/// A queue too short to be seen in the delay shows in loss that is absent at half the rate: then
/// the window is what was delivered, and grows again from there.
void SendRate::yield_to_loss() {
  const double least = least_loss();
  if (loss_ < std::max(kLossMatters, 1.5 * least + 0.02)) return;
  const double carried = -negated_rate_.value() / (1 - least);
  const double trip = seconds(round_trip_min_) + seconds(standing_delay_.value());
  window_ = std::max(std::min(window_, carried * trip), kWindowMin);
  direction_ = Direction::down;
  velocity_ = 1;
  rounds_one_way_ = 0;
}

/// Halves the rate for a round trip now and then, to see the path without our own queue.
void SendRate::drain(NetTime now) {
  const bool is_soon = loss_ > kLossMatters && drained_sent_ < 4 * kDrainedEnough;
  if (drain_at_ == NetTime{} || (is_soon && drain_at_ > now + kDrainSoon)) {
    drain_at_ = now + (is_soon ? kDrainSoon : kDrainEvery);
  }
  if (now < drain_at_) return;
  drain_end_ = now + round_trip_;
  drain_at_ = drain_end_ + (is_soon ? kDrainSoon : kDrainEvery);
}

}  // namespace muster
