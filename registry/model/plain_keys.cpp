#include "registry/model/plain_keys.h"

#include <algorithm>

namespace muster {
namespace {

std::string first_key(std::string_view path) {
  std::string key(path.substr(0, path.find('.')));
  if (key.ends_with("[]")) key.resize(key.size() - 2);
  return key;
}

void add_first_key(std::string_view path, std::set<std::string>& keys) {
  if (std::string key = first_key(path); !key.empty()) keys.insert(std::move(key));
}

constexpr std::string_view kDefinitionPath = "definition.";

}  // namespace

const std::set<std::string>& entity_keys() {
  static const std::set<std::string> kKeys = {"name",    "active",   "prefab",
                                              "removed", "children", "components"};
  return kKeys;
}

const std::set<std::string>& root_keys() {
  static const std::set<std::string> kKeys = {"class", "serverBuild", "assetRegistries"};
  return kKeys;
}

std::set<std::string> registry_keys(const ClassDeclaration& declaration) {
  std::set<std::string> keys = {"class", "retired"};
  for (const std::string& list : declaration.lists) add_first_key(list, keys);
  for (const std::string& key : declaration.foreign_guid_keys) add_first_key(key, keys);
  keys.insert(declaration.field_keys.begin(), declaration.field_keys.end());
  if (!declaration.provider_interface.empty()) keys.insert("server");
  return keys;
}

std::set<std::string> entry_keys(const ClassDeclaration& declaration) {
  std::set<std::string> keys = {"type_id"};
  for (const ReferenceRule& rule : declaration.references) {
    add_first_key(rule.path, keys);
    for (const std::string& path : rule.when) add_first_key(path, keys);
    for (const std::string& path : rule.unless) add_first_key(path, keys);
  }
  for (const PrepareRule& rule : declaration.prepare) add_first_key(rule.field, keys);
  for (const EntryField& field : declaration.entry_template) keys.insert(field.key);
  for (const std::string& key : declaration.own_guid_keys) add_first_key(key, keys);
  for (const std::string& path : declaration.key_paths) add_first_key(path, keys);
  add_first_key(declaration.owner_path, keys);
  add_first_key(declaration.pool_size_path, keys);
  keys.insert(declaration.field_keys.begin(), declaration.field_keys.end());
  return keys;
}

std::set<std::string> definition_keys(const ClassDeclaration& declaration) {
  std::set<std::string> keys;
  for (const ReferenceRule& rule : declaration.references) {
    if (rule.path.starts_with(kDefinitionPath)) {
      add_first_key(std::string_view(rule.path).substr(kDefinitionPath.size()), keys);
    }
  }
  if (!declaration.pool_size_path.empty()) keys.insert(declaration.pool_size_path);
  if (declaration.definitions_store_ids) keys.insert("registryId");
  return keys;
}

bool are_entries_references(const ClassDeclaration& declaration) {
  return std::ranges::any_of(declaration.references,
                             [](const ReferenceRule& rule) { return rule.path.empty(); });
}

std::vector<EntryReferenceKey> entry_reference_keys(const ClassDeclaration& declaration) {
  std::vector<EntryReferenceKey> keys;
  const auto add = [&](std::string_view path, bool is_strong) {
    const std::string_view first = path.substr(0, path.find('.'));
    EntryReferenceKey key{.key = first_key(path), .is_list = first.ends_with("[]")};
    key.may_be_inline = first.size() < path.size();
    key.is_strong = is_strong || key.may_be_inline;
    if (key.key.empty()) return;
    const auto known = std::ranges::find(keys, key.key, &EntryReferenceKey::key);
    if (known == keys.end()) {
      keys.push_back(std::move(key));
    } else {
      known->is_strong = known->is_strong || key.is_strong;
      known->may_be_inline = known->may_be_inline || key.may_be_inline;
    }
  };
  for (const ReferenceRule& rule : declaration.references) add(rule.path, rule.strong);
  for (const PrepareRule& rule : declaration.prepare) add(rule.field, rule.strong);
  for (const std::string& key : declaration.own_guid_keys) add(key, false);
  add(declaration.owner_path, false);
  return keys;
}

}  // namespace muster
