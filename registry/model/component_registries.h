// Finds registries that are components of game objects in prefabs and scenes, such as Mirror's
// NetworkManager. All such components of one asset together form one registry.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// Adds two kinds of prefabs and scenes to `found`: files with a component of a class that is
/// declared with `is_component`, and files with a prefab instance that overrides entries of such a
/// component. Adds to `problems` the files that refer to the class's script and cannot
/// be parsed.
void find_component_registries(const Project& project, const std::vector<ClassDeclaration>& classes,
                               std::map<AssetNumber, std::string>& found,
                               std::vector<ModelProblem>& problems);

/// The entries of a component registry in its file.
struct ComponentEntries {
  /// The values of the class's list key, whether they are lists or not.
  std::vector<yaml::NodeIndex> lists;
  /// The entries outside of lists, and the entries that overrides set.
  std::vector<yaml::NodeIndex> single;
};

/// The entries in a prefab or scene that `find_component_registries` has found. Overrides in a
/// prefab instance add entries and replace no entry of the prefab.
ComponentEntries component_entries(const Project& project,
                                   const std::vector<ClassDeclaration>& classes,
                                   const ClassDeclaration& declaration, const SourceFile& source);

}  // namespace muster
