// The kind of an asset, by its file name or class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster {

/// A kind of assets, with a name for users.
struct AssetKind {
  std::string_view name;
  std::string_view extensions;  ///< In lower case, with a blank on both sides of each.
  std::string_view classes;     ///< The engine's classes in an `.asset` file; same form.

  /// Whether assets of this kind only affect what players see and hear.
  enum class Presents : std::uint8_t {
    nothing,
    maybe,   ///< A mesh is also used for collisions, an animation moves hit boxes.
    always,  ///< By default left out for a target without a screen.
  };
  Presents presents = Presents::nothing;
};

/// All kinds except `other`, in the order of reports.
std::span<const AssetKind> asset_kinds();
/// The kind with this name; null if none exists.
const AssetKind* find_asset_kind(std::string_view name);

/// The name of the kind for a path, by its extension; `other` for an unknown one.
std::string_view kind_of(std::string_view path);
/// The name of the kind for an engine class or the class of a plain file; empty for other classes.
std::string_view kind_of_class(std::string_view class_name);

}  // namespace muster
