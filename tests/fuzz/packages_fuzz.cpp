// The input is a package manifest. In the result, no folder occurs twice, and no folder is inside
// another folder.
#include <cstdint>
#include <set>
#include <string>

#include "registry/base/memory_file_system.h"
#include "registry/project/packages.h"
#include "tests/support/tree_invariants.h"

using namespace muster;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  MemoryFileSystem files;
  const std::string text(reinterpret_cast<const char*>(data), size);
  files.add("Packages/manifest.json", text);
  files.add("Packages/packages-lock.json", text);
  std::set<AssetPath> seen;
  for (const OutsideFolder& folder : outside_folders(files)) {
    yaml::require(seen.insert(folder.at).second, "each folder has a unique path");
    yaml::require(!folder.disk_path.empty(), "each folder has a location");
  }
  const Packages packages(files);
  yaml::require(packages.unread().size() <= 2, "a file is reported once");
  return 0;
}
