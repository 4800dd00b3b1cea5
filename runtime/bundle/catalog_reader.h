// Reads the catalog in place. The format is described in BUNDLE_FORMAT.md, section 2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/guid.h"
#include "registry/base/result.h"
#include "registry/base/type_id.h"
#include "registry/components/component.h"
#include "runtime/bundle/bundle_layout.h"
#include "runtime/bundle/bundle_name.h"

namespace muster {

// The decoded records. Texts are views of the catalog's bytes. An index field is `layout::kNone` if
// there is no such record.

/// A bundle of the build.
struct CatalogBundle {
  BundleName name{};
  ContentHash hash{};  ///< Equal to `BundleReader::bundle_hash()` of the file.
  std::uint64_t file_bytes = 0;
  std::uint32_t first_dependency = 0;
  std::uint32_t dependency_count = 0;
};

/// An asset, and the bundle that contains it.
struct CatalogAsset {
  Guid guid{};
  std::string_view path{};
  std::uint32_t bundle = layout::kNone;
};

/// A registry, and the ranges of its entries and slots.
struct CatalogRegistry {
  Guid guid{};
  std::string_view class_name{};
  std::string_view path{};
  std::uint32_t first_entry = 0;
  std::uint32_t entry_count = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t slot_count = 0;
};

/// An entry of a registry of prefabs.
struct CatalogEntry {
  TypeId type_id{};
  Guid guid{};
  Guid owner{};             ///< The asset that defines the entry, or null.
  std::string_view role{};  ///< The registry field that contains `guid`.
  std::uint32_t asset = layout::kNone;
  std::uint32_t bundle = layout::kNone;
  TargetSet targets{};
  bool is_factory = false;
};

/// An effect of a spatial or hitscan registry.
struct CatalogEffect {
  EffectKind kind = EffectKind::spatial;
  TypeId type_id{};
  std::uint32_t pool_size = 0;
  Guid prefab{};
  std::uint32_t bundle = layout::kNone;
};

/// The key of a presentation.
struct PresentationKey {
  Guid owner{};
  /// A set of bits. A lookup finds records that have all of these bits.
  std::uint16_t platforms = 0;
  PresentationType type{};
  std::uint16_t variation = 0;
  friend auto operator<=>(const PresentationKey&, const PresentationKey&) = default;
};

/// The presentation of a prefab.
struct CatalogPresentation {
  PresentationKey key{};
  Guid presentation{};
  std::uint32_t bundle = layout::kNone;
};

/// A described component.
struct CatalogComponent {
  std::string_view name{};
  ContentHash hash{};
  std::uint32_t size_bytes = 0;
  std::uint32_t alignment_bytes = 1;
};

/// A value of a variant axis. The game can choose the value, or the build was made for the value.
struct CatalogVariantValue {
  std::string_view axis{};
  std::string_view value{};
  bool is_default = false;  ///< True for the value that is used if no value is chosen.
  /// True if the build was made for this value; then the axis has no other value.
  bool is_built_in = false;
};

/// A bundle that replaces another bundle if all of its keys are chosen.
struct CatalogAlternative {
  std::uint32_t bundle = 0;
  std::uint32_t alternative = 0;
  std::uint32_t first_key = 0;
  std::uint32_t key_count = 0;
};

/// A compression dictionary of the build.
struct CatalogDictionary {
  ContentHash hash{};  ///< The hash of the file, which is also the file's name.
  std::uint32_t file_bytes = 0;
  EntryKind kind = EntryKind::raw;  ///< The kind of entries for which the dictionary was trained.
};

/// Consecutive records: `[first, first + count)`.
struct RecordRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Reads a catalog in the caller's memory. The bytes must stay valid while the reader and its texts
/// are used. Allocates nothing. A copy takes little time. Several threads may read.
///
/// The index of a record must be less than the number of records of its section. A lookup returns
/// no value if there is no such record.
class CatalogReader {
 public:
  /// Checks every rule of the document, including the fingerprint. The time is linear in the size.
  /// In addition, each reference by guid needs a binary search. Fails with `truncated`,
  /// `unsupported_version`, `limit_exceeded`, `hash_mismatch` or `malformed`.
  static Result<CatalogReader> open(Bytes bytes);

  Target target() const;
  /// True if the bundles are cooked on request, so their records have no hash and no size.
  bool is_preview() const;
  ContentHash fingerprint() const;
  /// A hash that is equal in the catalogs of a client and a server if they can play together.
  ContentHash agreement() const;

  std::uint32_t bundle_count() const { return count(Section::bundles); }
  CatalogBundle bundle(std::uint32_t index) const;
  /// Finds a bundle by a binary search for its name.
  std::optional<std::uint32_t> find_bundle(const BundleName& name) const;
  /// The index of a bundle that must be open for the contents of `bundle`. Requires: `index <
  /// bundle.dependency_count`.
  std::uint32_t dependency(const CatalogBundle& bundle, std::uint32_t index) const;

  std::uint32_t asset_count() const { return count(Section::assets); }
  CatalogAsset asset(std::uint32_t index) const;
  /// Finds an asset by a binary search for its guid.
  std::optional<CatalogAsset> find_asset(const Guid& guid) const;
  /// The bundle that contains an asset; no value if no bundle contains the asset.
  std::optional<std::uint32_t> bundle_of(const Guid& guid) const;

  std::uint32_t registry_count() const { return count(Section::registries); }
  CatalogRegistry registry(RegistryIndex index) const;
  /// The first registry of a class.
  std::optional<CatalogRegistry> find_registry(std::string_view class_name) const;

  std::uint32_t entry_count() const { return count(Section::entries); }
  CatalogEntry entry(std::uint32_t index) const;
  /// All entries of a type id; empty if the id is not assigned. The time is linear in the number of
  /// these entries.
  RecordRange entries_of(const CatalogRegistry& registry, TypeId type_id) const;
  /// The first entry of a type id. Reads one array element.
  std::optional<CatalogEntry> resolve(const CatalogRegistry& registry, TypeId type_id) const;
  /// Does the same as the first `resolve`, but searches the registries of a class for the first
  /// registry that has the id. This search takes additional time.
  std::optional<CatalogEntry> resolve(std::string_view class_name, TypeId type_id) const;

  std::uint32_t effect_count() const { return count(Section::effects); }
  CatalogEffect effect(std::uint32_t index) const;
  std::optional<CatalogEffect> find_effect(EffectKind kind, TypeId type_id) const;

  std::uint32_t presentation_count() const { return count(Section::presentations); }
  CatalogPresentation presentation(std::uint32_t index) const;
  /// The first presentation that has the owner, type and variation of `key`, and all platforms of
  /// `key`.
  std::optional<CatalogPresentation> find_presentation(const PresentationKey& key) const;

  std::uint32_t component_count() const { return count(Section::components); }
  CatalogComponent component(std::uint32_t index) const;
  std::optional<std::uint32_t> find_component(std::string_view name) const;
  /// Decodes a whole description. Allocates.
  ComponentDescription describe_component(std::uint32_t index) const;

  /// The number of values of all axes. Axes and values are in the order of their declaration, so
  /// the values of one axis are consecutive.
  std::uint32_t variant_value_count() const { return count(Section::variant_values); }
  CatalogVariantValue variant_value(std::uint32_t index) const;

  std::uint32_t alternative_count() const { return count(Section::alternatives); }
  CatalogAlternative alternative(std::uint32_t index) const;
  /// The alternatives of a bundle; empty if the bundle has no alternatives.
  RecordRange alternatives_of(std::uint32_t bundle) const;
  /// The index of a value that must be chosen for this alternative. Requires: `index <
  /// alternative.key_count`.
  std::uint32_t alternative_key(const CatalogAlternative& alternative, std::uint32_t index) const;

  /// The number of dictionaries. `dictionary_path` returns the path of a dictionary.
  std::uint32_t dictionary_count() const { return count(Section::dictionaries); }
  CatalogDictionary dictionary(std::uint32_t index) const;

 private:
  using Section = layout::catalog::Section;
  friend class CatalogCheck;

  struct SectionRange {
    std::uint32_t offset_bytes = 0;
    std::uint32_t count = 0;
  };

  explicit CatalogReader(Bytes bytes) : bytes_(bytes) {}
  const SectionRange& range(Section section) const {
    return sections_[static_cast<std::size_t>(section)];
  }
  std::uint32_t count(Section section) const { return range(section).count; }
  std::size_t record_at(Section section, std::uint32_t index) const;
  std::string_view text_at(std::size_t offset) const;
  Result<ComponentDescription> decode_component(std::uint32_t index) const;

  Bytes bytes_;
  std::array<SectionRange, layout::catalog::kSectionCount> sections_;
};

/// The keys of an alternative as text, for example "quality=low,language=de".
std::string keys_text(const CatalogReader& catalog, const CatalogAlternative& alternative);

}  // namespace muster
