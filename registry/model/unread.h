// Describes the unreadable parts of a project, for commands that continue without them.
#pragma once

#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// A sentence for each unreadable file or folder that may belong in a registry or be a registry.
/// Without this note a list could be silently incomplete. Sorted. Parses the assets that may be
/// members.
std::vector<std::string> unread_notes(const Project& project);

/// Like `unread_notes`, but only for files that hide existing entries of registries, not for assets
/// that may become entries.
std::vector<std::string> unread_registry_notes(const Project& project);

/// A sentence for a project without a root but with `.asset` files that are Git LFS pointers: any
/// of them may be a root. Empty for other projects.
std::string hidden_roots_note(const Project& project);

/// A sentence for a project without any registry, from which nothing is packed: the searched
/// locations and classes. Empty for other projects, and if an unreadable file may be a registry.
std::string no_registries_note(const Project& project);

/// A sentence about registries of ready-made classes that were recognised without `classes_from`.
/// Empty if there are none.
std::string recognised_note(const Project& project);

}  // namespace muster
