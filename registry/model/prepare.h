// Fills registries from the project without renumbering existing entries.
#pragma once

#include <string>
#include <vector>

#include "registry/model/stored_values.h"

namespace muster {

struct PrepareChange {
  enum class Kind : std::uint8_t { add, remove, update };
  Kind kind = Kind::add;
  TypeId type_id;
  Guid guid;
  AssetPath path;  ///< Empty if the asset no longer exists.
};

struct RegistryPlan {
  const Registry* registry = nullptr;
  std::vector<PrepareChange> changes;  ///< Sorted by type id.
  std::size_t kept = 0;
};

struct PreparePlan {
  std::vector<RegistryPlan> registries;
  std::vector<FileWrite> writes;  ///< Changed files; empty if everything is up to date.
  /// Locks whose registry was moved or renamed; removed after the writes, which contain the same
  /// ids. Also files that an earlier, killed `prepare` did not remove.
  std::vector<AssetPath> removes;
  std::vector<std::string> notes;  ///< Notes for the user, one sentence each.
  /// Changes that `prepare` cannot make and the user has to make, one sentence each.
  std::vector<std::string> remaining;
};

/// Computes what `prepare` would do: the entries that each registry gains and loses, and the new
/// text of every file. Changes nothing.
///
/// Ids are stable: entries keep their ids, the id of a removed entry is retired (as an empty slot
/// if the index in the list is the id), and a new entry gets an id that was never used. Registries
/// of a class that exist once for the client and once for the server (the oldest layout, with a
/// `server` field) are filled together, so that a logical entity has the same id on both sides.
/// While a file that may contain a guid cannot be read, entries of missing assets stay, with a
/// note. If registered assets store wrong values about their registration (their own guid, their
/// type id), these are corrected. An entry whose key is in use is not added, with a note.
///
/// Fails with the lock's error if a registry's lock cannot be read, with `malformed` if a
/// registry's list cannot be rewritten, and with `limit_exceeded` if a type id would not fit the
/// wire.
Result<PreparePlan> plan_prepare(const Project& project, const Progress& progress = {});

/// Writes a plan's files, each atomically, and removes the files that they replace.
Result<void> apply_prepare(FileSystem& files, const PreparePlan& plan);

}  // namespace muster
