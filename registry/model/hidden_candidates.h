// Finds assets that may be roots or registries but cannot be read.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Adds to `problems`, as `textless`, each asset that cannot be distinguished from a root or
/// registry: an `.asset` (or plain file) that is a Git LFS pointer, in binary form, refused by the
/// operating system or too large, and an `.asset` that ends before its object has named a script.
/// Skips the assets in `found`. Reads the heads of assets without mentions.
void note_hidden_candidates(const Project& project, const std::vector<ClassDeclaration>& classes,
                            const std::map<AssetNumber, std::string>& found,
                            std::vector<ModelProblem>& problems);

/// True if a problem of the index may hide a root, a registry, or the script of one.
bool hides_candidate(const IndexProblem& problem);

/// True if the unreadable parts of the index may contain a script, or if several assets have its
/// guid. Then its absence has another cause, which is reported.
bool may_hide_script(const AssetIndex& index, const Guid& script);

}  // namespace muster
