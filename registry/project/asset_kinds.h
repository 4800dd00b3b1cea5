// What an asset is for, told by its file's name or by its class.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace muster {

/// A kind of assets, as people call it.
struct AssetKind {
  std::string_view name;
  std::string_view extensions;  ///< In lower case, with a blank around each.
  std::string_view classes;     ///< The engine's, of what stands in an `.asset`; likewise.

  /// Whether assets of this kind are there to be seen or heard alone.
  enum class Presents : std::uint8_t {
    nothing,
    maybe,   ///< A mesh collides as well, an animation moves what is hit.
    always,  ///< A target without a screen goes without them where nobody says otherwise.
  };
  Presents presents = Presents::nothing;
};

/// All kinds but `other`, in the order of reports.
std::span<const AssetKind> asset_kinds();
/// The kind with this name; null when there is none.
const AssetKind* find_asset_kind(std::string_view name);

/// The name of the kind of what has a path, by its extension; `other` for what has no known one.
std::string_view kind_of(std::string_view path);
/// The name of the kind of what one of the engine's classes, or a plain file's, makes; empty for
/// any other class.
std::string_view kind_of_class(std::string_view class_name);

}  // namespace muster
