// Computes the length of a component's lists after overrides.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "registry/project/prefab.h"

namespace muster {

/// The sources that apply to one value of a component.
struct ValueReach {
  bool exists = true;              ///< False for an item beyond the end of its list.
  bool is_in_layers = true;        ///< False for an item that an override removed or added.
  std::size_t first_override = 0;  ///< Overrides before this one changed an earlier item.
};

/// The length of a list, and the override that sets it.
struct ListLength {
  std::optional<std::size_t> items;          ///< Nothing if neither layers nor overrides set it.
  const PropertyOverride* set_by = nullptr;  ///< Null if the layers set it.
};

/// Parses a value of `NAME.Array.size`: a count from 0.
std::optional<std::size_t> list_size_in(const PropertyOverride& change);

/// Applies the overrides of one component to its lists: `NAME.Array.size` sets the length of a
/// list, and `NAME.Array.data[i]` changes an existing item. The overrides of one file apply
/// together, sizes first. The overrides of an outer file apply after the overrides of an inner
/// file. Refers to the component.
class ListExtents {
 public:
  explicit ListExtents(const SourceComponent& component) : component_(component) {}

  /// The sources that apply to the value at a path, which may contain any number of lists. Integers
  /// that are packed into one text have `element_bytes` each.
  ValueReach reach(std::string_view path, std::size_t element_bytes = 0) const;
  /// The length of the list at a path. Requires: the list itself exists (`reach`).
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
