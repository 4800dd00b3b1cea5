// Which entry has which number on the wire.
#pragma once

#include "registry/model/path_query.h"

namespace muster {

/// What identifies an entry for as long as it lives: its definition, else the first asset it names,
/// else the guid that it repeats. Null for free slots.
Guid identity_of(const RegistryEntry& entry);

/// A registry and its lock.
struct RegistryIds {
  Registry* registry = nullptr;
  const IdLock* lock = nullptr;
};
/// Gives every entry of a class's registries its id. In order of authority: the entry's own
/// `type_id`, the lock file, its place in the list (counted from 0 or 1: as the stored ids agree,
/// else as the class says). Once there is a lock, place means nothing: what it does not know gets
/// the next id that was never used. So does an entry whose place would repeat the id of something
/// else that is built for the same target. Requires: the registries know their targets.
void assign_type_ids(const std::vector<RegistryIds>& registries);

}  // namespace muster
