// Sequence numbers of 16 bits, as packets contain them. Sequence numbers wrap.
#pragma once

#include <cstdint>
#include <optional>

namespace muster {

/// The low 16 bits of a packet number. They wrap, so there is no `operator<`. Use `more_recent`, or
/// `widen` the numbers and compare the 32-bit results.
class Sequence {
 public:
  constexpr Sequence() = default;
  explicit constexpr Sequence(std::uint16_t value) : value_(value) {}
  /// Returns the low 16 bits of a 32-bit number.
  static constexpr Sequence of(std::uint32_t wide) {
    return Sequence(static_cast<std::uint16_t>(wide & 0xFFFFU));
  }
  constexpr std::uint16_t value() const { return value_; }
  /// The next number; 0 follows 65535.
  constexpr Sequence next() const { return Sequence(static_cast<std::uint16_t>(value_ + 1U)); }
  friend constexpr bool operator==(Sequence, Sequence) = default;

 private:
  std::uint16_t value_ = 0;
};

/// Returns the signed distance from `a` to `b` on the shorter way around the range: -32768 to
/// 32767.
constexpr std::int32_t distance(Sequence a, Sequence b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(b.value() - a.value()));
}

/// Returns true when `a` is after `b` on the shorter way around the range. If their distance is
/// exactly half of the range, neither number is more recent.
constexpr bool more_recent(Sequence a, Sequence b) { return distance(b, a) > 0; }

/// `widen` rejects a number at this or a larger distance from its baseline: a quarter of the range.
/// Numbers of an honest peer are far closer, so a rejected number is old or forged.
inline constexpr std::int32_t kWidenLimit = 16383;

/// Returns the 32-bit number nearest to `baseline` whose low 16 bits are `low`. Returns nothing
/// when the distance of this number from `baseline` is `kWidenLimit` or more, or when the number
/// does not fit in 32 bits.
constexpr std::optional<std::uint32_t> widen(Sequence low, std::uint32_t baseline) {
  const std::int32_t step = distance(Sequence::of(baseline), low);
  if (step >= kWidenLimit || step <= -kWidenLimit) return std::nullopt;
  const std::int64_t wide = std::int64_t{baseline} + step;
  if (wide < 0 || wide > std::int64_t{0xFFFFFFFF}) return std::nullopt;
  return static_cast<std::uint32_t>(wide);
}

}  // namespace muster
