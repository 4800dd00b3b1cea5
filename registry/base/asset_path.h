// A path inside a project.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "registry/base/result.h"

namespace muster {

/// A normalised path relative to the project's root. The path has forward slashes, no leading or
/// trailing slash, and no part that is empty, `.` or `..`, so it cannot leave the project. The
/// empty path is the root. The path has the same bytes as the path on the disk (no Unicode
/// normalisation).
class AssetPath {
 public:
  AssetPath() = default;

  /// Normalises `text`. Fails with `invalid_argument` if the path is absolute, leads out of the
  /// root, or contains a NUL byte or a backslash.
  static Result<AssetPath> parse(std::string_view text);

  /// Appends one name. Requires: `name` is a name that `FileReader::list` can return.
  AssetPath child(std::string_view name) const;

  AssetPath parent() const;
  std::string_view name() const;
  /// The part of the name after its last dot, without the dot; empty if there is no dot.
  std::string_view extension() const;
  /// The name without its extension.
  std::string_view stem() const;
  /// True if this path is `folder` or is below `folder`.
  bool is_within(const AssetPath& folder) const;

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  friend auto operator<=>(const AssetPath&, const AssetPath&) = default;

 private:
  std::string text_;
};

/// The text with the letters A to Z in lower case. Extensions are compared in this form.
std::string lower_ascii(std::string_view text);

/// True if a path has this extension, ignoring case. `extension` is in lower case, without the dot.
/// Case is ignored because the file systems of Windows and macOS ignore case.
bool has_extension(const AssetPath& path, std::string_view extension);

}  // namespace muster

template <>
struct std::hash<muster::AssetPath> {
  std::size_t operator()(const muster::AssetPath& path) const noexcept {
    return std::hash<std::string>{}(path.text());
  }
};
