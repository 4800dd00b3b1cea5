// Assigns the type ids of entries.
#pragma once

#include "registry/model/path_query.h"

namespace muster {

/// The permanent identity of an entry: the guid of its definition. The identity of an entry without
/// a definition is the guid of the first referenced asset, or `own_guid` if the entry has no
/// references. The identity of a free slot is null.
Guid identity_of(const RegistryEntry& entry);

/// A registry and its lock.
struct RegistryIds {
  Registry* registry = nullptr;
  const IdLock* lock = nullptr;
};
/// Assigns ids to all entries of a class's registries. The first existing source applies: the
/// entry's own `type_id`, the lock file, the index in the list. The indices of a list count from 0
/// or from 1. To choose a start, the index of each entry is compared with the entry's stored id.
/// The start that gives more equal pairs is used. If both starts give the same number of equal
/// pairs, the start is `first_id` of the class. If a lock exists, no index is used, and an entry
/// that is missing in the lock gets the next unused id. An entry whose index is the id of another
/// entry for the same target also gets the next unused id. Requires: the targets of the registries
/// are set.
void assign_type_ids(const std::vector<RegistryIds>& registries);

}  // namespace muster
