// The time of a simulation, in whole steps.
#pragma once

#include <compare>
#include <cstdint>

namespace muster {

/// The number of a simulation step. The number has 32 bits and does not wrap while a game runs: at
/// 60 steps a second, it wraps after two years. Addition and subtraction wrap.
class Tick {
 public:
  constexpr Tick() = default;
  explicit constexpr Tick(std::uint32_t value) : value_(value) {}
  constexpr std::uint32_t value() const { return value_; }
  constexpr Tick next() const { return Tick(value_ + 1); }
  friend constexpr Tick operator+(Tick tick, std::uint32_t steps) {
    return Tick(tick.value_ + steps);
  }
  friend constexpr Tick operator-(Tick tick, std::uint32_t steps) {
    return Tick(tick.value_ - steps);
  }
  /// The steps from `earlier` to `later`, modulo 2^32. Use it if the order is known, or if the
  /// result must wrap.
  friend constexpr std::uint32_t operator-(Tick later, Tick earlier) {
    return later.value_ - earlier.value_;
  }
  friend constexpr auto operator<=>(Tick, Tick) = default;
  /// The steps from `from` to `to`; negative if `to` is earlier. Use it if the order is unknown.
  friend constexpr std::int64_t steps_between(Tick from, Tick to) {
    return std::int64_t{to.value_} - std::int64_t{from.value_};
  }

 private:
  std::uint32_t value_ = 0;
};

}  // namespace muster
