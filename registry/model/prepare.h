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
  AssetPath path;  ///< The path; empty if the asset no longer exists.
};

struct RegistryPlan {
  const Registry* registry = nullptr;
  std::vector<PrepareChange> changes;  ///< The changes, sorted by type id.
  std::size_t kept = 0;
};

struct PreparePlan {
  std::vector<RegistryPlan> registries;
  std::vector<FileWrite> writes;  ///< The changed files; empty if everything is up to date.
  /// Files to remove after the writes: old locks of registries that were moved or renamed (`writes`
  /// contains their ids), and files that an interrupted `prepare` has left.
  std::vector<AssetPath> removes;
  std::vector<std::string> notes;  ///< Notes for the user, one sentence each.
  /// Changes that `prepare` cannot make and the user has to make, one sentence each.
  std::vector<std::string> remaining;
};

/// Computes the changes of `prepare`: the entries that each registry gains and loses, and the new
/// text of every file. Changes no file.
///
/// Ids are stable. An existing entry keeps its id, and a new entry gets an id that was never used.
/// The id of a removed entry is retired. If the entries have their index in the list as their id,
/// the retired id stays in the list as an empty slot. In the oldest layout a class has one registry
/// for the client and one for the server (field `server`). Such registries are filled together, so
/// that a logical entity has the same id on both sides. If the asset of an entry is missing, but an
/// unreadable file may contain the asset's guid, the entry stays and a note is added. If a
/// registered asset stores its own guid or type id incorrectly, the stored value is corrected. An
/// entry whose key is already in use is not added, and a note names the entry.
///
/// Fails if a registry's lock cannot be read, with the code of that failure. Fails with `malformed`
/// if a registry's list cannot be rewritten. Fails with `limit_exceeded` if a new type id would be
/// above `TypeId::kMax`.
Result<PreparePlan> plan_prepare(const Project& project, const Progress& progress = {});

/// Writes a plan's files, each atomically, and then removes the files in `removes`.
Result<void> apply_prepare(FileSystem& files, const PreparePlan& plan);

}  // namespace muster
