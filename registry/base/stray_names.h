// Files that desktops, editors, version control and network file systems leave in any folder.
#pragma once

#include <string_view>

namespace muster {

/// True for the name of a file or folder that a file manager, an editor, version control or a
/// network file system puts into folders of others: `.DS_Store`, `Thumbs.db`, `a~`, `.gitkeep`,
/// `.nfs0000...` and their like. It says nothing of what the folder is for, so it is neither
/// content nor a reason to refuse the folder.
bool is_stray_name(std::string_view name);

}  // namespace muster
