#include "runtime/sync/view_claim.h"

#include <algorithm>
#include <cmath>

namespace muster {
namespace {

/// The tolerance for rounding errors in sums of fractions, which are sent in 1/4096.
constexpr double kRounding = 1.0 / 256;
constexpr std::uint32_t kDistanceMax = 255;
/// On a link without jitter, the lateness of the newest snapshot is the interval plus this number
/// of ticks.
constexpr double kNoJitterTicks = 0.4;
/// A command number that differs by more than this number from the last command number begins a new
/// sequence.
constexpr std::int32_t kStepMax = 64;

/// Returns the view at a time in ticks. The view blends the states of the two nearest whole ticks.
ViewTime at_ticks(double ticks) {
  const double whole = std::floor(std::max(ticks, 0.0));
  const auto fraction = static_cast<float>(std::max(ticks, 0.0) - whole);
  return ViewTime::at(Tick(static_cast<std::uint32_t>(whole)), std::min(fraction, 1.0F));
}

}  // namespace

std::string_view to_string(ClaimVerdict verdict) {
  constexpr std::array<std::string_view, kClaimVerdicts> kNames = {
      "accepted", "missing", "unreceived", "ahead", "behind", "too old", "off course", "wide"};
  return kNames[static_cast<std::size_t>(verdict)];
}

ViewClaim make_claim(Tick newest, Tick from, Tick to, double shown_ticks) {
  to = std::min(to, newest);
  from = std::max(std::min(from, to), Tick(to.value() - std::min(to.value(), kDistanceMax)));
  const double span = in_ticks(to) - in_ticks(from);
  const double share = span > 0 ? (shown_ticks - in_ticks(from)) / span : 0;
  if (share >= 1) return {.newest = newest, .to = to, .from = to, .fraction = 0};
  constexpr double kSteps = 1U << kClaimFractionBits;
  const double step = std::min(std::round(std::max(share, 0.0) * kSteps), kSteps - 1);
  return {.newest = newest,
          .to = to,
          .from = from,
          .fraction = static_cast<std::uint16_t>(step * (65536 / kSteps))};
}

void ViewClaims::advance(CommandNumber command) {
  const std::int32_t step = command_steps(command_, command);
  if (!has_begun_ || step > kStepMax || step < -kStepMax) {
    has_begun_ = true;
    has_course_ = false;
    newest_ = {};
    step_ = 0;
  } else {
    step_ = std::max(step, 0);
  }
  if (step_ > 0 || !has_course_) command_ = command;
  time_ += step_;
}

void ViewClaims::note_newest(Tick newest) {
  const double now = in_ticks(newest) - time_;
  const double interval = options_.snapshot_ticks;
  const double rewind_max = options_.rewind_ticks_max;
  if (newest_ == Tick()) {
    // At the first command, assumes a lateness of one snapshot interval.
    best_ = now;
    behind_ = interval;
    newest_ = newest;
    return;
  }
  if (steps_between(newest_, newest) > options_.outage_ticks) has_course_ = false;
  best_ = std::max(best_ - options_.lead_rate_max * step_, now);
  // The lateness immediately before this command, when `newest_` was still the newest snapshot.
  const double gap = best_ - (in_ticks(newest_) - time_);
  const double forgotten =
      std::max(options_.forget_rate, (behind_ - interval) / options_.forget_ticks);
  behind_ = std::max(behind_ - forgotten * step_, std::min(gap, rewind_max));
  newest_ = std::max(newest_, newest);
}

void ViewClaims::follow(double used) {
  // While a view waits at the newest snapshot, the claim does not show which of the two predicted
  // views the client follows.
  const bool is_waiting = used >= high_ - kRounding && course_ > used;
  if (!is_waiting && course_ != stopped_course_) {
    const bool has_stopped = std::abs(used - stopped_course_) < std::abs(used - course_);
    course_ = has_stopped ? stopped_course_ : course_;
    stopped_course_ = course_;
  }
  const double rate = options_.rate_max * step_;
  if (!is_waiting) course_ += std::clamp(used - course_, -rate, rate);
  stopped_course_ += std::clamp(used - stopped_course_, -rate, rate);
}

CheckedView ViewClaims::check(const ViewClaim* claim, const ClaimContext& context) {
  advance(context.command);
  ClaimVerdict verdict = ClaimVerdict::accepted;
  if (claim != nullptr) {
    const Tick newest = std::clamp(
        claim->newest, std::min(context.received_min, context.received_max), context.received_max);
    if (newest != claim->newest) verdict = ClaimVerdict::unreceived;
    note_newest(newest);
  }
  const double now = context.now.value();
  const double oldest = std::max(now - options_.rewind_ticks_max, 0.0);
  high_ = std::min(in_ticks(newest_), now);
  const double jitter = behind_ - options_.snapshot_ticks - kNoJitterTicks;
  const double delay_slack =
      options_.delay_slack_ticks + std::clamp(2 * jitter, 0.0, options_.jitter_slack_ticks);
  low_ = std::max(oldest, std::min(time_ + best_ - behind_ - delay_slack, high_));
  high_ = std::max(high_, low_);
  course_ += step_;
  stopped_course_ = std::min(stopped_course_ + step_, high_);
  if (claim == nullptr) {
    const double assumed = has_course_ ? stopped_course_ : high_;
    return finish(std::clamp(assumed, low_, high_), nullptr, ClaimVerdict::missing);
  }
  const double claimed = claim->ticks();
  double used = claimed;
  const auto limit = [&](double low, double high, ClaimVerdict older, ClaimVerdict newer) {
    const double limited = std::clamp(used, low, high);
    if (std::abs(limited - used) > kRounding && verdict == ClaimVerdict::accepted) {
      verdict = limited > used ? older : newer;
    }
    used = limited;
  };
  limit(oldest, std::max(now, oldest), ClaimVerdict::too_old, ClaimVerdict::ahead);
  limit(low_, high_, ClaimVerdict::behind, ClaimVerdict::ahead);
  if (has_course_) {
    const double slack = options_.course_slack_ticks;
    const double low = std::clamp(stopped_course_ - slack, low_, high_);
    const double high = std::clamp(std::max(course_, stopped_course_) + slack, low, high_);
    limit(low, high, ClaimVerdict::off_course, ClaimVerdict::off_course);
    follow(used);
  } else {
    has_course_ = true;
    course_ = used;
    stopped_course_ = used;
  }
  return finish(used, claim, verdict);
}

CheckedView ViewClaims::finish(double ticks, const ViewClaim* claim, ClaimVerdict verdict) {
  CheckedView checked{.view = at_ticks(ticks), .verdict = verdict};
  if (claim != nullptr) {
    checked.shift_ticks = ticks - claim->ticks();
    const auto span = steps_between(claim->from, claim->to);
    const bool is_inside = in_ticks(claim->from) <= ticks && ticks <= in_ticks(claim->to);
    if (is_inside && span <= options_.blend_ticks_max && claim->to <= newest_) {
      checked.view = claim->view();
      if (verdict != ClaimVerdict::accepted && span > 0) {
        checked.view.fraction =
            static_cast<float>((ticks - in_ticks(claim->from)) / static_cast<double>(span));
      }
    } else if (verdict == ClaimVerdict::accepted && span > options_.blend_ticks_max) {
      checked.verdict = ClaimVerdict::wide;
    }
  }
  ++counts_[static_cast<std::size_t>(checked.verdict)];
  return checked;
}

}  // namespace muster
