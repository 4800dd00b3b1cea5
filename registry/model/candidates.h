// Which assets are roots and registries.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// The first object of an asset is within its first lines.
inline constexpr std::uint64_t kObjectHeadBytes = 16ULL * 1024;

/// Gives each root and registry of a project the name of its class: `kRootClass`, or that of the
/// declaration it is found by. Adds to `problems` what cannot be told apart from a root or registry
/// because it cannot be read: a file that mentions the script of one, and an asset without text (a
/// Git LFS pointer, or in binary form) of which nothing that can be read says that it is none.
std::map<AssetNumber, std::string> find_candidates(const Project& project,
                                                   const std::vector<ClassDeclaration>& classes,
                                                   std::vector<ModelProblem>& problems);

/// The registry class that a script is or derives from, or `kRootClass`; empty when none.
/// Classes of components are not looked at (`find_component_registries`).
std::string registry_class_of(const Project& project, const std::vector<ClassDeclaration>& classes,
                              const Guid& script);

}  // namespace muster
