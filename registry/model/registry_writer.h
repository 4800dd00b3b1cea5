// Creates the new text of a registry; only its list changes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// The values of a new or changed entry.
struct EntryValues {
  Guid asset;  ///< The asset of the rule's field.
  const PrepareRule* rule = nullptr;
  Guid owner;                                                ///< For owner fields.
  std::vector<std::pair<std::string, std::string>> numbers;  ///< For copied numbers, by key.
};

/// One slot of the new list.
struct SlotText {
  std::optional<std::size_t> present_slot;  ///< The old entry; nullopt for a new one.
  bool keeps_text = false;                  ///< The old entry's lines are kept.
  /// The new values, if the old lines are not kept. Nullopt for an empty slot.
  std::optional<EntryValues> values;
  std::optional<TypeId> type_id;  ///< Written if the dialect stores ids.
};

/// The object of an asset to which a strong reference points.
struct StrongTarget {
  std::int64_t file_id = SourceFile::kUsualMainId;
  int type = 2;  ///< 3 for imported assets (prefabs, models), 2 for the editor's own.
};

/// The form of entries in a Unity registry without entries to imitate.
struct EntryForm {
  bool reference_list = false;   ///< Bare references to definitions, as in layout M.
  bool text_references = false;  ///< Weak references as `guid:` text, before layout F.
  /// Returns the object for a strong reference to an asset; also used beside existing entries.
  std::function<StrongTarget(const Guid&)> target_of = {};
};

/// Rewrites the list of a registry file. Lines outside the list, comments inside it, and lines of
/// kept entries stay byte for byte; new lines have the line end of the file. A bracketed list
/// becomes a block. An entry of a plain registry whose id was its index gets a `type_id`. `retired`
/// is the complete list of retired ids in the plain form. Fails with `malformed`, naming the file,
/// if the list cannot be edited by lines, or if the new text does not read back as intended.
Result<std::string> rewrite_registry(const SourceFile& source, const Registry& registry,
                                     const std::vector<SlotText>& slots,
                                     const std::vector<TypeId>& retired,
                                     const EntryForm& form = {});

}  // namespace muster
