// What it takes to load each prefab: files, and bytes that it does not need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// One prefab. Bytes are those of source files.
struct PrefabLoad {
  std::string path;
  std::uint64_t files = 1;         ///< Its bundle's, and all that must be open with it.
  std::uint64_t needed_bytes = 0;  ///< Of all that it reaches.
  std::uint64_t vain_bytes = 0;    ///< Of what lies beside that in these files.
};

/// A number of all prefabs: the middle one, and the largest with its prefab.
struct LoadSpread {
  std::uint64_t median = 0;
  std::uint64_t max = 0;
  std::string worst;  ///< The first by path, of those with the largest; empty for none.
};

struct LoadSummary {
  LoadSpread files;
  LoadSpread vain_bytes;
  std::vector<PrefabLoad> beyond;  ///< Those that need more files than wanted; by path.
};

/// Equal prefabs in any order give the same.
LoadSummary summarise(std::vector<PrefabLoad> loads, std::uint64_t files_max);

}  // namespace muster
