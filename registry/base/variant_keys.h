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

/// Whether the first of two variants that fit a choice is preferred: the one with more keys; for an
/// equal number, the one whose axes were declared earlier. For two different variants that fit,
/// exactly one is preferred.
bool is_preferred(std::span<const VariantKey> first, std::span<const VariantKey> second);

}  // namespace muster
