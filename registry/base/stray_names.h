// Recognises files that desktops, editors, version control and network file systems leave in any
// folder.
#pragma once

#include <string_view>

namespace muster {

/// True for files and folders that a file manager, an editor, version control or a network file
/// system creates in any folder: `.DS_Store`, `Thumbs.db`, `a~`, `.gitkeep`, `.nfs0000...` and
/// similar. Such files are not content, and a folder with only such files counts as empty.
bool is_stray_name(std::string_view name);

}  // namespace muster
