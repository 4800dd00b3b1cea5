// Which assets may be roots or registries for all that can be read of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// Adds to `problems`, as `textless`, each asset that cannot be told from a root or registry: an
/// `.asset` (or plain file) that is a Git LFS pointer, in binary form, refused by the operating
/// system or too large, and an `.asset` that ends before its object has named a script. Assets in
/// `found` are known already. Reads the heads of assets that mention nothing.
void note_hidden_candidates(const Project& project, const std::vector<ClassDeclaration>& classes,
                            const std::map<AssetNumber, std::string>& found,
                            std::vector<ModelProblem>& problems);

/// True when what a problem of the index hides may be a root, a registry, or the script of one.
bool hides_candidate(const IndexProblem& problem);

/// True when what the index could not read may hide a script, or when several assets have its guid:
/// that it is not found then has another reason, which is told.
bool may_hide_script(const AssetIndex& index, const Guid& script);

}  // namespace muster
