// Finds the assets that are roots and registries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// The first object of an asset begins in the first 16 KiB of the file.
inline constexpr std::uint64_t kObjectHeadBytes = 16ULL * 1024;

/// Maps each root and registry of a project to its class name: `kRootClass`, or the name of a
/// declared class. Adds to `problems` the unreadable files that may be a root or registry. A file
/// may be a root or registry if it mentions the script of such a class. An asset without text (a
/// Git LFS pointer or a binary file) may also be a root or registry, unless readable data shows
/// that it has another class.
std::map<AssetNumber, std::string> find_candidates(const Project& project,
                                                   const std::vector<ClassDeclaration>& classes,
                                                   std::vector<ModelProblem>& problems);

/// The registry class for a script: the script's class is this class or derives from it. The result
/// is `kRootClass` for the script of a root, and empty for other scripts. Ignores classes with
/// `is_component`: `find_component_registries` handles them.
std::string registry_class_of(const Project& project, const std::vector<ClassDeclaration>& classes,
                              const Guid& script);

}  // namespace muster
