#include "bundler/cook/asset_cooker.h"

#include <algorithm>

#include "bundler/cook/object_writer.h"
#include "bundler/cook/prefab_writer.h"
#include "registry/model/open_variants.h"
#include "registry/model/plain_components.h"
#include "registry/model/stripped_parts.h"
#include "registry/rules/packing.h"

namespace muster {
namespace {

/// The component whose field stores the guid of the prefab on whose root the component is. The
/// runtime finds the type of a level's entity by this guid.
constexpr std::string_view kReplicatedComponent = "ReplicatedEntity";
constexpr std::string_view kOwnGuidField = "assetGuid";

/// The field for the prefab's guid; null if the component has no such field.
const FieldDescription* own_guid_field(const ComponentDescription& component) {
  if (component.name != kReplicatedComponent) return nullptr;
  const FieldDescription* const field = component.find(kOwnGuidField);
  const bool is_guid = field != nullptr && field->type == FieldType::asset && field->count == 1;
  return is_guid ? field : nullptr;
}

AssetPath meta_path(const AssetPath& path) {
  return path.parent().child(std::string(path.name()) + ".meta");
}

}  // namespace

AssetCooker::AssetCooker(const Project& project,
                         const std::vector<ComponentDescription>& components,
                         const StripRules* strips)
    : project_(project), strips_(strips) {
  for (const ComponentDescription& component : components) {
    components_.emplace(component.name, &component);
  }
}

const ComponentDescription* AssetCooker::description_of(
    std::string_view class_name, std::vector<CookQuestion>& questions) const {
  questions.push_back(
      {.kind = CookQuestionKind::component, .guid = {}, .text = std::string(class_name)});
  const auto found = components_.find(class_name);
  return found == components_.end() ? nullptr : found->second;
}

CookedAsset AssetCooker::cook(AssetNumber asset) const {
  CookedAsset result;
  Packing packing = packing_but_sidecar(project_, asset);
  if (packing.fault) {
    result.problems.push_back(
        {std::move(packing.fault->location), std::move(packing.fault->message)});
  } else if (packing.is_text) {
    cook_text(project_.sources().get(asset), asset, result);
  } else {
    cook_raw(project_.index().at(asset), result);
  }
  const Guid& guid = packed_guid(project_, asset);
  for (CookedEntry& entry : result.entries) entry.guid = guid;
  return result;
}

CookedAsset AssetCooker::cook_text_sample(AssetNumber asset) const {
  CookedAsset result;
  Packing packing = packing_but_sidecar(project_, asset);
  if (packing.is_text && !packing.fault) {
    cook_text(project_.sources().get(asset), asset, result);
  } else {
    add_raw_questions(project_.index().at(asset).guid, result.questions);
  }
  return result;
}

CookedAsset AssetCooker::cook_settings(AssetNumber asset) const {
  CookedAsset result;
  const Asset& own = project_.index().at(asset);
  result.questions.push_back({.kind = CookQuestionKind::sidecar, .guid = own.guid, .text = {}});
  add_settings(own, result);
  return result;
}

void AssetCooker::add_object(const SourceFile& source, EntryKind kind, std::int64_t local_id,
                             const Guid& guid, CookedAsset& result) const {
  std::vector<std::string> names(source.tree.documents.size());
  std::vector<std::string_view> views(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto script = yaml::reference_at(
        source.tree, source.tree.find(source.fields_of(static_cast<int>(i)), "m_Script"));
    if (script) names[i] = project_.scripts().class_of(script.value().guid);
    views[i] = names[i];
  }
  const std::vector<StrippedPart> without =
      strips_ == nullptr ? std::vector<StrippedPart>()
                         : stripped_parts(source, project_.scripts(), *strips_);
  for (const StrippedPart& part : without) {
    if (part.document >= 0) views[static_cast<std::size_t>(part.document)] = part.class_name;
  }
  auto bytes = without.empty() ? encode_object(source.tree, views)
                               : encode_object(tree_without(source, without), views);
  if (!bytes) {
    result.problems.push_back({{source.path, {}}, bytes.error().message});
    return;
  }
  result.entries.push_back({guid, local_id, kind, std::move(bytes).value()});
}

void AssetCooker::cook_text(const SourceFile& source, AssetNumber asset,
                            CookedAsset& result) const {
  result.source_bytes = source.bytes.size();
  add_object(source, EntryKind::object, kMainPayload, source.guid, result);
  if (is_prefab(project_.sources(), asset)) {
    const SourcePrefab& prefab = project_.prefabs().flatten(asset);
    add_text_questions(project_, asset, &prefab, result.questions);
    add_stripping_questions(project_, source, result.questions);
    cook_prefab(asset, prefab, result);
    return;
  }
  add_text_questions(project_, asset, nullptr, result.questions);
  add_stripping_questions(project_, source, result.questions);
  if (!is_factory(asset, result.questions)) return;
  result.questions.push_back({.kind = CookQuestionKind::name, .guid = source.guid});
  cook_prefab(asset, factory_prefab(source, asset, result.questions), result);
}

bool AssetCooker::is_factory(AssetNumber asset, std::vector<CookQuestion>& questions) const {
  const std::string class_name = class_of_asset(project_, asset);
  questions.push_back({.kind = CookQuestionKind::factory, .guid = {}, .text = class_name});
  return !class_name.empty() && project_.scripts().derives_from(class_name, kFactoryClass);
}

namespace {

// Adds a problem for a second component of the same type. An entity may have only one component of
// each type.
void note_second(const SourceComponent& component, const SourceEntity& entity,
                 std::vector<CookProblem>& problems) {
  const SourceComponent* const first = entity.find(component.class_name);
  if (first == &component) return;
  const ComponentLayer& layer = component.layers.back();
  problems.push_back({{layer.source->path, layer.named_at},
                      message_for_second(entity.name, component.class_name)});
}

}  // namespace

std::vector<CookProblem> AssetCooker::unfit_values(AssetNumber asset) const {
  std::vector<CookProblem> problems;
  std::vector<CookQuestion> questions;  // The questions are not used here.
  if (components_.empty() || !holds_references(project_.index().at(asset).path)) return problems;
  const Packing packing = packing_but_sidecar(project_, asset);
  if (packing.fault || !packing.is_text) return problems;
  const auto check = [&](const SourcePrefab& prefab) {
    for (const SourceEntity& entity : prefab.entities) {
      for (const SourceComponent& component : entity.components) {
        const ComponentDescription* description = description_of(component.class_name, questions);
        if (description == nullptr) continue;
        cook_component(*description, component, problems);
        note_second(component, entity, problems);
      }
    }
  };
  if (is_prefab(project_.sources(), asset)) {
    check(project_.prefabs().flatten(asset));
  } else if (is_factory(asset, questions)) {
    check(factory_prefab(project_.sources().get(asset), asset, questions));
  }
  return problems;
}

void AssetCooker::cook_prefab(AssetNumber asset, const SourcePrefab& prefab,
                              CookedAsset& result) const {
  const Asset& own = project_.index().at(asset);
  PrefabData data;
  for (const SourceEntity& entity : prefab.entities) {
    PrefabEntity& packed = data.entities.emplace_back();
    packed.name = entity.name;
    packed.source_id = entity.file_id;
    // A prefab has one root, so entities without a parent in a damaged hierarchy become children of
    // the root.
    if (data.entities.size() > 1) {
      packed.parent = entity.parent < 0 ? 0U : static_cast<std::uint32_t>(entity.parent);
    }
    packed.is_active = entity.active;
    for (const SourceComponent& component : entity.components) {
      // The question is recorded for both targets, so that the bundles of both targets have the
      // same list of questions in a cache.
      const ClassOwner owner = owner_of_class(component.class_id);
      result.questions.push_back(question_of_stripping(component.class_name, owner));
      const ComponentDescription* description =
          description_of(component.class_name, result.questions);
      const FieldDescription* own_guid = description != nullptr && !entity.prefab.is_null()
                                             ? own_guid_field(*description)
                                             : nullptr;
      if (own_guid != nullptr) {
        result.questions.push_back({CookQuestionKind::packed_guid, entity.prefab, {}});
      }
      if (strips(component.class_name, owner)) continue;
      PrefabComponent& added = packed.components.emplace_back();
      added.type = component.class_name.empty() ? "MonoBehaviour" : component.class_name;
      const ComponentLayer& layer = component.layers.back();
      if (layer.source->guid == own.guid && layer.document >= 0) {
        added.document = static_cast<std::uint32_t>(layer.document);
      }
      if (description != nullptr) {
        note_second(component, entity, result.problems);
        ByteVector value = cook_component(*description, component, result.problems);
        if (own_guid != nullptr) set_own_guid(*own_guid, entity, value);
        added.cooked = CookedComponent{description->hash(), std::move(value)};
      }
    }
  }
  auto bytes = encode_prefab(data);
  if (!bytes) {
    result.problems.push_back({{own.path, {}}, bytes.error().message});
    return;
  }
  result.entries.push_back(
      {own.guid, kFlattenedPrefab, EntryKind::prefab, std::move(bytes).value()});
}

void AssetCooker::set_own_guid(const FieldDescription& field, const SourceEntity& entity,
                               ByteVector& component) const {
  const auto stored = std::span(component).subspan(field.offset_bytes, field.element_bytes);
  if (!Guid::from_bytes(stored).is_null()) return;
  const AssetNumber prefab = project_.index().find(entity.prefab);
  std::ranges::copy(packed_guid(project_, prefab).bytes(), stored.begin());
}

// Makes a prefab with one entity from a factory. If the factory has no components, the factory
// itself is the component. A class with a description or a script does not count as a class of the
// engine, even if the engine has a class with the same name.
SourcePrefab AssetCooker::factory_prefab(const SourceFile& source, AssetNumber asset,
                                         std::vector<CookQuestion>& questions) const {
  const yaml::NodeIndex fields = source.fields_of(source.document_of(0));
  SourcePrefab factory;
  SourceEntity& entity = factory.entities.emplace_back();
  entity.name = source.path.stem();
  entity.prefab = source.guid;
  const auto describes = [&](std::string_view name) {
    return description_of(name, questions) != nullptr;
  };
  for (FactoryPart& part : factory_parts(source, describes)) {
    SourceComponent& component = entity.components.emplace_back();
    if (!part.is_listed) component.class_id = kScriptClass;
    component.class_name = std::move(part.class_name);
    component.layers.push_back({&source, part.fields, -1, part.named_at});
  }
  if (entity.components.empty()) {
    SourceComponent& component = entity.components.emplace_back();
    component.class_id = kScriptClass;
    component.class_name = class_of_asset(project_, asset);
    component.layers.push_back({&source, fields, source.document_of(0), {}});
  }
  return factory;
}

void AssetCooker::cook_raw(const Asset& asset, CookedAsset& result) const {
  add_raw_questions(asset.guid, result.questions);
  ByteVector buffer;
  const auto bytes = read_whole(project_.files(), asset.path, kRawBytesMax, buffer);
  if (!bytes) {
    result.problems.push_back({{asset.path, {}}, bytes.error().message});
    return;
  }
  result.source_bytes = bytes.value().size();
  buffer.resize(bytes.value().size());
  result.entries.push_back({asset.guid, kMainPayload, EntryKind::raw, std::move(buffer)});
  add_settings(asset, result);
}

void AssetCooker::add_settings(const Asset& asset, CookedAsset& result) const {
  SourceFile meta;
  meta.path = meta_path(asset.path);
  meta.guid = asset.guid;
  ByteVector meta_buffer;
  const auto text = read_whole(project_.files(), meta.path, kSidecarBytesMax, meta_buffer);
  if (!text) {
    // Every asset with a guid had a sidecar when the project was opened. So the sidecar was removed
    // after that.
    if (text.error().code == ErrorCode::not_found) return;
    result.problems.push_back({{meta.path, {}}, text.error().message});
    return;
  }
  meta.dialect = yaml::Dialect::unity;
  auto read = yaml::read_unity(as_text(text.value()));
  if (!read.good()) {
    result.problems.push_back({{meta.path, read.error().position}, read.error().message});
    return;
  }
  meta.tree = std::move(read.tree());
  auto settings = encode_object(meta.tree);
  if (!settings) {
    result.problems.push_back({{meta.path, {}}, settings.error().message});
    return;
  }
  result.entries.push_back(
      {asset.guid, kImportSettings, EntryKind::import_settings, std::move(settings).value()});
}

}  // namespace muster
