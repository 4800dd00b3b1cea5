#include "tests/bench/rule_clock.h"

#include <algorithm>
#include <cmath>

#include "runtime/sync/milliseconds.h"

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;
constexpr double kAgeShare = 1.0 / 8;
/// The same limit as in `ClockServo`: a frame of 200 ms.
constexpr std::uint32_t kTicksPerFrameMax = 12;
constexpr double kBelowOne = 0.999;

}  // namespace

void RuleClock::begin(const ServerTime& server, Time now) {
  origin_ = now;
  rule_ = make_lead_rule(name_, std::max(to_milliseconds(server.round_trip), 1.0));
  note_server(server, now);
}

void RuleClock::note_server(const ServerTime& server, Time now) {
  server_ = server;
  report_.server_tick = server.tick.value();
  report_.newest_command = server.newest_command.value();
  report_.round_trip_ms = to_milliseconds(server.round_trip);
  rule_->receive(report_, to_milliseconds(now - origin_));
  report_.received.clear();
}

void RuleClock::note(const CommandArrival& arrival, Time /*now*/) {
  const double early_ms = to_milliseconds(arrival.early);
  report_.command_age_ticks += kAgeShare * (-early_ms / kTickMs - report_.command_age_ticks);
  report_.received.push_back({.tick = arrival.tick.value(), .early_ms = early_ms});
}

std::uint32_t RuleClock::due(Time now) {
  predicted_ = rule_->frame(to_milliseconds(now - origin_));
  const auto reached = static_cast<std::uint32_t>(std::max(predicted_, 0.0));
  if (issued_ == 0) issued_ = reached;
  if (reached <= issued_) return 0;
  const std::uint32_t count = std::min(reached - issued_, kTicksPerFrameMax);
  issued_ = reached;
  return count;
}

float RuleClock::fraction() const {
  return static_cast<float>(std::clamp(predicted_ - issued_, 0.0, kBelowOne));
}

}  // namespace muster
