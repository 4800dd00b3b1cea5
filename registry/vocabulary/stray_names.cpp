#include "registry/vocabulary/stray_names.h"

#include <algorithm>
#include <array>

#include "registry/vocabulary/asset_path.h"

namespace muster {
namespace {

// In lower case: the disks that have most of these fold case.
constexpr std::array<std::string_view, 28> kNames = {
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
    ".p4ignore"};

// AppleDouble files, files that NFS or FUSE keep until the last process closes them, and the trash
// of a user.
constexpr std::array<std::string_view, 4> kBeginnings = {"._", ".nfs", ".fuse_hidden", ".trash-"};

}  // namespace

bool is_stray_name(std::string_view name) {
  const std::string lower = lower_ascii(name);
  // The engine's editor puts a sidecar beside every file of a build in its project.
  if (lower.ends_with(".meta")) return true;
  return std::ranges::find(kNames, lower) != kNames.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view begin) { return lower.starts_with(begin); });
}

}  // namespace muster
