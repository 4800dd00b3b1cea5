// The cost of loading each prefab: files, and unneeded bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// One prefab. Bytes are those of source files.
struct PrefabLoad {
  std::string path;
  std::uint64_t files = 1;         ///< Its bundle and all files that must be open with it.
  std::uint64_t needed_bytes = 0;  ///< The bytes of everything that it reaches.
  std::uint64_t vain_bytes = 0;    ///< The other bytes in these files.
};

/// The median and the maximum of all prefabs, with the prefab of the maximum.
struct LoadSpread {
  std::uint64_t median = 0;
  std::uint64_t max = 0;
  std::string worst;  ///< The first by path with the maximum; empty for none.
};

struct LoadSummary {
  LoadSpread files;
  LoadSpread vain_bytes;
  std::vector<PrefabLoad> beyond;  ///< The prefabs that exceed the file limit; by path.
};

/// The result does not depend on the order of prefabs.
LoadSummary summarise(std::vector<PrefabLoad> loads, std::uint64_t files_max);

}  // namespace muster
