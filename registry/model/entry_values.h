// The values of the entries that `prepare` writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/registry_writer.h"

namespace muster {

/// The values of an entry for a member of this class: the asset, and copies of values in its
/// component.
EntryValues entry_values(const Project& project, const ClassDeclaration& declaration,
                         const Candidate& wanted, const Guid& guid);

/// True if a value that an entry copied from its asset no longer matches it.
bool is_outdated(const ClassDeclaration& declaration, const RegistryEntry& entry,
                 const EntryValues& values);

/// The values of the class's key paths in an entry with these values.
std::vector<std::string> key_of_values(const ClassDeclaration& declaration,
                                       const EntryValues& values);

/// The form of entries in a registry without entries to imitate. The base class of its script, and
/// the weak references in the rest of the project, show the layout.
EntryForm entry_form(const Project& project, const Registry& registry);

/// The object of an asset that a strong reference in this registry names: for a prefab its root
/// object, or the component to which the registry's other references point; for other assets the
/// main object.
StrongTarget strong_target(const Project& project, const Registry& registry, const Guid& guid);

}  // namespace muster
