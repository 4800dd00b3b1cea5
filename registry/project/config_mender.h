// Corrects the case of paths in `muster.yaml`.
#pragma once

#include <optional>
#include <string>

#include "registry/base/file_system.h"

namespace muster {

/// The path on the disk that equals `path` apart from case; nothing if none exists or more than
/// one.
std::optional<AssetPath> path_in_any_case(const FileReader& files, const AssetPath& path);

/// The text of `muster.yaml` with `folders` and `components` in the case of the disk. Nothing if
/// there is no change, or if the file cannot be read (which is reported elsewhere). The rest of the
/// text is unchanged.
std::optional<std::string> mended_config(const FileReader& files);

}  // namespace muster
