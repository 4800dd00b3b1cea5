// Finds assets whose class only has the name of a registry class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Removes namesakes from `found`, which has the assets whose class has the name of a root or
/// registry class. A namesake is an asset without any of the fields of that class: other games also
/// use a name such as `ItemRegistry`. These assets are never removed: assets that a root lists,
/// plain files, assets of classes that the project declares itself, and registries in a project
/// that has a script for the component or the definition that the class registers. Returns the
/// removed assets in the order of `found`.
std::vector<Namesake> take_namesakes(const Project& project,
                                     const std::vector<ClassDeclaration>& classes,
                                     std::map<AssetNumber, std::string>& found);

}  // namespace muster
