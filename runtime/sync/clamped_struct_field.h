// A field of a command or message that was clamped.
#pragma once

#include <string_view>

namespace muster {

/// A field whose value was outside its described range. The receiver gets the value that
/// `bring_into_range` returns.
struct ClampedStructField {
  std::string_view type;
  std::string_view field;
  friend bool operator==(const ClampedStructField&, const ClampedStructField&) = default;
};

}  // namespace muster
