// Builds whole projects inside a test.
#pragma once

#include "bundler/build/target_build.h"
#include "registry/base/memory_file_system.h"

namespace muster::testing {

/// Builds a project into the root of `files`, as `muster build` does: opens it as an output, packs
/// and publishes. Fails when one of these steps fails.
Result<void> build_into(FileSystem& files, const Project& project, const BuildOptions& options);

/// The default value of each variant axis of a project. Self-contained bundles need a fixed choice.
std::vector<VariantWish> defaults_of(const FileReader& project);

/// The output files of a project; self-contained bundles use the default variants. Throws if the
/// build fails.
MemoryFileSystem build_to_memory(const FileReader& project, const BuildOptions& options);

/// The components of `components.json`; empty if the file is missing.
std::vector<ComponentDescription> components_of(const Project& project);

}  // namespace muster::testing
