// Determines the kind of an asset from its file name or class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster {

/// A kind of assets.
struct AssetKind {
  std::string_view name;  ///< The name that users write and read.
  /// The extensions in lower case, each with a space before and after it.
  std::string_view extensions;
  std::string_view classes;  ///< The engine's classes for `.asset` files, in the same form.

  /// Whether assets of this kind affect only pictures and sound.
  enum class Presents : std::uint8_t {
    nothing,
    maybe,   ///< The simulation may also use the asset. For example, a mesh is used for collisions.
    always,  ///< It affects only pictures and sound; by default, servers leave it out.
  };
  Presents presents = Presents::nothing;
};

/// All kinds except `other`, in the order of reports.
std::span<const AssetKind> asset_kinds();
/// The kind with this name; null if none exists.
const AssetKind* find_asset_kind(std::string_view name);

/// The name of the kind for a path's extension; `other` for an unknown extension.
std::string_view kind_of(std::string_view path);
/// The name of the kind for an engine class or the class of a plain file; empty for other classes.
std::string_view kind_of_class(std::string_view class_name);

}  // namespace muster
