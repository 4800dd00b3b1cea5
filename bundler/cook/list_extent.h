// How long the lists of a component are once overrides have changed them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "registry/project/prefab.h"

namespace muster {

/// What counts for one value of a component.
struct ValueReach {
  bool exists = true;              ///< False for an item behind the end of its list.
  bool is_in_layers = true;        ///< False for an item that an override removed or added.
  std::size_t first_override = 0;  ///< Overrides before this one changed an earlier item.
};

/// The length of a list, and the override that sets it.
struct ListLength {
  std::optional<std::size_t> items;          ///< Nothing when neither layers nor overrides say it.
  const PropertyOverride* set_by = nullptr;  ///< Null when the layers say it.
};

/// Reads a value of `NAME.Array.size`: a count from 0 up.
std::optional<std::size_t> list_size_in(const PropertyOverride& change);

/// Applies the overrides of one component to its lists: `NAME.Array.size` sets the length of a
/// list, and `NAME.Array.data[i]` changes an item that the list has. The overrides of one file take
/// effect together, sizes first, and those of an outer file after those of an inner one. Refers to
/// the component.
class ListExtents {
 public:
  explicit ListExtents(const SourceComponent& component) : component_(component) {}

  /// What counts for the value at a path with any number of lists on the way. Integers that are
  /// packed into one text have `element_bytes` each.
  ValueReach reach(std::string_view path, std::size_t element_bytes = 0) const;
  /// The length of the list at a path. Requires: the list itself counts (`reach`).
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
