// Assigns the type ids of entries.
#pragma once

#include "registry/model/path_query.h"

namespace muster {

/// The permanent identity of an entry: its definition, or else the first asset that it names, or
/// else the guid that it repeats. Null for free slots.
Guid identity_of(const RegistryEntry& entry);

/// A registry and its lock.
struct RegistryIds {
  Registry* registry = nullptr;
  const IdLock* lock = nullptr;
};
/// Assigns ids to all entries of a class's registries. In order of precedence: the entry's own
/// `type_id`, the lock file, the index in the list (counted from 0 or 1, as most stored ids
/// suggest, or else as the class defines). If there is a lock, the index is not used: an entry that
/// the lock does not contain gets the next unused id. An entry whose index would repeat the id of
/// another entry for the same target also gets the next unused id. Requires: the targets of the
/// registries are set.
void assign_type_ids(const std::vector<RegistryIds>& registries);

}  // namespace muster
