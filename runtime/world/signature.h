// Identifies an entity when a tick is computed several times. The identity does not depend on the
// entity's slot.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace muster {

/// Identifies an entity by its origin, for example "the third pellet of the shot that player 2
/// fired at tick 90". If a tick is computed again, on any machine, the entity gets the same
/// signature, even if the entity gets another id. The value 0 means that there is no signature.
///
///     constexpr Signature kShot("shot");
///     world.create({.signature = kShot.with(player).with(tick.value())});
///
/// The value is the 64-bit FNV-1a hash of the text, followed by the mixing step of splitmix64. Each
/// number is hashed in the same way, as 8 little-endian bytes.
class Signature {
 public:
  constexpr Signature() = default;
  explicit constexpr Signature(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (const char c : text) hash = step(hash, static_cast<unsigned char>(c));
    value_ = never_zero(mix(hash));
  }

  /// A signature that also depends on `number`, for example a player, a tick or an ordinal.
  constexpr Signature with(std::uint64_t number) const {
    std::uint64_t hash = value_;
    for (int i = 0; i < 8; ++i) hash = step(hash, (number >> (8 * i)) & 0xFFU);
    Signature result;
    result.value_ = never_zero(mix(hash));
    return result;
  }

  constexpr bool is_none() const { return value_ == 0; }
  constexpr std::uint64_t value() const { return value_; }
  friend constexpr auto operator<=>(const Signature&, const Signature&) = default;

 private:
  static constexpr std::uint64_t step(std::uint64_t hash, std::uint64_t byte) {
    return (hash ^ byte) * 0x100000001B3ULL;
  }
  static constexpr std::uint64_t mix(std::uint64_t hash) {
    hash = (hash ^ (hash >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    hash = (hash ^ (hash >> 27U)) * 0x94D049BB133111EBULL;
    return hash ^ (hash >> 31U);
  }
  static constexpr std::uint64_t never_zero(std::uint64_t hash) { return hash == 0 ? 1 : hash; }

  std::uint64_t value_ = 0;
};

}  // namespace muster
