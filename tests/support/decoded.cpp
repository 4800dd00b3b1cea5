#include "tests/support/decoded.h"

#include <set>
#include <vector>

#include "bundler/cook/object_to_tree.h"
#include "bundler/cook/object_writer.h"

namespace muster::samples {
namespace {

std::optional<BundleName> name_of(const CatalogReader& catalog, std::uint32_t bundle) {
  if (bundle == layout::kNone) return std::nullopt;
  return catalog.bundle(bundle).name;
}

RegistryData decode_registry(const CatalogReader& catalog, const CatalogRegistry& source) {
  RegistryData registry{std::string(source.class_name), source.guid, std::string(source.path), {}};
  for (std::uint32_t i = 0; i < source.entry_count; ++i) {
    const CatalogEntry entry = catalog.entry(source.first_entry + i);
    registry.entries.push_back({entry.type_id, entry.guid, entry.owner, std::string(entry.role),
                                entry.targets, entry.is_factory});
  }
  return registry;
}

std::string location_text(const yaml::Node& node) {
  return " at line " + std::to_string(node.position.line) + " ('" + std::string(node.key) + "')";
}

std::optional<std::string> difference(const yaml::Tree& a, yaml::NodeIndex in_a,
                                      const yaml::Tree& b, yaml::NodeIndex in_b) {
  const yaml::Node& x = a.at(in_a);
  const yaml::Node& y = b.at(in_b);
  if (x.kind != y.kind) return "kinds differ" + location_text(x);
  if (x.key != y.key || x.key_style != y.key_style) return "keys differ" + location_text(x);
  if (x.style != y.style) return "styles differ" + location_text(x);
  if (x.text != y.text) {
    return "texts differ" + location_text(x) + ": '" + std::string(x.text) + "', '" +
           std::string(y.text) + "'";
  }
  if (x.child_count != y.child_count) return "child counts differ" + location_text(x);
  yaml::NodeIndex child_a = x.first_child;
  yaml::NodeIndex child_b = y.first_child;
  while (child_a != yaml::kNoNode && child_b != yaml::kNoNode) {
    if (auto found = difference(a, child_a, b, child_b)) return found;
    child_a = a.at(child_a).next_sibling;
    child_b = b.at(child_b).next_sibling;
  }
  if (child_a != child_b) return "children end at different places" + location_text(x);
  return std::nullopt;
}

void add_guids(const ObjectValue& value, std::set<Guid>& guids) {
  if (value.kind() == ObjectKind::reference) {
    if (value.reference().is_external) guids.insert(value.reference().guid);
  } else if (value.kind() == ObjectKind::guid_text || value.kind() == ObjectKind::guid_words) {
    guids.insert(value.guid());
  }
  for (const ObjectChild child : value.children()) add_guids(child.value, guids);
}

}  // namespace

PrefabData decode(const PrefabReader& prefab) {
  PrefabData data;
  for (std::uint32_t i = 0; i < prefab.entity_count(); ++i) {
    const FlatEntity source = prefab.entity(i);
    PrefabEntity& entity = data.entities.emplace_back();
    entity.name = source.name;
    entity.source_id = source.source_id;
    entity.is_active = source.is_active;
    if (source.parent != layout::kNone) entity.parent = source.parent;
    for (std::uint32_t c = 0; c < source.component_count; ++c) {
      const FlatComponent component = prefab.component(source.first_component + c);
      PrefabComponent& target = entity.components.emplace_back();
      target.type = component.type;
      if (component.document != layout::kNone) target.document = component.document;
      if (component.description == layout::kNone) continue;
      target.cooked = CookedComponent{prefab.description(component.description).hash,
                                      ByteVector(component.data.begin(), component.data.end())};
    }
  }
  return data;
}

CatalogData decode(const CatalogReader& catalog) {
  CatalogData data;
  data.target = catalog.target();
  data.is_preview = catalog.is_preview();
  data.agreement = catalog.agreement();
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    const CatalogBundle source = catalog.bundle(i);
    BundleData& bundle = data.bundles.emplace_back();
    bundle = {source.name, source.hash, source.file_bytes, {}};
    for (std::uint32_t d = 0; d < source.dependency_count; ++d) {
      bundle.dependencies.push_back(catalog.bundle(catalog.dependency(source, d)).name);
    }
  }
  for (std::uint32_t i = 0; i < catalog.asset_count(); ++i) {
    const CatalogAsset asset = catalog.asset(i);
    data.assets.push_back({asset.guid, std::string(asset.path), name_of(catalog, asset.bundle)});
  }
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    data.registries.push_back(decode_registry(catalog, catalog.registry(RegistryIndex{i})));
  }
  for (std::uint32_t i = 0; i < catalog.effect_count(); ++i) {
    const CatalogEffect effect = catalog.effect(i);
    data.effects.push_back({effect.kind, effect.type_id, effect.pool_size, effect.prefab});
  }
  for (std::uint32_t i = 0; i < catalog.presentation_count(); ++i) {
    const CatalogPresentation row = catalog.presentation(i);
    data.presentations.push_back({row.key, row.presentation});
  }
  for (std::uint32_t i = 0; i < catalog.component_count(); ++i) {
    data.components.push_back(catalog.describe_component(i));
  }
  for (std::uint32_t i = 0; i < catalog.variant_value_count(); ++i) {
    const CatalogVariantValue value = catalog.variant_value(i);
    data.variant_values.push_back(
        {std::string(value.axis), std::string(value.value), value.is_default, value.is_built_in});
  }
  for (std::uint32_t i = 0; i < catalog.alternative_count(); ++i) {
    const CatalogAlternative row = catalog.alternative(i);
    AlternativeData& alternative = data.alternatives.emplace_back();
    alternative.bundle = catalog.bundle(row.bundle).name;
    alternative.alternative = catalog.bundle(row.alternative).name;
    for (std::uint32_t k = 0; k < row.key_count; ++k) {
      alternative.keys.push_back(catalog.alternative_key(row, k));
    }
  }
  for (std::uint32_t i = 0; i < catalog.dictionary_count(); ++i) {
    const CatalogDictionary record = catalog.dictionary(i);
    data.dictionaries.push_back({record.hash, record.file_bytes, record.kind});
  }
  return data;
}

Result<ByteVector> encode_again(const ObjectReader& object) {
  std::vector<std::string_view> type_names;
  for (std::uint32_t i = 0; i < object.document_count(); ++i) {
    type_names.push_back(object.document(i).type_name);
  }
  return encode_object(object_to_tree(object), type_names);
}

std::size_t guid_count(const ObjectReader& object) {
  std::set<Guid> guids;
  for (std::uint32_t i = 0; i < object.document_count(); ++i) {
    if (const auto root = object.document(i).root) add_guids(*root, guids);
  }
  return guids.size();
}

std::optional<std::string> difference(const yaml::Tree& a, const yaml::Tree& b) {
  if (a.documents.size() != b.documents.size()) return "document counts differ";
  for (std::size_t i = 0; i < a.documents.size(); ++i) {
    const yaml::Document& x = a.documents[i];
    const yaml::Document& y = b.documents[i];
    const bool is_equal = x.class_id == y.class_id && x.file_id == y.file_id &&
                          x.is_stripped == y.is_stripped &&
                          (x.root == yaml::kNoNode) == (y.root == yaml::kNoNode);
    if (!is_equal) return "document " + std::to_string(i) + " differs";
    if (x.root == yaml::kNoNode) continue;
    if (auto found = difference(a, x.root, b, y.root)) return found;
  }
  return std::nullopt;
}

}  // namespace muster::samples
