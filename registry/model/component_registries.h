// Finds registries that are components of game objects in prefabs and scenes, such as Mirror's
// NetworkManager. An asset is one registry, whatever the number of such components.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Adds to `found` the prefabs and scenes with a component of a class that is declared as a
/// component (`is_component`), and the prefabs and scenes that override entries of such a component
/// in a prefab instance. Adds to `problems` the files that refer to the class's script and cannot
/// be parsed.
void find_component_registries(const Project& project, const std::vector<ClassDeclaration>& classes,
                               std::map<AssetNumber, std::string>& found,
                               std::vector<ModelProblem>& problems);

/// The entries of such a registry in its file.
struct ComponentEntries {
  std::vector<yaml::NodeIndex> lists;   ///< The values of the class's list key, of any kind.
  std::vector<yaml::NodeIndex> single;  ///< Entries outside of lists, and overrides.
};

/// The entries in a prefab or scene that `find_component_registries` found. Overrides in an
/// instance are additional entries; they do not replace entries of the instance's prefab.
ComponentEntries component_entries(const Project& project,
                                   const std::vector<ClassDeclaration>& classes,
                                   const ClassDeclaration& declaration, const SourceFile& source);

}  // namespace muster
