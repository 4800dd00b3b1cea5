// A project whose prefabs are read, but not its registries.
#pragma once

#include <string>
#include <vector>

#include "registry/project/prefab_flattener.h"

namespace muster::testing {

/// The index, scripts, sources and prefabs of a file system, for unit tests. This object cannot be
/// moved, because its members refer to each other. Requires: the folders can be listed.
class IndexedProject {
 public:
  explicit IndexedProject(const FileReader& files,
                          const std::vector<std::string>& folders = {"Assets"})
      : index_(indexed(files, folders)),
        scripts_(files, index_),
        sources_(files, index_),
        prefabs_(sources_, scripts_) {}
  IndexedProject(const IndexedProject&) = delete;
  IndexedProject& operator=(const IndexedProject&) = delete;

  const AssetIndex& index() const { return index_; }
  const Scripts& scripts() const { return scripts_; }
  const SourceCache& sources() const { return sources_; }
  const PrefabFlattener& prefabs() const { return prefabs_; }

  /// Returns the number of an asset; `kNoAsset` if no file with a sidecar has this path.
  AssetNumber number(const std::string& path) const {
    return index_.find(AssetPath::parse(path).value());
  }
  const SourcePrefab& flat(const std::string& path) const { return prefabs_.flatten(number(path)); }

 private:
  static AssetIndex indexed(const FileReader& files, const std::vector<std::string>& folders) {
    ProjectConfig config;
    for (const std::string& folder : folders) {
      config.folders.push_back(AssetPath::parse(folder).value());
    }
    return build_asset_index(files, config, 2, {}).value();
  }

  AssetIndex index_;
  Scripts scripts_;
  SourceCache sources_;
  PrefabFlattener prefabs_;
};

}  // namespace muster::testing
