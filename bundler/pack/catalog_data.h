// The content of a catalog as plain data. A build fills in this data, and `encode_catalog` converts
// the data to bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "registry/base/type_id.h"
#include "registry/components/component.h"
#include "runtime/bundle/bundle_name.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

struct BundleData {
  BundleName name{};
  ContentHash hash{};
  std::uint64_t file_bytes = 0;
  /// All other bundles that must be open when this bundle is used, in any order.
  std::vector<BundleName> dependencies{};
};

struct AssetData {
  Guid guid{};
  std::string path{};
  /// The bundle of the asset; no value for an asset that is not packed.
  std::optional<BundleName> bundle{};
};

struct RegistryEntryData {
  TypeId type_id{};
  Guid guid{};
  Guid owner{};        ///< The asset that defines the entry, or null.
  std::string role{};  ///< The registry field that names `guid`; may be empty.
  TargetSet targets{};
  bool is_factory = false;
};

struct RegistryData {
  std::string class_name{};
  Guid guid{};
  std::string path{};
  std::vector<RegistryEntryData> entries{};
};

struct EffectData {
  EffectKind kind = EffectKind::spatial;
  TypeId type_id{};
  std::uint32_t pool_size = 0;
  Guid prefab{};
};

struct PresentationData {
  PresentationKey key{};
  Guid presentation{};
};

struct VariantValueData {
  std::string axis{};
  std::string value{};
  bool is_default = false;
  bool is_built_in = false;
};

struct AlternativeData {
  BundleName bundle{};
  BundleName alternative{};
  std::vector<std::uint32_t> keys{};  ///< Indices in `CatalogData::variant_values`, ascending.
};

struct DictionaryData {
  ContentHash hash{};
  std::uint32_t file_bytes = 0;
  EntryKind kind = EntryKind::raw;
};

/// The content of a catalog. All lists may be in any order, except that the catalog keeps the order
/// of `variant_values`. Entries, effects and presentations do not name their bundles here, because
/// the writer finds the bundle of each asset.
struct CatalogData {
  /// True if bundles are cooked on request, so that their hashes and sizes are not known.
  bool is_preview = false;
  Target target = Target::client;
  ContentHash agreement{};
  std::vector<BundleData> bundles{};
  std::vector<AssetData> assets{};
  std::vector<RegistryData> registries{};
  std::vector<EffectData> effects{};
  std::vector<PresentationData> presentations{};
  std::vector<ComponentDescription> components{};
  std::vector<VariantValueData> variant_values{};
  std::vector<AlternativeData> alternatives{};
  std::vector<DictionaryData> dictionaries{};
};

}  // namespace muster
