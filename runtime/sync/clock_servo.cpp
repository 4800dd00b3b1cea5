// The need of a command is the minimum lead with which the command arrives in time. The need is the
// lead at the time of sending, minus the earliness of the arrival. Needs depend only on the network
// path, and not on the clock's corrections. Therefore the control loop contains no delay, and
// cannot oscillate.
//
// A command is sent in the first frame after its tick begins, so the command can be late by the
// length of one frame. Therefore the clock adds the length of a frame to the need of each command.
#include "runtime/sync/clock_servo.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "runtime/sync/milliseconds.h"

namespace muster {
namespace {

constexpr PlaybackLimits kLimits{
    .speed_min = 0.9, .speed_max = 1.1, .jump_ahead_ms = 150, .jump_back_ms = 500, .settle_ms = 50};
/// The first estimate of the lead is the round trip time plus this margin. Commands that arrive too
/// early do no harm.
constexpr double kFirstMarginMs = 30;
/// The maximum earliness in a valid report. A command with a higher earliness is no longer in
/// `sent_`.
constexpr Duration kEarlyMax = std::chrono::seconds(10);
constexpr double kFrameShare = 1.0 / 32;
constexpr double kFrameLengthMaxMs = 100;

DelayEstimateOptions servo_estimate(LeadWeight weight) {
  DelayEstimateOptions options;
  options.late_cost_ms = weight == LeadWeight::quick ? 500 : 2200;
  options.margin_ms = weight == LeadWeight::quick ? 2 : 4;
  options.peak_share = 1;
  return options;
}

/// Converts a number to a tick. A server may send any tick, so the result is limited to the range
/// of ticks.
Tick to_tick(double ticks) {
  constexpr double kTickMax = std::numeric_limits<std::uint32_t>::max();
  return Tick(static_cast<std::uint32_t>(std::clamp(ticks, 0.0, kTickMax)));
}

}  // namespace

ClockServo::ClockServo(std::uint32_t ticks_per_second, LeadWeight weight)
    : tick_ms_(1000.0 / ticks_per_second),
      ticks_per_frame_max_(std::max<std::uint32_t>(
          1, static_cast<std::uint32_t>(to_milliseconds(kFrameMax) / tick_ms_))),
      estimate_(servo_estimate(weight)),
      clock_(kLimits) {
  assert(ticks_per_second >= 1 && ticks_per_second <= 1000);
}

double ClockServo::to_ms(Time now) const { return to_milliseconds(now - origin_); }

void ClockServo::begin(const ServerTime& server, Time now) {
  assert(!has_begun_);
  has_begun_ = true;
  origin_ = now;
  offset_ms_ = tick_ms_ * server.tick.value() + to_milliseconds(server.round_trip) + kFirstMarginMs;
  issued_ = to_tick(clock_.follow(offset_ms_, 0) / tick_ms_);
}

void ClockServo::note(const CommandArrival& arrival, Time now) {
  const Sent& sent = sent_[arrival.tick.value() % kSent];
  if (!has_begun_ || sent.tick == Tick() || sent.tick != arrival.tick) return;
  if (arrival.early < -kEarlyMax || arrival.early > kEarlyMax) return;
  estimate_.note(sent.lead_ms - to_milliseconds(arrival.early), to_ms(now));
}

std::uint32_t ClockServo::due(Time now) {
  if (!has_begun_) return 0;
  const double now_ms = to_ms(now);
  const bool is_known = estimate_.packets() > 0;
  note_frame(now_ms);
  const double wanted =
      is_known ? estimate_.wanted_ms(now_ms) + frame_ms_ + 2 * frame_deviation_ms_ : offset_ms_;
  offset_ms_ = clock_.follow(now_ms + wanted, now_ms) - now_ms;
  // After a jump back, no tick is due until the clock has reached `issued_` again.
  const Tick reached = to_tick(clock_.position_ms() / tick_ms_);
  if (reached <= issued_) return 0;
  const std::uint32_t count = std::min(reached - issued_, ticks_per_frame_max_);
  skipped_ += reached - issued_ - count;
  issued_ = reached;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Tick tick = reached - i;
    sent_[tick.value() % kSent] = {.tick = tick, .lead_ms = tick.value() * tick_ms_ - now_ms};
  }
  return count;
}

/// Measures the length of frames. One long frame does not mean that the next frames are long.
/// Therefore lengths are averaged and limited.
void ClockServo::note_frame(double now_ms) {
  const double length = std::clamp(now_ms - last_frame_ms_, 0.0, kFrameLengthMaxMs);
  last_frame_ms_ = now_ms;
  const double change = length - frame_ms_;
  frame_ms_ += kFrameShare * change;
  frame_deviation_ms_ += kFrameShare * (std::abs(change) - frame_deviation_ms_);
}

float ClockServo::fraction() const {
  constexpr double kBelowOne = 0.999;
  const double passed = clock_.position_ms() / tick_ms_ - issued_.value();
  return static_cast<float>(std::clamp(passed, 0.0, kBelowOne));
}

Duration ClockServo::to_next() const {
  const double ms = tick_ms_ * (issued_.value() + 1.0) - clock_.position_ms();
  return from_milliseconds(std::max(ms, 0.0));
}

}  // namespace muster
