// Creates the state that a build stores for the next one.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/incremental/input_hashes.h"

namespace muster {

/// The key that signs a build, for its state; all zero for none.
std::array<std::byte, 32> signer_of(const std::optional<SigningKey>& key);

/// The encoded state of a build whose parts are all staged. `earlier` is the previous state, or
/// null. The data of targets that were not built now are copied from it.
ByteVector state_of_build(const BuildRun& run, const BuildState* earlier, const InputHashes& hashes,
                          const BuildDictionaries& dictionaries,
                          const std::vector<TargetBuild>& builds);

}  // namespace muster
