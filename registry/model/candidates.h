// Finds the assets that are roots and registries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// The first object of an asset begins within this many bytes.
inline constexpr std::uint64_t kObjectHeadBytes = 16ULL * 1024;

/// Maps each root and registry of a project to the name of its class: `kRootClass`, or the name in
/// its declaration. Adds to `problems` the unreadable files that may be a root or registry. These
/// are files that mention the script of a root or registry class, and assets without text (a Git
/// LFS pointer, or in binary form), unless readable data shows that the asset has another class.
std::map<AssetNumber, std::string> find_candidates(const Project& project,
                                                   const std::vector<ClassDeclaration>& classes,
                                                   std::vector<ModelProblem>& problems);

/// The registry class that a script is or derives from, or `kRootClass`; empty if none exists.
/// Component classes are excluded (`find_component_registries`).
std::string registry_class_of(const Project& project, const std::vector<ClassDeclaration>& classes,
                              const Guid& script);

}  // namespace muster
