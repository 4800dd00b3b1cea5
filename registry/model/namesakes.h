// Finds assets whose class only has the name of a registry class.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Removes from `found` (the assets whose class has the name of a root or registry class) those
/// without any of the fields of that class: `ItemRegistry` is a name that other games use too.
/// These stay: what a root lists, plain files, classes that the project declares itself, and a
/// registry in a project that has a script for what the class registers. Returns the removed ones
/// in the order of `found`.
std::vector<Namesake> take_namesakes(const Project& project,
                                     const std::vector<ClassDeclaration>& classes,
                                     std::map<AssetNumber, std::string>& found);

}  // namespace muster
