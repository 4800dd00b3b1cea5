#include "registry/model/entry_reader.h"

#include <algorithm>

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;

// True for assets that builds do not contain: code, presets, and files in folders of the editor.
bool is_of_the_editor(const AssetPath& path) {
  if (is_script(path) || has_extension(path, "preset")) return true;
  for (AssetPath folder = path.parent(); !folder.empty(); folder = folder.parent()) {
    if (folder.name() == "Editor" || folder.name() == "Gizmos") return true;
  }
  return false;
}

}  // namespace

void EntryReader::add_problem(ModelProblem::Kind kind, Location location, std::string detail) {
  problems_.push_back({kind, std::move(location), {}, kNoAsset, std::move(detail)});
}

// Reports an entry that is a scalar or a list. Without this report, such an entry would count as an
// entry without values.
bool EntryReader::check_form(const ClassDeclaration& declaration, const SourceNode& at) {
  const yaml::Tree& tree = at.source->tree;
  const yaml::NodeKind kind = tree.at(at.node).kind;
  if (kind == yaml::NodeKind::mapping) return true;
  if (kind == yaml::NodeKind::scalar) {
    const bool is_value = std::ranges::any_of(declaration.references, [](const auto& rule) {
      return rule.path.empty();  // The item is the reference.
    });
    if (is_value || tree.scalar(at.node).empty()) return true;
  }
  add_problem(ModelProblem::Kind::malformed_entry, at.location(),
              "an entry must be a mapping or a reference");
  return false;
}

RegistryEntry EntryReader::read(const ClassDeclaration& declaration, const SourceNode& at,
                                std::size_t slot) {
  RegistryEntry entry;
  entry.slot = slot;
  entry.node = at.node;
  entry.location = at.location();
  if (!check_form(declaration, at)) {
    entry.is_free = true;
    return entry;
  }
  const auto whole = any_reference_at(at);
  const bool is_reference = whole && whole.value().is_strong;
  if (is_reference) {
    entry.definition_guid = whole.value().guid;
    entry.definition = project_.index().find(entry.definition_guid);
    entry.definition_location = at.location();
    entry.is_sub_definition = is_sub_object(entry.definition, whole.value().file_id);
  }
  if (is_reference && !whole.value().is_set()) {
    entry.is_free = true;
    return entry;
  }
  const yaml::Tree& tree = at.source->tree;
  // In a Unity file of a class that the game declares, the game defines the meaning of these keys.
  const bool has_our_keys = at.source->dialect == yaml::Dialect::plain || is_built_in(declaration);
  const bool states_id = has_our_keys && !is_reference;
  if (const NodeIndex id = states_id ? tree.find(at.node, "type_id") : kNoNode; id != kNoNode) {
    const auto value = tree.integer(id);
    if (value && value.value() >= 0 && value.value() <= TypeId::kMax) {
      entry.explicit_id = static_cast<std::uint32_t>(value.value());
    } else {
      add_problem(ModelProblem::Kind::malformed_type_id, SourceNode{at.source, id}.location(),
                  "a type id is a number from 0 to 65534");
    }
  }
  read_references(declaration, at, entry);
  read_definition(declaration, at, entry);
  if (!has_our_keys) entry.stored_id.reset();
  read_details(declaration, at, entry);
  return entry;
}

void EntryReader::read_references(const ClassDeclaration& declaration, const SourceNode& at,
                                  RegistryEntry& entry) {
  for (const ReferenceRule& rule : declaration.references) {
    const auto has = [&](const std::string& key) { return query_.has(at, key); };
    if (std::ranges::any_of(rule.unless, has)) continue;
    for (const SourceNode& value : query_.find(at, rule.path)) {
      const std::string_view text = value.source->tree.scalar(value.node);
      if (std::ranges::find(rule.ignore, text) != rule.ignore.end()) continue;
      const auto reference = any_reference_at(value);
      if (!reference) {
        add_problem(ModelProblem::Kind::malformed_reference, value.location(),
                    reference.error().message);
        continue;
      }
      if (reference.value().guid.is_null()) continue;
      EntryReference found{.guid = reference.value().guid,
                           .asset = project_.index().find(reference.value().guid),
                           .targets = rule.targets,
                           .role = rule.role,
                           .strong = rule.strong,
                           .field = rule.path.substr(rule.path.find_last_of('.') + 1),
                           .emitted = rule.when.empty() || std::ranges::any_of(rule.when, has),
                           .location = value.location()};
      const bool is_folder = found.asset != kNoAsset && project_.index().at(found.asset).is_folder;
      if (is_folder && rule.expands_folders) {
        add_content(found, entry);
      } else {
        entry.references.push_back(std::move(found));
      }
    }
  }
}

// Adds a reference to each asset in a folder that a build can contain. Skips variants, which are
// packed with their bases.
void EntryReader::add_content(const EntryReference& folder, RegistryEntry& entry) {
  entry.folder = folder.guid;
  const AssetIndex& index = project_.index();
  for (const AssetNumber asset : index.within(index.at(folder.asset).path)) {
    const Asset& inside = index.at(asset);
    if (inside.is_folder || project_.variants().find(asset) != nullptr ||
        is_of_the_editor(inside.path)) {
      continue;
    }
    EntryReference reference = folder;
    reference.guid = inside.guid;
    reference.asset = asset;
    entry.references.push_back(std::move(reference));
  }
}

// Whether a file id refers to an object of an asset that is not the main object.
bool EntryReader::is_sub_object(AssetNumber asset, std::int64_t file_id) const {
  if (asset == kNoAsset || is_prefab(project_.sources(), asset)) return false;
  const SourceFile& source = project_.sources().get(asset);
  const int document = source.good() ? source.document_of(file_id) : -1;
  return document >= 0 && document != source.document_of(0);
}

// Reads the definition to which an entry has a strong reference, and the values in the definition.
void EntryReader::read_definition(const ClassDeclaration& declaration, const SourceNode& at,
                                  RegistryEntry& entry) {
  SourceNode holder = at;
  std::vector<std::string_view> keys = {"definition", "factory"};
  for (const PrepareRule& rule : declaration.prepare) {
    const bool is_definition = rule.strong && !rule.assets_of_class.empty();
    if (is_definition && !rule.field.empty()) keys.push_back(rule.field);
  }
  for (const std::string_view key : keys) {
    if (entry.definition != kNoAsset) break;
    const SourceNode value{at.source, at.source->tree.find(at.node, key)};
    if (!value.exists()) continue;
    const auto reference = any_reference_at(value);
    if (!reference || reference.value().guid.is_null()) continue;
    entry.definition_guid = reference.value().guid;
    entry.definition = project_.index().find(entry.definition_guid);
    entry.definition_location = value.location();
    entry.is_sub_definition = is_sub_object(entry.definition, reference.value().file_id);
    holder = value;
  }
  if (entry.definition == kNoAsset) return;
  entry.owner = project_.index().at(entry.definition).guid;
  // The object may be in the prefab's base, so this function does not search for it in the prefab's
  // file.
  if (is_prefab(project_.sources(), entry.definition)) return;
  const SourceNode fields = query_.follow(holder);
  if (!fields.exists()) return;
  for (const std::string_view key : {"registryId", "typeId"}) {
    const SourceNode id{fields.source, fields.source->tree.find(fields.node, key)};
    if (!id.exists() || entry.stored_id) continue;
    const auto value = id.source->tree.integer(id.node);
    if (!value) continue;
    entry.stored_id = value.value();
    entry.stored_id_location = id.location();
  }
}

void EntryReader::read_details(const ClassDeclaration& declaration, const SourceNode& at,
                               RegistryEntry& entry) {
  for (const std::string& key : declaration.own_guid_keys) {
    const SourceNode value{at.source, at.source->tree.find(at.node, key)};
    if (!value.exists()) continue;
    const auto reference = any_reference_at(value);
    if (!reference) {
      add_problem(ModelProblem::Kind::malformed_reference, value.location(),
                  reference.error().message);
      continue;
    }
    entry.own_guid = reference.value().guid;
    entry.own_guid_location = value.location();
  }
  // Entries with their own guid have layout F, even if the script has an older layout.
  if (!entry.own_guid.is_null() || !declaration.definitions_store_ids) entry.stored_id.reset();
  if (!declaration.owner_path.empty()) {
    const SourceNode value = query_.find_one(at, declaration.owner_path);
    const auto reference = value.exists() ? any_reference_at(value) : Result<AnyReference>();
    entry.owner = value.exists() && reference ? reference.value().guid : Guid();
  }
  if (!declaration.pool_size_path.empty()) {
    const std::string_view prefix = "definition.";
    SourceNode size = query_.find_one(at, declaration.pool_size_path);
    if (!size.exists()) {
      size = query_.find_one(at, std::string(prefix) + declaration.pool_size_path);
    }
    if (size.exists()) {
      const auto value = size.source->tree.integer(size.node);
      entry.pool_size = value ? value.value() : 0;
      entry.pool_size_text = size.source->tree.scalar(size.node);
      entry.pool_size_location = size.location();
    }
  }
  read_key(declaration, at, entry);
  entry.is_free = entry.references.empty() && entry.own_guid.is_null() &&
                  entry.definition_guid.is_null() && entry.folder.is_null() && !names_anything(at);
}

// Whether an entry contains any reference. A slot with an unresolved reference is not free.
bool EntryReader::names_anything(const SourceNode& at) const {
  const yaml::Tree& tree = at.source->tree;
  const auto whole = any_reference_at(at);
  if (whole && whole.value().is_set()) return true;
  for (const NodeIndex child : Children(tree, at.node)) {
    const auto reference = any_reference_at({at.source, child});
    if (reference && tree.at(child).kind == yaml::NodeKind::mapping && reference.value().is_set()) {
      return true;
    }
  }
  return false;
}

void EntryReader::read_key(const ClassDeclaration& declaration, const SourceNode& at,
                           RegistryEntry& entry) {
  for (const std::string& path : declaration.key_paths) {
    const SourceNode value = query_.find_one(at, path);
    if (!value.exists()) {
      entry.key.emplace_back();
      continue;
    }
    const auto reference = any_reference_at(value);
    const bool is_scalar = value.source->tree.at(value.node).kind == yaml::NodeKind::scalar;
    entry.key.emplace_back(is_scalar || !reference
                               ? std::string(value.source->tree.scalar(value.node))
                               : reference.value().guid.to_string());
  }
}

}  // namespace muster
