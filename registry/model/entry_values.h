// What the entries hold that `prepare` writes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "registry/model/class_members.h"
#include "registry/model/registry_writer.h"

namespace muster {

/// What an entry of this class holds for a member of it: the asset, and what is copied from its
/// component.
EntryValues entry_values(const Project& project, const ClassDeclaration& declaration,
                         const Candidate& wanted, const Guid& guid);

/// True when what an entry copied from its asset no longer matches it.
bool is_outdated(const ClassDeclaration& declaration, const RegistryEntry& entry,
                 const EntryValues& values);

/// The values of the class's key paths in an entry that is written with these values.
std::vector<std::string> key_of_values(const ClassDeclaration& declaration,
                                       const EntryValues& values);

/// How entries are written where there is none to imitate: the layout of an empty registry shows in
/// its script's base class, and in how the rest of the project spells weak references.
EntryForm entry_form(const Project& project, const Registry& registry);

/// The object of an asset that a strong reference in this registry names: of a prefab its root
/// object, or the component that the registry's own references name; else the main object.
StrongTarget strong_target(const Project& project, const Registry& registry, const Guid& guid);

}  // namespace muster
