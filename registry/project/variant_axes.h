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
  /// The index of the value that is used without a choice.
  std::optional<std::uint16_t> default_value;
  bool is_chosen_at_build = false;  ///< If false, the game chooses at run time.
};

/// A value that a user requests by name.
struct VariantWish {
  std::string axis;
  std::string value;
  friend bool operator==(const VariantWish&, const VariantWish&) = default;
};

/// The maximum number of axes, also in a catalog.
inline constexpr std::size_t kVariantAxesMax = 8;
/// The maximum number of values of all axes together, also in a catalog.
inline constexpr std::size_t kVariantValuesMax = 256;

/// Parses the section. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<VariantAxis>> read_variant_axes(const yaml::Tree& tree, yaml::NodeIndex mapping);

/// The index of the axis with this name; nullopt if none exists.
std::optional<std::uint16_t> find_axis(std::span<const VariantAxis> axes, std::string_view name);
/// The index of the value with this name on an axis; nullopt if none exists.
std::optional<std::uint16_t> find_value(const VariantAxis& axis, std::string_view name);

/// The choice for a build: the wishes, and the defaults of all other axes that are chosen at build
/// time. Fails with `invalid_argument` for an unknown axis or value, for two wishes on one axis,
/// and for an axis that is chosen at build time but has neither a wish nor a default.
Result<VariantKeys> choose_for_build(std::span<const VariantAxis> axes,
                                     std::span<const VariantWish> wishes);

/// The keys as text, in the order of the axes. For example, "language=de,quality=low". Empty
/// without keys.
std::string to_text(std::span<const VariantAxis> axes, std::span<const VariantKey> keys);

/// Parses an axis and a value, for example "quality=low". Fails with `invalid_argument`.
Result<VariantWish> read_variant_wish(std::string_view text);

}  // namespace muster
