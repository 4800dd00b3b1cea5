// Sequence numbers as they travel: 16 bits that wrap.
#pragma once

#include <cstdint>
#include <optional>

namespace muster {

/// The low 16 bits of a count of packets. It wraps, so it has no order of its own: use
/// `more_recent`, or `widen` it and compare the wide numbers.
class Sequence {
 public:
  constexpr Sequence() = default;
  explicit constexpr Sequence(std::uint16_t value) : value_(value) {}
  /// The 16 bits of a wide number that travel.
  static constexpr Sequence of(std::uint32_t wide) {
    return Sequence(static_cast<std::uint16_t>(wide & 0xFFFFU));
  }
  constexpr std::uint16_t value() const { return value_; }
  /// The one after this; 0 follows 65535.
  constexpr Sequence next() const { return Sequence(static_cast<std::uint16_t>(value_ + 1U)); }
  friend constexpr bool operator==(Sequence, Sequence) = default;

 private:
  std::uint16_t value_ = 0;
};

/// How far it is from `a` to `b`, the short way round: -32768 to 32767.
constexpr std::int32_t distance(Sequence a, Sequence b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(b.value() - a.value()));
}

/// True when `a` was counted after `b`, taking the short way round. Of two that lie exactly half
/// the range apart neither is more recent.
constexpr bool more_recent(Sequence a, Sequence b) { return distance(b, a) > 0; }

/// A number that lies this far from its baseline, or farther, is not believed. A quarter of the
/// range: an honest peer stays far below it, and a guess about an old or forged number is worse
/// than dropping it.
inline constexpr std::int32_t kWidenLimit = 16383;

/// Finds the wide number nearest to `baseline` that has the low bits `low`. Nothing when that is
/// `kWidenLimit` or more away, or would lie outside 32 bits.
constexpr std::optional<std::uint32_t> widen(Sequence low, std::uint32_t baseline) {
  const std::int32_t step = distance(Sequence::of(baseline), low);
  if (step >= kWidenLimit || step <= -kWidenLimit) return std::nullopt;
  const std::int64_t wide = std::int64_t{baseline} + step;
  if (wide < 0 || wide > std::int64_t{0xFFFFFFFF}) return std::nullopt;
  return static_cast<std::uint32_t>(wide);
}

}  // namespace muster
