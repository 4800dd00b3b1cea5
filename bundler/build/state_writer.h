// What a build leaves for the next.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/dictionaries/build_dictionaries.h"
#include "bundler/incremental/input_hashes.h"

namespace muster {

/// The key that a build is signed with, for its state; all zero for none.
std::array<std::byte, 32> signer_of(const std::optional<SigningKey>& key);

/// The encoded state of a build whose parts are all staged. `earlier` is what it began with, or
/// null: it tells of targets that were not built now.
ByteVector state_of_build(const BuildRun& run, const BuildState* earlier, const InputHashes& hashes,
                          const BuildDictionaries& dictionaries,
                          const std::vector<TargetBuild>& builds);

}  // namespace muster
