// Makes the state that a build stores for the next build.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/incremental/input_hashes.h"

namespace muster {

/// The public key that belongs to a signing key; all zero without a key.
std::array<std::byte, 32> signer_of(const std::optional<SigningKey>& key);

/// Encodes the state of a build whose parts are all staged. `earlier` is the previous state, or
/// null. The data of targets that were not built now is copied from `earlier`.
ByteVector state_of_build(const BuildRun& run, const BuildState* earlier, const InputHashes& hashes,
                          const BuildDictionaries& dictionaries,
                          const std::vector<TargetBuild>& builds);

}  // namespace muster
