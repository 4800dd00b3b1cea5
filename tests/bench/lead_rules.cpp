// Written from descriptions of the rules, without their code.
#include "tests/bench/lead_rules.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <map>

#include "runtime/sync/clock_servo.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;

class ServoRule final : public LeadRule {
 public:
  ServoRule(double round_trip_ms, LeadWeight weight)
      : round_trip_ms_(round_trip_ms), servo_(60, weight) {}
  void receive(const ServerReport& report, double now_ms) override {
    const Time now = to_time(now_ms);
    if (!servo_.has_begun()) {
      servo_.begin({.tick = Tick(static_cast<std::uint32_t>(report.server_tick)),
                    .round_trip = to_time(round_trip_ms_) - Time{}},
                   now);
    }
    for (const ReceivedCommand& one : report.received) {
      servo_.note({.tick = Tick(static_cast<std::uint32_t>(one.tick)),
                   .early = to_time(one.early_ms) - Time{}},
                  now);
    }
  }
  double frame(double now_ms) override {
    static_cast<void>(servo_.due(to_time(now_ms)));
    return servo_.tick().value() + static_cast<double>(servo_.fraction());
  }
  unsigned long reseats() const override { return servo_.reseats(); }

 private:
  static Time to_time(double ms) {
    return Time(Duration(static_cast<Duration::rep>(std::llround(ms * 1e6))));
  }
  double round_trip_ms_;
  ClockServo servo_;
};

class N4eLead final : public LeadRule {
 public:
  explicit N4eLead(double round_trip_ms) : round_trip_ms_(round_trip_ms) {}
  void receive(const ServerReport& report, double now_ms) override {
    const auto tick = static_cast<double>(report.server_tick);
    if (!has_begun_) {
      has_begun_ = true;
      estimate_ = tick;
      predicted_ = tick + kSlack + std::ceil(round_trip_ms_ / kTickMs);
      frame_ms_ = now_ms;
    }
    estimate_ -= (estimate_ + (now_ms - frame_ms_) / kTickMs - tick) / 8;
    age_ = report.command_age_ticks;
    if (report.round_trip_ms > 0) round_trip_ms_ += (report.round_trip_ms - round_trip_ms_) / 8;
    for (long one = newest_ + 1; one <= report.server_tick; ++one) in_flight(one) = 0;
    newest_ = std::max(newest_, report.server_tick);
  }
  double frame(double now_ms) override {
    const double passed = (now_ms - frame_ms_) / kTickMs;
    frame_ms_ = now_ms;
    estimate_ += passed;
    const double round_trip = std::min(round_trip_ms_, 500.0);
    double age = age_ + kSlack;
    const auto ticks = std::min(static_cast<long>(round_trip / kTickMs), kInFlight);
    for (long i = 0; i < ticks; ++i) age -= in_flight(newest_ - i);
    const double seat = estimate_ + kSlack + std::ceil(round_trip / kTickMs);
    double error = age;
    if (std::abs(age) >= 10) {
      error = seat - predicted_ - passed;
      if (std::abs(error) > 10) {
        predicted_ = seat;
        corrections_.fill(0);
        ++reseats_;
        return predicted_;
      }
    }
    const double speed = std::clamp(1 + 0.1 * error, 0.9, 1.1);
    predicted_ += passed * speed;
    in_flight(newest_) += passed * (speed - 1);
    return predicted_;
  }
  unsigned long reseats() const override { return reseats_; }

 private:
  static constexpr double kSlack = 2;
  static constexpr long kInFlight = 64;
  double& in_flight(long tick) {
    return corrections_[static_cast<std::size_t>((tick + 1024 * kInFlight) % kInFlight)];
  }
  double round_trip_ms_;
  bool has_begun_ = false;
  double estimate_ = 0;
  double predicted_ = 0;
  double age_ = -kSlack;
  double frame_ms_ = 0;
  long newest_ = 0;
  std::array<double, kInFlight> corrections_{};
  unsigned long reseats_ = 0;
};

class FpsSampleLead final : public LeadRule {
 public:
  explicit FpsSampleLead(double round_trip_ms) { round_trips_.fill(round_trip_ms); }
  void receive(const ServerReport& report, double now_ms) override {
    server_tick_ = static_cast<double>(report.server_tick);
    received_ms_ = now_ms;
    acknowledged_ = std::max(acknowledged_, static_cast<double>(report.newest_command));
    if (report.round_trip_ms > 0) round_trip_ms_ = report.round_trip_ms;
    has_begun_ = true;
  }
  double frame(double now_ms) override {
    const double passed = is_seated_ ? (now_ms - frame_ms_) / kTickMs : 0;
    frame_ms_ = now_ms;
    if (round_trip_ms_ > 0) round_trips_[frames_++ % round_trips_.size()] = round_trip_ms_;
    double mean = 0;
    for (const double one : round_trips_) mean += one / static_cast<double>(round_trips_.size());
    predicted_ += passed * speed_;
    const double preferred =
        server_tick_ + std::floor((now_ms - received_ms_ + mean) / kTickMs) + 2;
    const double tick = std::floor(predicted_);
    if (!is_seated_ || tick < preferred - 3 || tick > preferred + 6) {
      if (is_seated_) ++reseats_;
      is_seated_ = true;
      predicted_ = preferred;
      speed_ = 1;
      return predicted_;
    }
    const double buffered = acknowledged_ - server_tick_;
    speed_ = 1;
    if (buffered < 2) speed_ = 1.01;
    if (buffered > 2) speed_ = 0.99;
    return predicted_;
  }
  unsigned long reseats() const override { return reseats_; }

 private:
  std::array<double, 120> round_trips_{};
  std::size_t frames_ = 0;
  bool has_begun_ = false;
  bool is_seated_ = false;
  double server_tick_ = 0;
  double received_ms_ = 0;
  double acknowledged_ = 0;
  double round_trip_ms_ = 0;
  double frame_ms_ = 0;
  double predicted_ = 0;
  double speed_ = 1;
  unsigned long reseats_ = 0;
};

class DdnetLead final : public LeadRule {
 public:
  explicit DdnetLead(double round_trip_ms) : round_trip_ms_(round_trip_ms) {}
  void receive(const ServerReport& report, double now_ms) override {
    if (!has_begun_) {
      has_begun_ = true;
      current_ms_ = static_cast<double>(report.server_tick) * kTickMs + round_trip_ms_;
      target_ms_ = current_ms_;
      at_ms_ = now_ms;
    }
    for (const ReceivedCommand& one : report.received) update(one, now_ms);
  }
  double frame(double now_ms) override {
    const double shown = std::max(at(now_ms) / kTickMs, shown_);
    for (long tick = static_cast<long>(shown_) + 1; tick <= static_cast<long>(shown); ++tick) {
      sent_[tick % kSent] = {tick, at(now_ms) - now_ms};
    }
    shown_ = shown;
    return shown_;
  }
  unsigned long reseats() const override { return 0; }

 private:
  static constexpr double kMarginMs = 10;
  static constexpr double kSpikeMs = 50;
  static constexpr long kSent = 1024;
  struct Sent {
    long tick = 0;
    double offset_ms = 0;
  };
  double at(double now_ms) const {
    const double passed = now_ms - at_ms_;
    const double current = current_ms_ + passed;
    const double target = target_ms_ + passed;
    const double speed = target > current ? speed_up_ : 0.3;
    return current + (target - current) * std::min(passed / 1000 * speed, 1.0);
  }
  void update(const ReceivedCommand& one, double now_ms) {
    const Sent& sent = sent_[one.tick % kSent];
    if (sent.tick != one.tick) return;
    if (one.early_ms < 0) {
      const bool is_spike = one.early_ms < -kSpikeMs;
      if (is_spike) spikes_ = std::min(spikes_ + 5, 50);
      if (is_spike && spikes_ < 15) return;
      if (speed_up_ < 30) speed_up_ *= 2;
    } else {
      if (spikes_ > 0) --spikes_;
      speed_up_ = std::max(speed_up_ * 0.95, 2.0);
    }
    current_ms_ = at(now_ms);
    target_ms_ = now_ms + sent.offset_ms - (one.early_ms - kMarginMs);
    at_ms_ = now_ms;
  }
  double round_trip_ms_;
  bool has_begun_ = false;
  double current_ms_ = 0;
  double target_ms_ = 0;
  double at_ms_ = 0;
  double speed_up_ = 0.3;
  int spikes_ = 0;
  double shown_ = 0;
  std::map<long, Sent> sent_;  ///< The key is the tick modulo `kSent`.
};

}  // namespace

const std::vector<std::string>& lead_rules() {
  static const std::vector<std::string> kNames = {"muster", "muster_quick", "n4e", "fpssample",
                                                  "ddnet"};
  return kNames;
}

std::unique_ptr<LeadRule> make_lead_rule(const std::string& name, double round_trip_ms) {
  if (name == "muster") {
    return std::make_unique<ServoRule>(round_trip_ms, LeadWeight::balanced);
  }
  if (name == "muster_quick") {
    return std::make_unique<ServoRule>(round_trip_ms, LeadWeight::quick);
  }
  if (name == "n4e") return std::make_unique<N4eLead>(round_trip_ms);
  if (name == "fpssample") return std::make_unique<FpsSampleLead>(round_trip_ms);
  assert(name == "ddnet");
  return std::make_unique<DdnetLead>(round_trip_ms);
}

}  // namespace muster
