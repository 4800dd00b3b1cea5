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
/// The maximum lateness of one packet in the mean of the usual need.
constexpr double kUsualRiseMs = 100;
/// A packet that is later than this time was delayed by an outage, and is not added to the history.
/// When an outage ends, hundreds of such packets may arrive at once. These packets must not make
/// the delay longer.
constexpr double kOutageMs = 400;
/// A step of the usual need is detected if each of the last `kRecent` packets needed `kStepMs`
/// more, and if these packets arrived over a time of at least `kStepTimeMs`. Packets that were
/// delayed in a stall arrive in less time.
constexpr double kStepTimeMs = 300;
constexpr double kStepMs = 15;
constexpr double kPeakHalfLifeMs = 400;
/// The number of packets after which the estimate depends only on the history.
constexpr std::uint32_t kLearning = 20;
/// The additional delay of a link without a history.
constexpr double kUnknownMs = 30;

}  // namespace

DelayEstimate::DelayEstimate(const DelayEstimateOptions& options)
    : options_(options), history_(kHistoryValues, kHistoryMs) {
  choose_quantile();
}

void DelayEstimate::note(double needed_ms, double now_ms) {
  if (seen_ == 0) usual_ms_ = needed_ms;
  if (seen_ > 0) active_ms_ += std::clamp(now_ms - noted_at_ms_, 0.0, kSilenceMs);
  noted_at_ms_ = now_ms;
  const double late = needed_ms - usual_ms_;
  const double overshoot = late - beyond_ms_ - options_.margin_ms;
  const double rise = std::min(options_.peak_share * overshoot, options_.peak_max_ms);
  peak_ms_ = std::max(peak_ms(now_ms), rise);
  peak_at_ms_ = now_ms;
  recent_[seen_ % kRecent] = {.needed_ms = needed_ms, .at_ms = now_ms};
  ++seen_;
  const double share = std::max(1 / options_.usual_packets, 1.0 / seen_);
  if (late < kOutageMs) {
    history_.add(late, active_ms_);
    usual_ms_ += share * std::min(late, kUsualRiseMs);
  }
  follow_step(now_ms);
  choose_quantile();
}

void DelayEstimate::note_lost(double needed_ms) {
  const double late = needed_ms - usual_ms_;
  if (seen_ > 0 && late < kOutageMs) history_.add(late, active_ms_);
}

/// Follows a step of the usual need. The mean alone would need seconds to follow, and all packets
/// would count as late during this time. The history stores lateness, which is relative to the
/// usual need. So the entries of the packets after the step are reduced by the step.
void DelayEstimate::follow_step(double now_ms) {
  if (seen_ < kRecent) return;
  double lowest = recent_[0].needed_ms;
  double oldest = recent_[0].at_ms;
  for (const Recent& one : recent_) {
    lowest = std::min(lowest, one.needed_ms);
    oldest = std::min(oldest, one.at_ms);
  }
  const double step = lowest - usual_ms_;
  if (step <= kStepMs || now_ms - oldest < kStepTimeMs) return;
  usual_ms_ += step;
  const auto kept = static_cast<std::size_t>(std::ranges::count_if(
      recent_, [&](const Recent& one) { return one.needed_ms - usual_ms_ + step < kOutageMs; }));
  history_.shift_last(kept, -step);
  peak_ms_ = std::max(peak_ms_ - step, 0.0);
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

double DelayEstimate::settled_ms() const { return usual_ms_ + beyond_ms_ + options_.margin_ms; }

double DelayEstimate::wanted_ms(double now_ms) const {
  return settled_ms() + std::max(peak_ms(now_ms), 0.0);
}

}  // namespace muster
