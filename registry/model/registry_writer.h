// New text for a registry, changed only where its list changes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// What a new or changed entry holds.
struct EntryValues {
  Guid asset;  ///< What the rule's field refers to.
  const PrepareRule* rule = nullptr;
  Guid owner;                                                ///< For owner fields.
  std::vector<std::pair<std::string, std::string>> numbers;  ///< For copied numbers, by key.
};

/// One slot of the list as it shall be.
struct SlotText {
  std::optional<std::size_t> present_slot;  ///< The present entry here; nullopt for a new one.
  bool keeps_text = false;                  ///< The present entry's lines stay as they are.
  std::optional<EntryValues> values;        ///< Else what is written; without it: an empty slot.
  std::optional<TypeId> type_id;            ///< Written where the dialect states ids.
};

/// The object of an asset that a strong reference names.
struct StrongTarget {
  std::int64_t file_id = SourceFile::kUsualMainId;
  int type = 2;  ///< 3 for what is imported (prefabs, models), 2 for the editor's own assets.
};

/// How the entries of a Unity registry are written when there is none yet to imitate.
struct EntryForm {
  bool reference_list = false;   ///< Bare references to definitions, as in layout M.
  bool text_references = false;  ///< Weak references as `guid:` text, before layout F.
  /// Gives what a strong reference to an asset names, also beside entries to imitate.
  std::function<StrongTarget(const Guid&)> target_of = {};
};

/// Rewrites the list of a registry file. Lines outside the list, comments inside it, and lines of
/// kept entries stay byte for byte; line ends follow the file. A list in brackets becomes a block.
/// An entry of a plain registry that relied on its place gets its `type_id`. `retired` are all ids
/// that the plain form shall list as retired. Fails with `malformed`, naming the file, when the
/// list cannot be edited by its lines or the new text would not say what it should.
Result<std::string> rewrite_registry(const SourceFile& source, const Registry& registry,
                                     const std::vector<SlotText>& slots,
                                     const std::vector<TypeId>& retired,
                                     const EntryForm& form = {});

}  // namespace muster
