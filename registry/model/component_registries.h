// Registries that are components of game objects in prefabs and scenes, as Mirror's NetworkManager
// is. An asset is one registry, however many such components it has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Adds the prefabs and scenes with a component of a class that is declared as one (`is_component`)
/// to `found`, and those that change the entries of such a component in an instance of a prefab.
/// Adds to `problems` the files that refer to the class's script and cannot be parsed.
void find_component_registries(const Project& project, const std::vector<ClassDeclaration>& classes,
                               std::map<AssetNumber, std::string>& found,
                               std::vector<ModelProblem>& problems);

/// Where the entries of such a registry stand in its file.
struct ComponentEntries {
  std::vector<yaml::NodeIndex> lists;   ///< What stands under the class's list, whatever it is.
  std::vector<yaml::NodeIndex> single;  ///< Entries outside of lists, and overriding ones.
};

/// The entries in a prefab or scene that `find_component_registries` found.
/// Overrides in an instance add to the entries of its prefab and replace none of them.
ComponentEntries component_entries(const Project& project,
                                   const std::vector<ClassDeclaration>& classes,
                                   const ClassDeclaration& declaration, const SourceFile& source);

}  // namespace muster
