// Whole builds inside a test.
#pragma once

#include "bundler/pack/target_build.h"
#include "registry/vocabulary/memory_file_system.h"

namespace muster::testing {

/// Builds a project as `muster build` does, through a folder of its own on the disk, and returns
/// the files of the output. Throws when the project cannot be built.
MemoryFileSystem build_to_memory(const FileSystem& project, const BuildOptions& options);

/// The components of `components.json`, or none.
std::vector<ComponentDescription> components_of(const Project& project);

}  // namespace muster::testing
