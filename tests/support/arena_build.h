// Builds whole projects inside a test.
#pragma once

#include "bundler/build/target_build.h"
#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// Builds a project into the root of `files`, with the same steps as `muster build`. Fails when one
/// of the steps fails.
Result<void> build_into(FileSystem& files, const Project& project, const BuildOptions& options);

/// Returns the default value of each variant axis of a project, which self-contained bundles need.
std::vector<VariantWish> defaults_of(const FileReader& project);

/// Builds a project and returns the output files. Self-contained bundles use the default variants.
/// Throws if the build fails.
MemoryFileSystem build_to_memory(const FileReader& project, const BuildOptions& options);

/// Returns the components of `components.json`; empty if the file is missing.
std::vector<ComponentDescription> components_of(const Project& project);

}  // namespace muster::testing
