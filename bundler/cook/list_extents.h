// Computes the length of a component's lists after overrides.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "registry/project/prefab_flattener.h"

namespace muster {

/// The layers and overrides that apply to one value of a component.
struct ValueReach {
  bool exists = true;        ///< False for an item beyond the end of its list.
  bool is_in_layers = true;  ///< False if an override has removed or added the item. In this case,
                             ///< the layers do not apply to the item.
  std::size_t first_override = 0;  ///< The index of the first override that applies to this item.
                                   ///< Earlier overrides changed an item that no longer exists.
};

/// The length of a list, and the override that sets it.
struct ListLength {
  /// The number of items; no value if neither a layer nor an override sets it.
  std::optional<std::size_t> items;
  /// The override that sets the length; null if a layer sets it.
  const PropertyOverride* set_by = nullptr;
};

/// Parses the value of an override of `NAME.Array.size`, which is a number of at least 0.
std::optional<std::size_t> list_size_in(const PropertyOverride& change);

/// Computes how the overrides of a component change its lists. `NAME.Array.size` sets the length of
/// a list, and `NAME.Array.data[i]` changes an existing item. The overrides of one file are applied
/// together: first the sizes, then the items. The overrides of an outer file are applied after the
/// overrides of an inner file. The component must outlive this object.
class ListExtents {
 public:
  explicit ListExtents(const SourceComponent& component) : component_(component) {}

  /// The layers and overrides that apply to the value at a path. The path may go through any number
  /// of lists. If integers are packed into one text, `element_bytes` is the size of each integer.
  ValueReach reach(std::string_view path, std::size_t element_bytes = 0) const;
  /// The length of the list at a path. Requires: the list exists, and `reach` is the result of the
  /// function `reach` for `list`.
  ListLength length(std::string_view list, const ValueReach& reach,
                    std::size_t element_bytes = 0) const;

 private:
  std::size_t group_end(std::size_t begin) const;
  const PropertyOverride* size_in(std::string_view list, std::size_t begin, std::size_t end) const;
  std::optional<std::size_t> layer_length(std::string_view list, std::size_t element_bytes) const;
  void step_into(std::string_view list, std::size_t index, std::size_t element_bytes,
                 ValueReach& reach) const;

  const SourceComponent& component_;
};

}  // namespace muster
