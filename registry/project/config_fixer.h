// Corrects the case of paths in `muster.yaml`.
#pragma once

#include <optional>
#include <string>

#include "registry/base/file_system.h"

namespace muster {

/// The path on the disk that is equal to `path` if case is ignored. The result is nullopt if no
/// such path exists, or if several such paths exist.
std::optional<AssetPath> path_in_any_case(const FileReader& files, const AssetPath& path);

/// The text of `muster.yaml` in which `folders` and `components` have the case of the paths on the
/// disk. The rest of the text is unchanged. The result is nullopt if nothing changes, or if the
/// file cannot be read.
std::optional<std::string> fixed_config(const FileReader& files);

}  // namespace muster
