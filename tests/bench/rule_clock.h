// Uses the lead rules of other systems as the clock of a client.
#pragma once

#include <memory>
#include <string>

#include "runtime/sync/command_clock.h"
#include "tests/bench/lead_rules.h"

namespace muster {

/// Runs a rule of `lead_rules.h`. The rules of `lead_rules.h` only support 60 ticks per second.
class RuleClock final : public CommandClock {
 public:
  /// Requires: `rule` is one of `lead_rules()`.
  explicit RuleClock(std::string rule) : name_(std::move(rule)) {}

  void begin(const ServerTime& server, Time now) override;
  void note_server(const ServerTime& server, Time now) override;
  void note(const CommandArrival& arrival, Time now) override;
  std::uint32_t due(Time now) override;
  Tick tick() const override { return Tick(issued_); }
  float fraction() const override;
  std::uint64_t reseats() const override { return rule_ ? rule_->reseats() : 0; }

 private:
  std::string name_;
  std::unique_ptr<LeadRule> rule_;
  Time origin_{};
  ServerTime server_;
  ServerReport report_;
  double predicted_ = 0;
  std::uint32_t issued_ = 0;
};

}  // namespace muster
