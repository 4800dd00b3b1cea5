// Computes what it costs to load each prefab: the number of files, and the loaded bytes that the
// prefab does not need.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

/// The cost of loading one prefab. Sizes are sizes of source files.
struct PrefabLoad {
  std::string path;
  /// The number of files: its bundle and all bundles that must be open with it.
  std::uint64_t files = 1;
  std::uint64_t needed_bytes = 0;  ///< The size of all assets that the prefab reaches.
  std::uint64_t vain_bytes = 0;    ///< The size of all other assets in these files.
};

/// The median and the maximum of all prefabs, and the prefab with the maximum.
struct LoadSpread {
  std::uint64_t median = 0;
  std::uint64_t max = 0;
  /// The prefab with the maximum; the first by path if there are several. The text is empty if
  /// there are no prefabs.
  std::string worst;
};

struct LoadSummary {
  LoadSpread files;
  LoadSpread vain_bytes;
  std::vector<PrefabLoad> beyond;  ///< The prefabs that exceed the limit of files, sorted by path.
};

/// Summarises the costs of all prefabs. The result does not depend on the order of `loads`.
LoadSummary summarise(std::vector<PrefabLoad> loads, std::uint64_t files_max);

}  // namespace muster
