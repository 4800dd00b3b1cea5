// Filling registries from the project, without ever renumbering what is there.
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
  AssetPath path;  ///< Empty when the asset no longer exists.
};

struct RegistryPlan {
  const Registry* registry = nullptr;
  std::vector<PrepareChange> changes;  ///< Sorted by type id.
  std::size_t kept = 0;
};

struct PreparePlan {
  std::vector<RegistryPlan> registries;
  std::vector<FileWrite> writes;  ///< What differs from the disk; empty when all is up to date.
  /// Locks whose registry has moved or has another name now: after the writes, which hold what they
  /// held. And what an earlier `prepare` that was killed could not remove any more.
  std::vector<AssetPath> removes;
  std::vector<std::string> notes;  ///< What a person should know, a sentence each.
  /// What `prepare` cannot do and a person has to, a sentence each.
  std::vector<std::string> remaining;
};

/// Works out what `prepare` would do: which entries each registry gains and loses, and the new text
/// of every file. Changes nothing. Ids are stable: entries keep theirs, a removed one's id is
/// retired (in a list where place is id, as an empty slot), a new one gets an id that was never
/// used. Registries of a class that exist once for the client and once for the server (the oldest
/// layout, told by their `server` field) are filled together, so that one logical entity has one id
/// on both sides. While a file that may hold a guid cannot be read, entries of missing assets stay,
/// with a note. What registered assets store about their registration (their own guid, their type
/// id) is written too where it is wrong; an entry whose key is taken is not added, with a note.
/// Fails when a registry's lock cannot be read, with `malformed` when a registry's list cannot be
/// rewritten, and with `limit_exceeded` when a type id would not fit the wire.
Result<PreparePlan> plan_prepare(const Project& project, const Progress& progress = {});

/// Writes a plan's files, each atomically, and removes what they replace.
Result<void> apply_prepare(FileSystem& files, const PreparePlan& plan);

}  // namespace muster
