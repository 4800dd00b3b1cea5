// An experiment compared several rules with recorded delays of real links
// (tests/bench/jitter_lab.cpp). A fixed quantile suits only one kind of link. Therefore the
// quantile is chosen by its cost. A link with little jitter then gets enough delay for the last 1 %
// of the packets. On a link where the last 1 % would need hundreds of milliseconds, these packets
// are late.
#include "runtime/sync/delay_estimate.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

constexpr double kHistoryMs = 12'000;
/// A pause between packets counts as at most this time for the age of the history. With this limit,
/// the history before a long pause is kept.
constexpr double kSilenceMs = 250;
constexpr std::size_t kHistoryValues = 1024;
/// The maximum lateness of one packet in the mean of the typical need.
constexpr double kTypicalRiseMs = 100;
/// A packet that is later than this time was delayed by an outage, and is not added to the history.
/// When an outage ends, hundreds of such packets may arrive at once. These packets must not make
/// the delay longer.
constexpr double kOutageMs = 400;
/// A step of the typical need is detected if each packet of the last `kStepTimeMs` needed `kStepMs`
/// more than usual, and if there are at least `kStepPackets` such packets. Packets that a stall has
/// delayed arrive within a shorter time, so they do not count as a step.
constexpr std::uint32_t kStepPackets = 8;
constexpr double kStepTimeMs = 300;
constexpr double kStepMs = 30;
constexpr double kPeakHalfLifeMs = 400;
/// The number of packets after which the estimate depends only on the history.
constexpr std::uint32_t kLearning = 20;
/// The additional delay of a link without a history.
constexpr double kUnknownMs = 30;

}  // namespace

DelayEstimate::DelayEstimate(const DelayEstimateOptions& options)
    : options_(options), history_(kHistoryValues, kHistoryMs), recent_(kRecent) {
  late_ms_.reserve(kRecent);
  choose_quantile();
}

void DelayEstimate::note(double needed_ms, double now_ms) {
  if (seen_ == 0) typical_ms_ = needed_ms;
  if (seen_ > 0) active_ms_ += std::clamp(now_ms - noted_at_ms_, 0.0, kSilenceMs);
  noted_at_ms_ = now_ms;
  const double late = needed_ms - typical_ms_;
  const double overshoot = late - beyond_ms_ - options_.margin_ms;
  const double rise = std::min(options_.peak_share * overshoot, options_.peak_max_ms);
  peak_ms_ = std::max(peak_ms(now_ms), rise);
  peak_at_ms_ = now_ms;
  remember(needed_ms, now_ms, false);
  ++seen_;
  const double share = std::max(1 / options_.mean_packets, 1.0 / seen_);
  if (late < kOutageMs) typical_ms_ += share * std::min(late, kTypicalRiseMs);
  follow_step(now_ms);
  choose_quantile();
}

void DelayEstimate::note_lost(double needed_ms) {
  if (seen_ > 0) remember(needed_ms, noted_at_ms_, true);
}

/// Adds a packet to the recent packets, and to the history unless an outage delayed the packet.
void DelayEstimate::remember(double needed_ms, double now_ms, bool is_lost) {
  const double late = needed_ms - typical_ms_;
  recent_[remembered_ % kRecent] = {.needed_ms = needed_ms,
                                    .at_ms = now_ms,
                                    .typical_ms = typical_ms_,
                                    .is_lost = is_lost,
                                    .is_in_history = late < kOutageMs};
  ++remembered_;
  if (late < kOutageMs) history_.add(late, active_ms_);
}

/// Follows a step of the typical need. Before the step is detected, the mean follows only a part of
/// the step, and the packets count as late. Afterwards, the history has their lateness relative to
/// the new typical need.
void DelayEstimate::follow_step(double now_ms) {
  const std::uint32_t count_max = std::min(remembered_, kRecent);
  const auto recent = [&](std::uint32_t back) -> Recent& {
    return recent_[(remembered_ - 1 - back) % kRecent];
  };
  double lowest = recent(0).needed_ms;
  double before = 0;
  std::uint32_t count = 0;  // Arrived and lost packets.
  std::uint32_t arrived = 0;
  for (bool is_long = false; !is_long; ++count) {
    if (count == count_max) return;
    const Recent& one = recent(count);
    if (one.is_lost) continue;
    ++arrived;
    lowest = std::min(lowest, one.needed_ms);
    before = one.typical_ms;
    is_long = arrived >= kStepPackets && now_ms - one.at_ms >= kStepTimeMs;
  }
  if (lowest - before <= kStepMs) return;
  // The first packet of the step replaces the packets that were lost immediately before it.
  while (count < count_max && recent(count).is_lost) ++count;
  const double step = std::max(lowest - typical_ms_, 0.0);
  typical_ms_ += step;
  peak_ms_ = std::max(peak_ms_ - step, 0.0);
  late_ms_.clear();
  for (std::uint32_t i = count; i-- > 0;) {
    Recent& one = recent(i);
    if (one.is_in_history) late_ms_.push_back(one.needed_ms - typical_ms_);
    one.typical_ms = typical_ms_;
  }
  history_.replace_last(late_ms_);
}

void DelayEstimate::choose_quantile() {
  const double floor = options_.floor_ms + history_.quantile(options_.floor_share);
  beyond_ms_ = std::max(history_.cheapest(options_.late_cost_ms), floor);
  if (seen_ >= kLearning) return;
  const double unknown = 1 - static_cast<double>(seen_) / kLearning;
  beyond_ms_ = std::max(beyond_ms_, options_.floor_ms + kUnknownMs * unknown);
}

double DelayEstimate::peak_ms(double now_ms) const {
  return peak_ms_ * std::exp2(-std::max(now_ms - peak_at_ms_, 0.0) / kPeakHalfLifeMs);
}

double DelayEstimate::settled_ms() const { return typical_ms_ + beyond_ms_ + options_.margin_ms; }

double DelayEstimate::wanted_ms(double now_ms) const {
  return settled_ms() + std::max(peak_ms(now_ms), 0.0);
}

}  // namespace muster
