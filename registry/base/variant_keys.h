// The keys of a variant, and which of several variants a choice takes.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// One value of one axis, such as the language "de": numbers in the order of their declaration.
struct VariantKey {
  std::uint16_t axis = 0;
  std::uint16_t value = 0;
  friend auto operator<=>(const VariantKey&, const VariantKey&) = default;
};

/// What a variant is for, or what has been chosen. Sorted; each axis at most once.
using VariantKeys = std::vector<VariantKey>;

/// Whether everything that a variant is for has been chosen. What is for nothing fits every choice.
bool fits(std::span<const VariantKey> keys, std::span<const VariantKey> choice);

/// Of two that fit one choice, whether the first is taken: the one with more keys; of as many, the
/// one whose axes were declared earlier. One of two different ones that fit always is.
bool is_preferred(std::span<const VariantKey> first, std::span<const VariantKey> second);

}  // namespace muster
