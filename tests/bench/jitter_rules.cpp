// Written from descriptions of the rules, without their code. RESULTS.md compares the results of
// the rules with the results of Muster's clocks.
#include "tests/bench/jitter_rules.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <deque>

#include "runtime/sync/jitter_buffer.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;

/// One of Muster's policies.
class PolicyRule final : public PlaybackRule {
 public:
  PolicyRule(double interval_ms, JitterPolicy policy, JitterWeight weight)
      : ticks_per_ms_(policy == JitterPolicy::quantile ? 1 : 1 / kTickMs) {
    const double interval = std::max(std::round(interval_ms * ticks_per_ms_), 1.0);
    buffer_ = make_jitter_buffer(
        {.ticks_per_second = static_cast<std::uint32_t>(std::lround(1000 * ticks_per_ms_)),
         .snapshot_ticks = static_cast<std::uint32_t>(interval),
         .policy = policy,
         .weight = weight});
  }
  void receive(double sent_ms, double now_ms, double /*arrived_ms*/) override {
    const double tick = std::round(sent_ms * ticks_per_ms_) + kFirstTick;
    buffer_->note(Tick(static_cast<std::uint32_t>(tick)), to_time(now_ms));
  }
  double frame(double now_ms) override {
    return (buffer_->shown(to_time(now_ms)) - kFirstTick) / ticks_per_ms_;
  }

 private:
  /// The first tick is so high that times before the first snapshot also have a tick.
  static constexpr double kFirstTick = 10'000;
  static Time to_time(double ms) {
    return Time(Duration(static_cast<Duration::rep>(std::llround(ms * 1e6))));
  }
  double ticks_per_ms_;
  std::unique_ptr<JitterBuffer> buffer_;
};

/// A shown time that moves towards a target with limited speed.
struct Follower {
  bool has_begun = false;
  double shown = 0;
  double last = 0;

  /// Returns the error before its correction. The first call starts at the target.
  double advance(double target, double now) {
    if (!has_begun) shown = target;
    if (!has_begun) last = now;
    has_begun = true;
    const double passed = now - last;
    last = now;
    shown += passed;
    passed_ms = passed;
    return target - shown;
  }
  void correct(double by) { shown += by; }
  double passed_ms = 0;
};

class FixedRule final : public PlaybackRule {
 public:
  FixedRule(double interval_ms, double intervals) : delay_ms_(interval_ms * intervals) {}
  void receive(double sent_ms, double now_ms, double /*arrived_ms*/) override {
    transits_.push_back({now_ms, now_ms - sent_ms});
    while (transits_.front().at < now_ms - 1000) transits_.pop_front();
  }
  double frame(double now_ms) override {
    double mean = 0;
    for (const Transit& one : transits_) mean += one.ms / static_cast<double>(transits_.size());
    const double error = clock_.advance(now_ms - mean - delay_ms_, now_ms);
    const double correction_max = 0.05 * clock_.passed_ms;
    clock_.correct(std::abs(error) > 500 ? error
                                         : std::clamp(error, -correction_max, correction_max));
    return clock_.shown;
  }

 private:
  struct Transit {
    double at = 0;
    double ms = 0;
  };
  double delay_ms_;
  std::deque<Transit> transits_;
  Follower clock_;
};

/// An exponential mean and variance: alpha = 2 / (n + 1).
struct MovingMean {
  double alpha = 1;
  bool has_begun = false;
  double mean = 0;
  double variance = 0;

  void add(double value) {
    if (!has_begun) mean = value;
    const double difference = value - mean;
    mean += alpha * difference;
    if (has_begun) variance = (1 - alpha) * (variance + alpha * difference * difference);
    has_begun = true;
  }
};

class MirrorRule final : public PlaybackRule {
 public:
  explicit MirrorRule(double interval_ms)
      : interval_ms_(interval_ms),
        drift_{.alpha = 2 / (1000 / interval_ms + 1)},
        delivery_{.alpha = 2 / (2000 / interval_ms + 1)} {}
  void receive(double sent_ms, double now_ms, double /*arrived_ms*/) override {
    if (has_begun_) delivery_.add(now_ms - arrived_ms_);
    arrived_ms_ = now_ms;
    const double buffer_ms = 2 * interval_ms_ + std::sqrt(delivery_.variance);
    if (!has_begun_) {
      shown_ms_ = sent_ms - buffer_ms;
      frame_ms_ = now_ms;
      has_begun_ = true;
    }
    shown_ms_ = std::clamp(shown_ms_, sent_ms - 2 * buffer_ms, sent_ms);
    drift_.add(sent_ms - shown_ms_);
    const double drift = drift_.mean - buffer_ms;
    speed_ = 1;
    if (drift > interval_ms_) speed_ = 1.02;
    if (drift < -interval_ms_) speed_ = 0.96;
  }
  double frame(double now_ms) override {
    shown_ms_ += (now_ms - frame_ms_) * speed_;
    frame_ms_ = now_ms;
    return shown_ms_;
  }

 private:
  double interval_ms_;
  MovingMean drift_;
  MovingMean delivery_;
  bool has_begun_ = false;
  double arrived_ms_ = 0;
  double shown_ms_ = 0;
  double frame_ms_ = 0;
  double speed_ = 1;
};

/// Whole ticks of 60 Hz. The estimate of the newest snapshot's tick moves by an eighth of each
/// error.
class N4eRule final : public PlaybackRule {
 public:
  explicit N4eRule(double interval_ms)
      : net_ticks_(std::max(std::round(interval_ms / kTickMs), 1.0)),
        tick_gap_(net_ticks_),
        arrival_gap_(net_ticks_),
        delay_(2 * net_ticks_) {}
  void receive(double sent_ms, double now_ms, double /*arrived_ms*/) override {
    const double tick = std::ceil(sent_ms / kTickMs - 1e-9);
    if (!has_begun_) {
      estimate_ = tick;
      shown_ = tick - delay_;
      frame_ms_ = now_ms;
    } else {
      estimate_ -= (estimate_ + (now_ms - frame_ms_) / kTickMs - tick) / 8;
      tick_gap_ += 0.25 * (tick - newest_ - tick_gap_);
      tick_deviation_ += 0.25 * (std::abs(tick - newest_ - tick_gap_) - tick_deviation_);
      arrival_gap_ += 0.25 * ((now_ms - arrived_ms_) / kTickMs - arrival_gap_);
    }
    has_begun_ = true;
    newest_ = tick;
    arrived_ms_ = now_ms;
  }
  double frame(double now_ms) override {
    const double passed = (now_ms - frame_ms_) / kTickMs;
    frame_ms_ = now_ms;
    estimate_ += passed;
    const double seen = std::max(arrival_gap_, tick_gap_ + 1.25 * tick_deviation_);
    const double wanted = std::max(2 * net_ticks_, std::min(seen, 6 * net_ticks_));
    delay_ += std::clamp(wanted - delay_, -0.1 * passed, 0.1 * passed);
    const double error = estimate_ - delay_ - shown_ - passed;
    shown_ =
        error < 10 ? shown_ + passed * std::clamp(1 + 0.1 * error, 0.85, 1.1) : estimate_ - delay_;
    return shown_ * kTickMs;
  }

 private:
  double net_ticks_;
  double tick_gap_;
  double tick_deviation_ = 0;
  double arrival_gap_;
  double delay_;
  bool has_begun_ = false;
  double estimate_ = 0;
  double newest_ = 0;
  double shown_ = 0;
  double arrived_ms_ = 0;
  double frame_ms_ = 0;
};

class LightyearRule final : public PlaybackRule {
 public:
  explicit LightyearRule(double interval_ms) : interval_ms_(interval_ms) {}
  void receive(double sent_ms, double /*now_ms*/, double arrived_ms) override {
    const double transit = arrived_ms - sent_ms;
    if (!has_begun_) mean_ = transit;
    has_begun_ = true;
    double error = transit - mean_;
    mean_ += error / 12;
    if (jitter_ > 0) error = std::clamp(error, -3 * jitter_, 3 * jitter_);
    jitter_ += 0.02 * (std::abs(error) - jitter_);
  }
  double frame(double now_ms) override {
    const double delay = mean_ + 1.7 * interval_ms_ + 4 * jitter_ + kTickMs;
    const double error = clock_.advance(now_ms - delay, now_ms);
    if (std::abs(error) > 10 * kTickMs) {
      clock_.correct(error);
    } else if (std::abs(error) > kTickMs) {
      clock_.correct(clock_.passed_ms * 0.1 * error / (10 * kTickMs));
    }
    return clock_.shown;
  }

 private:
  double interval_ms_;
  bool has_begun_ = false;
  double mean_ = 0;
  double jitter_ = 0;
  Follower clock_;
};

class Quake3Rule final : public PlaybackRule {
 public:
  void receive(double sent_ms, double now_ms, double /*arrived_ms*/) override {
    const double offset = sent_ms - now_ms;
    newest_ms_ = sent_ms;
    const double error = std::abs(offset - offset_ms_);
    if (!has_begun_ || error > 500) {
      has_begun_ = true;
      offset_ms_ = offset;
      shown_ms_ = now_ms + offset;
      is_beyond_ = false;
    } else if (error > 100) {
      offset_ms_ = (offset_ms_ + offset) / 2;
    } else {
      offset_ms_ += is_beyond_ ? -2 : 1;
      is_beyond_ = false;
    }
  }
  double frame(double now_ms) override {
    const double wanted = now_ms + offset_ms_;
    is_beyond_ = is_beyond_ || wanted >= newest_ms_ - 5;
    shown_ms_ = std::max(shown_ms_, wanted);
    return shown_ms_;
  }

 private:
  bool has_begun_ = false;
  bool is_beyond_ = false;
  double offset_ms_ = 0;
  double newest_ms_ = 0;
  double shown_ms_ = 0;
};

}  // namespace

const std::vector<std::string>& playback_rules() {
  static const std::vector<std::string> kNames = {
      "muster",  "muster_quick", "muster_smooth", "seed_001",  "fpssample", "fixed_2",
      "fixed_3", "mirror",       "n4e",           "lightyear", "quake3"};
  return kNames;
}

std::unique_ptr<PlaybackRule> make_playback_rule(const std::string& name, double interval_ms) {
  const auto policy = [&](JitterPolicy chosen, JitterWeight weight = JitterWeight::balanced) {
    return std::make_unique<PolicyRule>(interval_ms, chosen, weight);
  };
  if (name == "muster") return policy(JitterPolicy::quantile);
  if (name == "muster_quick") return policy(JitterPolicy::quantile, JitterWeight::quick);
  if (name == "muster_smooth") return policy(JitterPolicy::quantile, JitterWeight::smooth);
  if (name == "seed_001") return policy(JitterPolicy::variance);
  if (name == "fpssample") return policy(JitterPolicy::newest);
  if (name == "fixed_2") return std::make_unique<FixedRule>(interval_ms, 2);
  if (name == "fixed_3") return std::make_unique<FixedRule>(interval_ms, 3);
  if (name == "mirror") return std::make_unique<MirrorRule>(interval_ms);
  if (name == "n4e") return std::make_unique<N4eRule>(interval_ms);
  if (name == "lightyear") return std::make_unique<LightyearRule>(interval_ms);
  assert(name == "quake3");
  return std::make_unique<Quake3Rule>();
}

}  // namespace muster
