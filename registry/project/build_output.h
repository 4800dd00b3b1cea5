// Detects builds inside a project. A build can be in `StreamingAssets`, because Unity copies the
// files in this folder unchanged to the game.
#pragma once

#include <span>
#include <string_view>

#include "registry/base/asset_path.h"
#include "registry/base/file_system.h"

namespace muster {

/// The name of a file at the top of every build's output.
inline constexpr std::string_view kStateName = ".muster-state";

/// Whether a build may be written to this path of a project: `Assets/StreamingAssets`, or a folder
/// below it.
bool may_hold_build(const AssetPath& path);

/// Whether a folder of a project is a build's output, which is not content. `entries` lists the
/// folder.
bool is_build_output(const AssetPath& folder, std::span<const DirectoryEntry> entries);

}  // namespace muster
