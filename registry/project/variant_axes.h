// The axes along which assets vary: the section `variants` of `muster.yaml`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/result.h"
#include "registry/base/variant_keys.h"
#include "registry/yaml/tree.h"

namespace muster {

/// One axis, such as the quality or the language. In `muster.yaml`:
///
///     variants:
///       platform: {values: [windows, linux], choose: build}
///       quality: {values: [low, high], default: high, choose: runtime}
struct VariantAxis {
  std::string name;
  std::vector<std::string> values;
  std::optional<std::uint16_t> default_value;  ///< Used without a choice.
  bool is_chosen_at_build = false;             ///< Otherwise the game chooses at run time.
};

/// A value that a user requests by name.
struct VariantWish {
  std::string axis;
  std::string value;
  friend bool operator==(const VariantWish&, const VariantWish&) = default;
};

/// Limits that a catalog shares; games need few axes with few values.
inline constexpr std::size_t kVariantAxesMax = 8;
inline constexpr std::size_t kVariantValuesMax = 256;  ///< For all axes together.

/// Parses the section. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<VariantAxis>> read_variant_axes(const yaml::Tree& tree, yaml::NodeIndex mapping);

/// The axis with this name; nothing if none exists.
std::optional<std::uint16_t> find_axis(std::span<const VariantAxis> axes, std::string_view name);
/// The value of an axis with this name; nothing if none exists.
std::optional<std::uint16_t> find_value(const VariantAxis& axis, std::string_view name);

/// The choice for a build: the wishes, and the defaults of axes that are chosen at build time.
/// Fails with `invalid_argument` for an unknown axis or value, for a repeated axis, and for an axis
/// that is chosen at build time but has neither a wish nor a default.
Result<VariantKeys> choose_for_build(std::span<const VariantAxis> axes,
                                     std::span<const VariantWish> wishes);

/// "language=de,quality=low", in the order of the axes; empty without keys.
std::string to_text(std::span<const VariantAxis> axes, std::span<const VariantKey> keys);

/// Parses "quality=low". Fails with `invalid_argument`.
Result<VariantWish> read_variant_wish(std::string_view text);

}  // namespace muster
