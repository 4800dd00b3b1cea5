// Creates the new text of a registry file, in which only the list changes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// The values of a new or changed entry.
struct EntryValues {
  Guid asset;  ///< The asset to which the entry refers.
  const PrepareRule* rule = nullptr;
  Guid owner;  ///< The value of `owner` fields.
  /// The values of `copied_number` fields, by key.
  std::vector<std::pair<std::string, std::string>> numbers;
};

/// One slot of the new list.
struct SlotText {
  /// The index of the old entry; nullopt for a new entry.
  std::optional<std::size_t> present_slot;
  bool keeps_text = false;  ///< Whether the old entry's lines stay unchanged.
  /// The new values, if the old lines are not kept. The values are nullopt for an empty slot.
  std::optional<EntryValues> values;
  std::optional<TypeId> type_id;  ///< The id of the slot, written if the dialect stores ids.
};

/// The object of an asset to which a strong reference points.
struct StrongTarget {
  std::int64_t file_id = SourceFile::kDefaultMainId;
  /// Unity's `type`: 3 for imported assets (prefabs, models), 2 for assets in the editor's own
  /// format.
  int type = 2;
};

/// The form of new entries for a Unity registry that has no entries whose form can be copied.
struct EntryForm {
  /// Whether each entry is a single reference to a definition, as in layout M.
  bool reference_list = false;
  /// Whether weak references are `guid:` texts, as in layouts before F.
  bool text_references = false;
  /// Returns the object for a strong reference to an asset. This function is also used for
  /// registries with entries.
  std::function<StrongTarget(const Guid&)> target_of = {};
};

/// Returns the text of a registry file with a new list. Lines outside the list, comments in the
/// list, and lines of kept entries stay unchanged. New lines have the file's line end. A bracketed
/// list becomes a block list. If an entry of a plain registry has its index as its id, the entry
/// gets a `type_id`. A plain file gets `retired` as its complete list of retired ids. Fails with
/// `malformed`, naming the file, if the list cannot be edited by lines, or if parsing the new text
/// does not give the requested registry.
Result<std::string> rewrite_registry(const SourceFile& source, const Registry& registry,
                                     const std::vector<SlotText>& slots,
                                     const std::vector<TypeId>& retired,
                                     const EntryForm& form = {});

}  // namespace muster
