// The layouts of FPSSample, oldest first:
// - S (2018-11): weak references are `guid:` texts. Most entries refer to definition assets, which
//   store a `registryId` that counts from 1.
// - M (2018-12): like S, but `registryId` counts from 0, and free slots are null.
// - F (2019): inline entries with four-integer references and their own guid. One declaration
// describes all three layouts, because a path has no effect if the entry does not have it.
#include <algorithm>

#include "registry/model/class_declaration.h"

namespace muster {
namespace {

using Role = ReferenceRule::Role;
using FieldKind = EntryField::Kind;

ReferenceRule weak(std::string path, TargetSet targets, Role role) {
  return {.path = std::move(path),
          .strong = false,
          .targets = targets,
          .role = role,
          .when = {},
          .unless = {},
          .ignore = {},
          .position = {}};
}

ClassDeclaration replicated_entities() {
  ClassDeclaration entry;
  entry.name = "ReplicatedEntityRegistry";
  entry.lists = {"entries"};
  entry.references = {weak("prefab", TargetSet::both(), Role::prefab)};
  // Older layouts refer to factories only by strong references. Such factories are packed with
  // the registry.
  entry.references.push_back({.path = "factory",
                              .strong = true,
                              .targets = TargetSet::both(),
                              .role = Role::factory,
                              .when = {"guid", "type_id"},
                              .unless = {},
                              .ignore = {},
                              .position = {}});
  entry.prepare = {{.component = "ReplicatedEntity",
                    .assets_of_class = {},
                    .field = "prefab",
                    .strong = false,
                    .required_reference = {}},
                   {.component = {},
                    .assets_of_class = "ReplicatedEntityFactory",
                    .field = "factory",
                    .strong = true,
                    .required_reference = {}},
                   {.component = {},
                    .assets_of_class = "ReplicatedEntityFactor",  // the name in layout S
                    .field = "factory",
                    .strong = true,
                    .required_reference = {}}};
  entry.provider_interface = "IReplicatedEntityProvider";
  entry.entry_template = {{"guid", FieldKind::own_guid},
                          {"prefab", FieldKind::weak_words},
                          {"factory", FieldKind::strong}};
  entry.own_guid_keys = {"guid"};
  entry.component = "ReplicatedEntity";
  entry.component_guid_paths = {"m_SerializedData.assetGuid", "assetGuid", "guid"};
  return entry;
}

ClassDeclaration effects(std::string name, std::string definition) {
  ClassDeclaration entry;
  entry.name = std::move(name);
  entry.lists = {"entries"};
  entry.references = {weak("prefab", Target::client, Role::prefab),
                      weak("definition.prefab", Target::client, Role::prefab)};
  entry.prepare = {{.component = {},
                    .assets_of_class = std::move(definition),
                    .field = {},
                    .strong = true,
                    .required_reference = {}}};
  entry.first_id = 1;
  entry.first_id_by_layout = true;
  entry.pool_size_path = "poolSize";
  return entry;
}

// Server, client and first-person prefabs, in a definition or inline.
ClassDeclaration triples(std::string name, std::string definition) {
  ClassDeclaration entry;
  entry.name = std::move(name);
  entry.lists = {"entries"};
  for (const std::string prefix : {"", "definition."}) {
    entry.references.push_back(weak(prefix + "prefabServer", Target::server, Role::prefab));
    entry.references.push_back(weak(prefix + "prefabClient", Target::client, Role::prefab));
    entry.references.push_back(weak(prefix + "prefab1P", Target::client, Role::prefab));
  }
  entry.prepare = {{.component = {},
                    .assets_of_class = std::move(definition),
                    .field = {},
                    .strong = true,
                    .required_reference = {}}};
  entry.first_id_by_layout = true;
  entry.is_in_last_layout = entry.name == "CharacterTypeRegistry";
  return entry;
}

ClassDeclaration heroes() {
  ClassDeclaration entry;
  entry.name = "HeroTypeRegistry";
  entry.lists = {"entries"};
  // Layout S lists abilities, and layout F lists the prefabs of items.
  for (const std::string prefix : {"", "definition."}) {
    entry.references.push_back(weak(prefix + "abilities[]", TargetSet::both(), Role::asset));
    const auto item = [&](const char* field, Target target) {
      ReferenceRule rule = weak(prefix + "items[].itemType." + field, target, Role::prefab);
      rule.unless = {prefix + "abilities[]", prefix + "registryId"};
      return rule;
    };
    entry.references.push_back(item("prefabServer", Target::server));
    entry.references.push_back(item("prefabClient", Target::client));
    entry.references.push_back(item("prefab1P", Target::client));
  }
  entry.prepare = {{.component = {},
                    .assets_of_class = "HeroTypeAsset",
                    .field = {},
                    .strong = true,
                    .required_reference = {}}};
  entry.is_in_last_layout = true;
  return entry;
}

ClassDeclaration projectiles() {
  ClassDeclaration entry;
  entry.name = "ProjectileRegistry";
  entry.lists = {"entries"};
  entry.references = {weak("definition.clientProjectilePrefab", Target::client, Role::prefab),
                      weak("clientProjectilePrefab", Target::client, Role::prefab)};
  entry.prepare = {{.component = {},
                    .assets_of_class = "ProjectileTypeDefinition",
                    .field = "definition",
                    .strong = true,
                    .required_reference = {}}};
  entry.entry_template = {{"assetGuid", FieldKind::own_guid}, {"definition", FieldKind::strong}};
  entry.own_guid_keys = {"assetGuid"};
  entry.definitions_store_guid = true;
  entry.first_id_by_layout = true;
  entry.is_in_last_layout = true;
  return entry;
}

ClassDeclaration presentations() {
  ClassDeclaration entry;
  entry.name = "PresentationRegistry";
  entry.lists = {"m_entries", "entries"};
  entry.references = {weak("presentation", Target::client, Role::prefab)};
  entry.prepare = {{.component = "PresentationEntity",
                    .assets_of_class = {},
                    .field = "presentation",
                    .strong = false,
                    .required_reference = "presentationOwner"}};
  entry.entry_template = {{"ownerAssetGuid", FieldKind::owner},
                          {"platformFlags", FieldKind::copied_number},
                          {"type", FieldKind::copied_number},
                          {"variation", FieldKind::copied_number},
                          {"presentation", FieldKind::weak_words}};
  entry.owner_path = "ownerAssetGuid";
  entry.key_paths = {"ownerAssetGuid", "platformFlags", "type", "variation"};
  return entry;
}

}  // namespace

const std::vector<ClassDeclaration>& builtin_classes() {
  static const std::vector<ClassDeclaration> kClasses = {
      replicated_entities(),
      effects("SpatialEffectRegistry", "SpatialEffectTypeDefinition"),
      effects("HitscanEffectRegistry", "HitscanEffectTypeDefinition"),
      triples("ItemRegistry", "ItemTypeDefinition"),
      triples("CharacterTypeRegistry", "CharacterTypeDefinition"),
      heroes(),
      projectiles(),
      presentations(),
  };
  return kClasses;
}

bool is_built_in(const ClassDeclaration& declaration) {
  return std::ranges::find(builtin_classes(), declaration.name, &ClassDeclaration::name) !=
         builtin_classes().end();
}

}  // namespace muster
