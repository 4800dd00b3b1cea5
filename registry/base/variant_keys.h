// The keys of variants, and the rule that selects one of several variants.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// One value of one axis, for example the value "de" of the axis "language". `axis` and `value` are
/// indices in the order of declaration.
struct VariantKey {
  std::uint16_t axis = 0;
  std::uint16_t value = 0;
  friend auto operator<=>(const VariantKey&, const VariantKey&) = default;
};

/// The keys of a variant or of a choice. The keys are sorted, and each axis has at most one key.
using VariantKeys = std::vector<VariantKey>;

/// Whether the choice contains all keys of a variant. A variant without keys fits every choice.
bool fits(std::span<const VariantKey> keys, std::span<const VariantKey> choice);

/// Whether the variant `first` is preferred to the variant `second`. Requires: both fit the same
/// choice. The variant with more keys is preferred. If the numbers of keys are equal, the variant
/// whose axes were declared earlier is preferred. For two different variants, exactly one of them
/// is preferred.
bool is_preferred(std::span<const VariantKey> first, std::span<const VariantKey> second);

}  // namespace muster
