// Finds assets that may be roots or registries but cannot be read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// Adds a `textless` problem for each asset that may be a root or registry but cannot be read. Such
/// an asset is an `.asset` or plain file that is a Git LFS pointer, is binary, is too large, or
/// cannot be opened. An `.asset` file that ends before its object names a script is also such an
/// asset. Skips the assets in `found`. Reads the first bytes of assets without mentions.
void note_hidden_candidates(const Project& project, const std::vector<ClassDeclaration>& classes,
                            const std::map<AssetNumber, std::string>& found,
                            std::vector<ModelProblem>& problems);

/// True if a problem of the index may hide a root, a registry, or the script of a root or registry.
bool hides_candidate(const IndexProblem& problem);

/// True if the unreadable parts of the index may contain a script, or if several assets have the
/// script's guid. In both cases another problem explains why the script is missing.
bool may_hide_script(const AssetIndex& index, const Guid& script);

}  // namespace muster
