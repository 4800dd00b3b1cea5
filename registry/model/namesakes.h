// Finds assets whose class has the same name as a registry class, but is a different class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// Removes namesakes from `found`, which contains the assets whose class has the name of a root or
/// registry class. A namesake is an asset of a different class with the same name. The asset has
/// none of the fields of the registry class. For example, other games also use the name
/// `ItemRegistry`. These assets are never removed: assets that a root lists, plain files, assets of
/// classes that the project declares itself, and registries in a project that has a script for the
/// class's component or definition. Returns the removed assets in the order of `found`.
std::vector<Namesake> extract_namesakes(const Project& project,
                                        const std::vector<ClassDeclaration>& classes,
                                        std::map<AssetNumber, std::string>& found);

}  // namespace muster
