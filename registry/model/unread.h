// What of a project could not be read, for commands that go on without it.
#pragma once

#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// A sentence for each file or folder that could not be read and may belong into a registry, or be
/// one: without it a list may be too short, and nobody would know. Sorted. Parses the assets that
/// may be members.
std::vector<std::string> unread_notes(const Project& project);

/// The same for what hides entries that registries have: without sentences on assets that may be
/// entries and are not listed yet.
std::vector<std::string> unread_registry_notes(const Project& project);

/// A sentence for a project in which no root was found, and which has `.asset` files that are Git
/// LFS pointers: any of them may be one. Empty for other projects.
std::string hidden_roots_note(const Project& project);

/// A sentence for a project without any registry, from which nothing is packed: where registries
/// were looked for, and of which classes. Empty for others, and where something that could not be
/// read may be one.
std::string no_registries_note(const Project& project);

/// A sentence for registries of ready-made classes that no `classes_from` asked for: which were
/// recognised. Empty for a project without any.
std::string recognised_note(const Project& project);

}  // namespace muster
