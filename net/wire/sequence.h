// Sequence numbers as sent: 16 bits that wrap.
#pragma once

#include <cstdint>
#include <optional>

namespace muster {

/// The low 16 bits of a packet count. It wraps, so it has no order: use `more_recent`, or `widen`
/// it and compare the wide numbers.
class Sequence {
 public:
  constexpr Sequence() = default;
  explicit constexpr Sequence(std::uint16_t value) : value_(value) {}
  /// Returns the 16 bits of a wide number that are sent.
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

/// The signed distance from `a` to `b`, the shorter way round: -32768 to 32767.
constexpr std::int32_t distance(Sequence a, Sequence b) {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(b.value() - a.value()));
}

/// True when `a` comes after `b` on the shorter way round. Two numbers exactly half the range apart
/// have no order: neither is more recent.
constexpr bool more_recent(Sequence a, Sequence b) { return distance(b, a) > 0; }

/// `widen` rejects a number at this distance from its baseline or farther. It is a quarter of the
/// range. Numbers of an honest peer are far closer. A number beyond it is old or forged, and
/// dropping it is better than guessing.
inline constexpr std::int32_t kWidenLimit = 16383;

/// Returns the wide number nearest to `baseline` with the low 16 bits `low`. Returns nothing when
/// it is `kWidenLimit` or more away, or outside 32 bits.
constexpr std::optional<std::uint32_t> widen(Sequence low, std::uint32_t baseline) {
  const std::int32_t step = distance(Sequence::of(baseline), low);
  if (step >= kWidenLimit || step <= -kWidenLimit) return std::nullopt;
  const std::int64_t wide = std::int64_t{baseline} + step;
  if (wide < 0 || wide > std::int64_t{0xFFFFFFFF}) return std::nullopt;
  return static_cast<std::uint32_t>(wide);
}

}  // namespace muster
