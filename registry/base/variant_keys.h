// The keys of a variant, and the rule that selects one of several variants.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// One value of one axis, such as the language "de". Both are indices in declaration order.
struct VariantKey {
  std::uint16_t axis = 0;
  std::uint16_t value = 0;
  friend auto operator<=>(const VariantKey&, const VariantKey&) = default;
};

/// The keys of a variant, or of a choice. Sorted; each axis at most once.
using VariantKeys = std::vector<VariantKey>;

/// Whether the choice contains all keys of a variant. A variant without keys fits every choice.
bool fits(std::span<const VariantKey> keys, std::span<const VariantKey> choice);

/// Whether `first` is preferred to `second`, if both fit a choice. The variant with more keys is
/// preferred. With equally many keys, it is the variant whose axes were declared earlier. Exactly
/// one of two different variants that fit is preferred.
bool is_preferred(std::span<const VariantKey> first, std::span<const VariantKey> second);

}  // namespace muster
