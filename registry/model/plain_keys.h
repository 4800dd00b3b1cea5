// The keys of Muster's plain files. Rules report any other key, and the JSON Schema refuses it.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "registry/model/class_declaration.h"

namespace muster {

/// The keys of a prefab's entity, at any depth.
const std::set<std::string>& entity_keys();
/// The keys of an asset of class `AssetRegistryRoot`.
const std::set<std::string>& root_keys();
/// The keys of a registry of a class: the keys of its lists, and all other allowed keys.
std::set<std::string> registry_keys(const ClassDeclaration& declaration);
/// The keys of an entry that is a mapping, not a reference.
std::set<std::string> entry_keys(const ClassDeclaration& declaration);
/// The keys of a definition asset that its registry reads.
std::set<std::string> definition_keys(const ClassDeclaration& declaration);
/// Whether each item of the registry's list is a reference to an asset.
bool are_entries_references(const ClassDeclaration& declaration);

/// How an entry stores a reference under a key.
struct EntryReferenceKey {
  std::string key;
  bool is_list = false;
  bool is_strong = false;      ///< False for a weak reference, which is not followed.
  bool may_be_inline = false;  ///< The value may be the object itself.
};
/// The keys of an entry that contain references, without duplicates.
std::vector<EntryReferenceKey> entry_reference_keys(const ClassDeclaration& declaration);

}  // namespace muster
