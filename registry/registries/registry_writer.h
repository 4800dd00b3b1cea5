// New text for a registry, changed only where its list changes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/registries/registry_model.h"

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
  /// The present entry whose lines are kept as they are; nullopt for a new or emptied slot.
  std::optional<std::size_t> kept_slot;
  std::optional<EntryValues> values;  ///< A new entry; without it and without `kept_slot`: empty.
  std::optional<TypeId> type_id;      ///< Written where the dialect states ids.
};

/// How the entries of a Unity registry are written when there is none yet to imitate.
struct EntryForm {
  bool reference_list = false;   ///< Bare references to definitions, as in layout M.
  bool text_references = false;  ///< Weak references as `guid:` text, before layout F.
};

/// Rewrites the list of a registry file. Lines outside the list, and lines of kept entries, stay
/// byte for byte; line ends follow the file. `retired` replaces the plain form's list of retired
/// ids.
std::string rewrite_registry(const SourceFile& source, const Registry& registry,
                             const std::vector<SlotText>& slots, const std::vector<TypeId>& retired,
                             const EntryForm& form = {});

}  // namespace muster
