#include "registry/base/variant_keys.h"

#include <algorithm>

namespace muster {

bool fits(std::span<const VariantKey> keys, std::span<const VariantKey> choice) {
  return std::ranges::includes(choice, keys);
}

bool is_preferred(std::span<const VariantKey> first, std::span<const VariantKey> second) {
  if (first.size() != second.size()) return first.size() > second.size();
  return std::ranges::lexicographical_compare(first, second);
}

}  // namespace muster
