// The time of a simulation, in whole steps.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The number of a simulation step. 32 bits do not wrap while a game runs: at 60 steps a second
/// they last for two years.
class Tick {
 public:
  constexpr Tick() = default;
  explicit constexpr Tick(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  constexpr Tick next() const { return Tick(value_ + 1); }
  friend constexpr auto operator<=>(Tick, Tick) = default;
  /// The steps from `from` to `to`; negative if `to` is earlier.
  friend constexpr std::int64_t steps_between(Tick from, Tick to) {
    return std::int64_t{to.value_} - std::int64_t{from.value_};
  }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace muster
