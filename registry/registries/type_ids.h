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

/// Gives every entry its id. In order of authority: the lock file, the entry's own `type_id`, its
/// place in the list (counted from 0 or 1: as the stored ids agree, else as the class says). Once
/// there is a lock, place means nothing: what it does not know gets the next id that was never
/// used.
void assign_type_ids(Registry& registry, const IdLock& lock);

}  // namespace muster
