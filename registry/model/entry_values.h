// The values of the entries that `prepare` writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/registry_writer.h"

namespace muster {

/// The values of an entry for a member of the class: the asset, and copies of values from the
/// asset's component.
EntryValues entry_values(const Project& project, const ClassDeclaration& declaration,
                         const Candidate& wanted, const Guid& guid);

/// True if an entry contains a copy of a value from its asset, and the asset's value has changed.
bool is_outdated(const ClassDeclaration& declaration, const RegistryEntry& entry,
                 const EntryValues& values);

/// The values of the class's key paths in an entry with these values.
std::vector<std::string> key_of_values(const ClassDeclaration& declaration,
                                       const EntryValues& values);

/// The form of new entries for a registry without entries. Determines the layout from the base
/// class of the registry's script and from the weak references in the rest of the project.
EntryForm entry_form(const Project& project, const Registry& registry);

/// The object to which a strong reference from the registry to an asset must point. The target in a
/// prefab is the root object, or the component to which the registry's other references point. The
/// target in any other asset is the main object.
StrongTarget strong_target(const Project& project, const Registry& registry, const Guid& guid);

}  // namespace muster
