// Assets whose class has the name of a registry class, and nothing else of one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Moves out of `found` (what has the class of a root or registry, by name) the assets that show
/// none of the fields by which that class is recognised: `ItemRegistry` is a name that other games
/// use too. Whatever a root lists stays; so do plain files and the classes that a project declares
/// itself, which say what they are, and a registry in a project that has a script of what the class
/// registers. Returns them in the order of `found`.
std::vector<Namesake> take_namesakes(const Project& project,
                                     const std::vector<ClassDeclaration>& classes,
                                     std::map<AssetNumber, std::string>& found);

}  // namespace muster
