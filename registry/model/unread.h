// Describes the unreadable parts of a project, for commands that continue without them.
#pragma once

#include <string>
#include <vector>

#include "registry/model/project.h"

namespace muster {

/// One sentence for each unreadable file or folder that may be a registry or a member of a
/// registry. The notes show that a list may be incomplete. Sorted. Parses the assets that may be
/// members.
std::vector<std::string> unread_notes(const Project& project);

/// Like `unread_notes`, but only for files that may contain existing entries of registries. Does
/// not include assets that may become entries.
std::vector<std::string> unread_registry_notes(const Project& project);

/// A sentence for a project without a root in which some `.asset` files are Git LFS pointers,
/// because each pointer may replace a root. The result is empty for other projects.
std::string hidden_roots_note(const Project& project);

/// A sentence for a project with files of which none has a usable sidecar, so that no file is an
/// asset. The result is empty for other projects.
std::string no_sidecars_note(const Project& project);

/// A sentence for a project without registries, from which nothing is packed. The sentence names
/// the searched locations and classes. The result is empty for other projects, if an unreadable
/// file may be a registry, and if `no_sidecars_note` has a sentence.
std::string no_registries_note(const Project& project);

/// A sentence about registries of ready-made classes that were recognised without `classes_from`.
/// The result is empty if the project has no such registries.
std::string recognised_note(const Project& project);

}  // namespace muster
