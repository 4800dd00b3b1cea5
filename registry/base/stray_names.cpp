#include "registry/base/stray_names.h"

#include <algorithm>
#include <array>

#include "registry/base/asset_path.h"

namespace muster {
namespace {

// The names in lower case, because they are compared without case.
constexpr std::array<std::string_view, 30> kNames = {
    // macOS
    ".ds_store", ".localized", ".fseventsd", ".spotlight-v100", ".trashes", ".temporaryitems",
    ".documentrevisions-v100", ".volumeicon.icns", ".apdisk", "icon\r",
    // Windows
    "thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini", "$recycle.bin",
    "system volume information",
    // Linux desktops
    ".directory", ".hidden", ".trash",
    // version control
    ".git", ".gitkeep", ".gitignore", ".gitattributes", ".keep", ".svn", ".hg", ".hgignore",
    ".p4ignore", "cvs", ".bzr"};

// AppleDouble files, files that NFS or FUSE keep until the last process closes them, a user's
// trash, and lock files of Emacs.
constexpr std::array<std::string_view, 5> kBeginnings = {"._", ".nfs", ".fuse_hidden", ".trash-",
                                                         ".#"};

// Backup files of editors, and swap files of Vim.
bool is_of_editor(std::string_view name) {
  const bool is_swap = name.starts_with('.') && (name.ends_with(".swp") || name.ends_with(".swo"));
  const bool is_saved = name.size() > 2 && name.starts_with('#') && name.ends_with('#');
  return is_swap || is_saved || (name.size() > 1 && name.ends_with('~'));
}

}  // namespace

bool is_stray_name(std::string_view name) {
  const std::string lower = lower_ascii(name);
  // Unity creates a sidecar for every file of a build inside its project.
  if (lower.ends_with(".meta") || is_of_editor(lower)) return true;
  return std::ranges::find(kNames, lower) != kNames.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view begin) { return lower.starts_with(begin); });
}

}  // namespace muster
