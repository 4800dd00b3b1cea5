// Whole builds inside a test.
#pragma once

#include "bundler/build/target_build.h"
#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// Builds a project as `muster build` does, into the root of `files`: opens it as an output, packs,
/// publishes. Fails as these fail.
Result<void> build_into(FileSystem& files, const Project& project, const BuildOptions& options);

/// The default of every axis that a project varies along: self-contained bundles leave no choice.
std::vector<VariantWish> defaults_of(const FileReader& project);

/// The files of a project's output, made for these where they are self-contained. Throws when the
/// project cannot be built.
MemoryFileSystem build_to_memory(const FileReader& project, const BuildOptions& options);

/// The components of `components.json`, or none.
std::vector<ComponentDescription> components_of(const Project& project);

}  // namespace muster::testing
