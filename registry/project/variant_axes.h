// Along which axes assets vary: the section `variants` of `muster.yaml`.
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
  std::optional<std::uint16_t> default_value;  ///< What holds when nobody chooses.
  bool is_chosen_at_build = false;             ///< Else the game chooses while it runs.
};

/// A value that somebody asks for by its name.
struct VariantWish {
  std::string axis;
  std::string value;
  friend bool operator==(const VariantWish&, const VariantWish&) = default;
};

/// Bounds that a catalog has, too: a game asks for few axes of few values.
inline constexpr std::size_t kVariantAxesMax = 8;
inline constexpr std::size_t kVariantValuesMax = 256;  ///< Of all axes together.

/// Reads the section. Fails with `malformed`, naming the line of `muster.yaml`.
Result<std::vector<VariantAxis>> read_variant_axes(const yaml::Tree& tree, yaml::NodeIndex mapping);

/// The axis with this name; nothing when there is none.
std::optional<std::uint16_t> find_axis(std::span<const VariantAxis> axes, std::string_view name);
/// The value of an axis; nothing when it has none of this name.
std::optional<std::uint16_t> find_value(const VariantAxis& axis, std::string_view name);

/// What a build is made for: the wishes, and the defaults of axes that are chosen at build. Fails
/// with `invalid_argument` for an unknown axis or value, for an axis that is named twice, and for
/// one that is chosen at build when nothing says which.
Result<VariantKeys> choose_for_build(std::span<const VariantAxis> axes,
                                     std::span<const VariantWish> wishes);

/// "language=de,quality=low", in the order of the axes; empty for no keys.
std::string to_text(std::span<const VariantAxis> axes, std::span<const VariantKey> keys);

/// Reads "quality=low". Fails with `invalid_argument`.
Result<VariantWish> read_variant_wish(std::string_view text);

}  // namespace muster
