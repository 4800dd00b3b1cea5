// Which entry has which number on the wire.
#pragma once

#include "registry/registries/path_query.h"

namespace muster {

/// What identifies an entry for as long as it lives: its definition, else the first asset it names,
/// else the guid that it repeats. Null for free slots.
Guid identity_of(const RegistryEntry& entry);

/// The lock file beside a registry that another tool owns. A leading dot keeps it out of Unity's
/// sight: it needs no sidecar.
AssetPath lock_path_of(const AssetPath& registry);

/// The ids that a lock file promises. See `registry/registries/README.md` for the file's form.
struct IdLock {
  struct Row {
    TypeId id;
    Guid guid;
  };
  std::vector<Row> ids;         ///< Sorted by id.
  std::vector<TypeId> retired;  ///< Sorted; never assigned again.
  bool is_empty() const { return ids.empty() && retired.empty(); }
};
Result<IdLock> parse_id_lock(std::string_view text);
std::string format_id_lock(const IdLock& lock);
/// Reads the lock beside a registry; an empty one when there is none.
Result<IdLock> load_id_lock(const FileSystem& files, const AssetPath& registry);

/// A registry and the lock beside it.
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
