// Paths in `muster.yaml` that are spelled in another case than on the disk.
#pragma once

#include <optional>
#include <string>

#include "registry/base/file_system.h"

namespace muster {

/// The path that is there under `path`, in whatever case each of its names is; nothing when there
/// is none, or when there are several.
std::optional<AssetPath> path_in_any_case(const FileReader& files, const AssetPath& path);

/// The text of `muster.yaml` with `folders` and `components` as they are on the disk; nothing when
/// that changes nothing, or when the file cannot be read (which others tell). What stands around
/// the paths stays as it is.
std::optional<std::string> mended_config(const FileReader& files);

}  // namespace muster
