// Every accessor decodes one record of fixed size. `CatalogCheck` has checked all offsets, ranges
// and orders in `open`, so the accessors check nothing again.
#include "runtime/bundle/catalog_reader.h"

#include <algorithm>
#include <cassert>

#include "runtime/bundle/catalog_check.h"
#include "runtime/bundle/component_codec.h"
#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::catalog;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

// The first index in [low, high) for which `is_before(index)` is false, or `high`. Requires: if
// `is_before` is false for an index, it is false for all later indices.
template <typename IsBefore>
std::uint32_t lower_bound(std::uint32_t low, std::uint32_t high, IsBefore is_before) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

Result<CatalogReader> CatalogReader::open(Bytes bytes) {
  CatalogReader reader(bytes);
  Result<void> checked = CatalogCheck(reader).run();
  if (!checked) return fail(checked.error());
  return reader;
}

Target CatalogReader::target() const {
  return static_cast<Target>(load<std::uint16_t>(bytes_, header::kTargetAt));
}
bool CatalogReader::is_preview() const {
  return (load<std::uint16_t>(bytes_, header::kFlagsAt) & kIsPreview) != 0;
}
ContentHash CatalogReader::fingerprint() const { return load_hash(bytes_, header::kFingerprintAt); }
ContentHash CatalogReader::agreement() const { return load_hash(bytes_, header::kAgreementAt); }

CatalogBundle CatalogReader::bundle(std::uint32_t index) const {
  using namespace bundle_record;  // NOLINT(google-build-using-namespace)
  constexpr std::size_t kBytes = kRecordBytes[static_cast<std::size_t>(Section::bundles)];
  // A span of constant size needs only one bounds check for all fields.
  assert(index < bundle_count());
  const auto row = bytes_.subspan(record_at(Section::bundles, index)).first<kBytes>();
  CatalogBundle record;
  record.name.kind = static_cast<BundleKind>(load<std::uint16_t>(row, kKindAt));
  record.name.bytes = load_hash(row, kNameAt).bytes;
  record.hash = load_hash(row, kHashAt);
  record.file_bytes = load<std::uint64_t>(row, bundle_record::kFileBytesAt);
  record.first_dependency = load<std::uint32_t>(row, kFirstDependencyAt);
  record.dependency_count = load<std::uint32_t>(row, kDependencyCountAt);
  return record;
}

std::optional<std::uint32_t> CatalogReader::find_bundle(const BundleName& name) const {
  const std::uint32_t found =
      lower_bound(0, bundle_count(), [&](std::uint32_t i) { return bundle(i).name < name; });
  if (found == bundle_count() || bundle(found).name != name) return std::nullopt;
  return found;
}

std::uint32_t CatalogReader::dependency(const CatalogBundle& bundle, std::uint32_t index) const {
  assert(index < bundle.dependency_count);
  return load<std::uint32_t>(bytes_,
                             record_at(Section::dependencies, bundle.first_dependency + index));
}

CatalogDictionary CatalogReader::dictionary(std::uint32_t index) const {
  using namespace dictionary_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::dictionaries, index);
  return {.hash = load_hash(bytes_, at + kHashAt),
          .file_bytes = load<std::uint32_t>(bytes_, at + kBytesAt),
          .kind = static_cast<EntryKind>(load<std::uint16_t>(bytes_, at + kKindAt))};
}

CatalogAsset CatalogReader::asset(std::uint32_t index) const {
  const std::size_t at = record_at(Section::assets, index);
  return {.guid = load_guid(bytes_, at + asset_record::kGuidAt),
          .path = text_at(at + asset_record::kPathAt),
          .bundle = load<std::uint32_t>(bytes_, at + asset_record::kBundleAt)};
}

std::optional<CatalogAsset> CatalogReader::find_asset(const Guid& guid) const {
  const std::uint32_t found = lower_bound(0, asset_count(), [&](std::uint32_t i) {
    return load_guid(bytes_, record_at(Section::assets, i) + asset_record::kGuidAt) < guid;
  });
  if (found == asset_count()) return std::nullopt;
  const CatalogAsset record = asset(found);
  if (record.guid != guid) return std::nullopt;
  return record;
}

std::optional<std::uint32_t> CatalogReader::bundle_of(const Guid& guid) const {
  const std::optional<CatalogAsset> found = find_asset(guid);
  if (!found || found->bundle == layout::kNone) return std::nullopt;
  return found->bundle;
}

CatalogRegistry CatalogReader::registry(RegistryIndex index) const {
  using namespace registry_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::registries, catalog_index(index));
  return {.guid = load_guid(bytes_, at + kGuidAt),
          .class_name = text_at(at + kClassNameAt),
          .path = text_at(at + kPathAt),
          .first_entry = load<std::uint32_t>(bytes_, at + kFirstEntryAt),
          .entry_count = load<std::uint32_t>(bytes_, at + kEntryCountAt),
          .first_slot = load<std::uint32_t>(bytes_, at + kFirstSlotAt),
          .slot_count = load<std::uint32_t>(bytes_, at + kSlotCountAt)};
}

std::optional<CatalogRegistry> CatalogReader::find_registry(std::string_view class_name) const {
  const std::uint32_t found = lower_bound(0, registry_count(), [&](std::uint32_t i) {
    return registry(RegistryIndex{i}).class_name < class_name;
  });
  if (found == registry_count()) return std::nullopt;
  const CatalogRegistry record = registry(RegistryIndex{found});
  if (record.class_name != class_name) return std::nullopt;
  return record;
}

CatalogEntry CatalogReader::entry(std::uint32_t index) const {
  using namespace entry_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::entries, index);
  const auto targets = load<std::uint8_t>(bytes_, at + kTargetsAt);
  CatalogEntry record;
  record.type_id = TypeId(load<std::uint32_t>(bytes_, at + kTypeIdAt));
  record.guid = load_guid(bytes_, at + kGuidAt);
  record.owner = load_guid(bytes_, at + kOwnerAt);
  record.role = text_at(at + kRoleAt);
  record.asset = load<std::uint32_t>(bytes_, at + kAssetAt);
  record.bundle = load<std::uint32_t>(bytes_, at + kBundleAt);
  for (const Target target : {Target::client, Target::server}) {
    if ((targets & static_cast<std::uint8_t>(target)) != 0) {
      record.targets = record.targets | target;
    }
  }
  record.is_factory = (load<std::uint8_t>(bytes_, at + entry_record::kFlagsAt) & kIsFactory) != 0;
  return record;
}

RecordRange CatalogReader::entries_of(const CatalogRegistry& registry, TypeId type_id) const {
  if (type_id.value() >= registry.slot_count) return {};
  const auto first =
      load<std::uint32_t>(bytes_, record_at(Section::slots, registry.first_slot + type_id.value()));
  if (first == layout::kNone) return {};
  const std::uint32_t end = registry.first_entry + registry.entry_count;
  std::uint32_t last = first;
  while (last < end &&
         load<std::uint32_t>(bytes_, record_at(Section::entries, last) + entry_record::kTypeIdAt) ==
             type_id.value()) {
    ++last;
  }
  return {.first = first, .count = last - first};
}

std::optional<CatalogEntry> CatalogReader::resolve(const CatalogRegistry& registry,
                                                   TypeId type_id) const {
  if (type_id.value() >= registry.slot_count) return std::nullopt;
  const auto index =
      load<std::uint32_t>(bytes_, record_at(Section::slots, registry.first_slot + type_id.value()));
  if (index == layout::kNone) return std::nullopt;
  return entry(index);
}

std::optional<CatalogEntry> CatalogReader::resolve(std::string_view class_name,
                                                   TypeId type_id) const {
  std::uint32_t index = lower_bound(0, registry_count(), [&](std::uint32_t i) {
    return registry(RegistryIndex{i}).class_name < class_name;
  });
  for (; index < registry_count(); ++index) {
    const CatalogRegistry here = registry(RegistryIndex{index});
    if (here.class_name != class_name) break;
    if (const std::optional<CatalogEntry> found = resolve(here, type_id)) return found;
  }
  return std::nullopt;
}

CatalogEffect CatalogReader::effect(std::uint32_t index) const {
  using namespace effect_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::effects, index);
  return {.kind = static_cast<EffectKind>(load<std::uint16_t>(bytes_, at + kKindAt)),
          .type_id = TypeId(load<std::uint32_t>(bytes_, at + kTypeIdAt)),
          .pool_size = load<std::uint32_t>(bytes_, at + kPoolSizeAt),
          .prefab = load_guid(bytes_, at + kPrefabAt),
          .bundle = load<std::uint32_t>(bytes_, at + kBundleAt)};
}

std::optional<CatalogEffect> CatalogReader::find_effect(EffectKind kind, TypeId type_id) const {
  const std::uint32_t found = lower_bound(0, effect_count(), [&](std::uint32_t i) {
    const CatalogEffect here = effect(i);
    return here.kind < kind || (here.kind == kind && here.type_id < type_id);
  });
  if (found == effect_count()) return std::nullopt;
  const CatalogEffect record = effect(found);
  if (record.kind != kind || record.type_id != type_id) return std::nullopt;
  return record;
}

CatalogPresentation CatalogReader::presentation(std::uint32_t index) const {
  using namespace presentation_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::presentations, index);
  CatalogPresentation record;
  record.key = {.owner = load_guid(bytes_, at + kOwnerAt),
                .platforms = load<std::uint16_t>(bytes_, at + kPlatformsAt),
                .type = PresentationType{load<std::uint32_t>(bytes_, at + kTypeAt)},
                .variation = load<std::uint16_t>(bytes_, at + kVariationAt)};
  record.presentation = load_guid(bytes_, at + kPresentationAt);
  record.bundle = load<std::uint32_t>(bytes_, at + kBundleAt);
  return record;
}

std::optional<CatalogPresentation> CatalogReader::find_presentation(
    const PresentationKey& key) const {
  std::uint32_t index = lower_bound(0, presentation_count(), [&](std::uint32_t i) {
    return presentation(i).key.owner < key.owner;
  });
  for (; index < presentation_count(); ++index) {
    const CatalogPresentation here = presentation(index);
    if (here.key.owner != key.owner) break;
    const bool is_match = here.key.type == key.type && here.key.variation == key.variation &&
                          (here.key.platforms & key.platforms) == key.platforms;
    if (is_match) return here;
  }
  return std::nullopt;
}

CatalogComponent CatalogReader::component(std::uint32_t index) const {
  using namespace component_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::components, index);
  return {.name = text_at(at + kNameAt),
          .hash = load_hash(bytes_, at + kHashAt),
          .size_bytes = load<std::uint32_t>(bytes_, at + kSizeBytesAt),
          .alignment_bytes = load<std::uint32_t>(bytes_, at + kAlignmentAt)};
}

std::optional<std::uint32_t> CatalogReader::find_component(std::string_view name) const {
  const std::uint32_t found =
      lower_bound(0, component_count(), [&](std::uint32_t i) { return component(i).name < name; });
  if (found == component_count() || component(found).name != name) return std::nullopt;
  return found;
}

ComponentDescription CatalogReader::describe_component(std::uint32_t index) const {
  Result<ComponentDescription> decoded = decode_component(index);
  assert(decoded.has_value());  // Checked on open.
  return std::move(decoded.value());
}

CatalogVariantValue CatalogReader::variant_value(std::uint32_t index) const {
  using namespace variant_value_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::variant_values, index);
  const auto flags = load<std::uint16_t>(bytes_, at + variant_value_record::kFlagsAt);
  return {.axis = text_at(at + kAxisAt),
          .value = text_at(at + kValueAt),
          .is_default = (flags & kIsDefault) != 0,
          .is_built_in = (flags & kIsBuiltIn) != 0};
}

CatalogAlternative CatalogReader::alternative(std::uint32_t index) const {
  using namespace alternative_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::alternatives, index);
  return {.bundle = load<std::uint32_t>(bytes_, at + alternative_record::kBundleAt),
          .alternative = load<std::uint32_t>(bytes_, at + kAlternativeAt),
          .first_key = load<std::uint32_t>(bytes_, at + kFirstKeyAt),
          .key_count = load<std::uint32_t>(bytes_, at + kKeyCountAt)};
}

RecordRange CatalogReader::alternatives_of(std::uint32_t bundle) const {
  const std::uint32_t first = lower_bound(
      0, alternative_count(), [&](std::uint32_t i) { return alternative(i).bundle < bundle; });
  std::uint32_t end = first;
  while (end < alternative_count() && alternative(end).bundle == bundle) ++end;
  return {.first = first, .count = end - first};
}

std::uint32_t CatalogReader::alternative_key(const CatalogAlternative& alternative,
                                             std::uint32_t index) const {
  assert(index < alternative.key_count);
  return load<std::uint32_t>(bytes_,
                             record_at(Section::alternative_keys, alternative.first_key + index));
}

std::size_t CatalogReader::record_at(Section section, std::uint32_t index) const {
  assert(index < count(section));
  return range(section).offset_bytes +
         std::size_t{index} * kRecordBytes[static_cast<std::size_t>(section)];
}

std::string_view CatalogReader::text_at(std::size_t offset) const {
  const auto start = load<std::uint32_t>(bytes_, offset);
  const auto length = load<std::uint32_t>(bytes_, offset + 4);
  return as_text(bytes_.subspan(range(Section::text).offset_bytes + start, length));
}

Result<ComponentDescription> CatalogReader::decode_component(std::uint32_t index) const {
  using namespace component_record;  // NOLINT(google-build-using-namespace)
  const std::size_t at = record_at(Section::components, index);
  const auto offset = load<std::uint32_t>(bytes_, at + kDescriptionAt);
  const auto size = load<std::uint32_t>(bytes_, at + kDescriptionBytesAt);
  const CatalogComponent record = component(index);
  return muster::decode_component(
      bytes_.subspan(range(Section::descriptions).offset_bytes + offset, size),
      {.name = record.name,
       .size_bytes = record.size_bytes,
       .alignment_bytes = record.alignment_bytes});
}

std::string keys_text(const CatalogReader& catalog, const CatalogAlternative& alternative) {
  std::string text;
  for (std::uint32_t i = 0; i < alternative.key_count; ++i) {
    const auto value = catalog.variant_value(catalog.alternative_key(alternative, i));
    text += text.empty() ? "" : ",";
    text.append(value.axis).append("=").append(value.value);
  }
  return text;
}

}  // namespace muster
