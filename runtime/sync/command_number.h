// The number of a client's command.
#pragma once

#include <cstdint>

#include "registry/base/tick.h"

namespace muster {

/// Identifies one of a client's commands. A client gives each tick's command the next number. If
/// the server sets the pace (`CommandPacing::by_server`), the number is the tick that the command
/// is for. Numbers wrap, so they have no order: `command_steps` compares two numbers. 0 is not the
/// number of a command.
class CommandNumber {
 public:
  constexpr CommandNumber() = default;
  explicit constexpr CommandNumber(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  /// True for 0.
  constexpr bool is_none() const { return value_ == 0; }
  /// `next`, `previous`, `+` and `-` do not skip 0, so their result can be 0 after a wrap.
  /// Callers of `CommandSender::push` skip 0: the command number after 0xFFFFFFFF is 1.
  constexpr CommandNumber next() const { return CommandNumber(value_ + 1); }
  constexpr CommandNumber previous() const { return CommandNumber(value_ - 1); }
  friend constexpr CommandNumber operator+(CommandNumber number, std::uint32_t steps) {
    return CommandNumber(number.value_ + steps);
  }
  friend constexpr CommandNumber operator-(CommandNumber number, std::uint32_t steps) {
    return CommandNumber(number.value_ - steps);
  }
  friend constexpr bool operator==(CommandNumber, CommandNumber) = default;
  /// The number of steps from one command to another command; negative if `to` is earlier.
  friend constexpr std::int32_t command_steps(CommandNumber from, CommandNumber to) {
    return static_cast<std::int32_t>(to.value_ - from.value_);
  }

 private:
  std::uint32_t value_ = 0;
};

/// Returns the number of the command for a tick. Requires: `CommandPacing::by_server`.
constexpr CommandNumber command_of(Tick tick) { return CommandNumber(tick.value()); }
/// Returns the tick that a command is for. Requires: `CommandPacing::by_server`.
constexpr Tick tick_of(CommandNumber number) { return Tick(number.value()); }

}  // namespace muster
