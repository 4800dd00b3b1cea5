// Sorts a copy of the data, and writes the sections in the order of the file, so that the texts are
// also in order. Then adds the header and the directory in front of the sections.
#include "bundler/pack/catalog_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <tuple>

#include "runtime/bundle/component_codec.h"
#include "runtime/bundle/dictionary.h"

namespace muster {

using namespace layout::catalog;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

// The sort key of a record, with one overload per type of record.
auto key_of(const BundleData& record) { return record.name; }
auto key_of(const AssetData& record) { return record.guid; }
auto key_of(const RegistryData& record) { return std::tuple(record.class_name, record.guid); }
auto key_of(const RegistryEntryData& record) {
  return std::tuple(record.type_id, record.guid, record.role);
}
auto key_of(const EffectData& record) { return std::tuple(record.kind, record.type_id); }
auto key_of(const PresentationData& record) { return record.key; }
auto key_of(const ComponentDescription& record) { return record.name; }
auto key_of(const AlternativeData& record) { return std::tuple(record.bundle, record.keys); }
auto key_of(const DictionaryData& record) { return dictionary_id(record.hash); }

// Sorts a list. Fails if two records have the same key.
template <typename Record>
Result<void> sort_unique(std::vector<Record>& records, std::string_view what) {
  const auto is_before = [](const Record& a, const Record& b) { return key_of(a) < key_of(b); };
  std::ranges::sort(records, is_before);
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (!is_before(records[i - 1], records[i])) {
      return fail(ErrorCode::already_exists, "the catalog has two " + std::string(what) +
                                                 " with the same key (after sorting, number " +
                                                 std::to_string(i) + ")");
    }
  }
  return {};
}

Result<void> sort_all(CatalogData& data) {
  if (Result<void> done = sort_unique(data.bundles, "bundles"); !done) return done;
  if (Result<void> done = sort_unique(data.assets, "assets"); !done) return done;
  if (Result<void> done = sort_unique(data.registries, "registries"); !done) return done;
  for (RegistryData& registry : data.registries) {
    const std::string what = "entries of " + registry.class_name;
    if (Result<void> done = sort_unique(registry.entries, what); !done) return done;
  }
  if (Result<void> done = sort_unique(data.effects, "effects"); !done) return done;
  if (Result<void> done = sort_unique(data.presentations, "presentations"); !done) return done;
  if (Result<void> done = sort_unique(data.alternatives, "alternatives"); !done) return done;
  if (Result<void> done = sort_unique(data.components, "components"); !done) return done;
  return sort_unique(data.dictionaries, "dictionaries");
}

// Builds the sections from sorted data. Stores the first error, so that the caller checks once at
// the end.
class CatalogBuilder {
 public:
  explicit CatalogBuilder(const CatalogData& data) : data_(data) {}

  Result<ByteVector> build() {
    add_bundles();
    add_assets();
    add_registries();
    add_entries();
    add_effects();
    add_presentations();
    add_components();
    add_variant_values();
    add_alternatives();
    add_dictionaries();
    if (error_) return fail(*error_);
    return assemble();
  }

 private:
  ByteWriter& out(Section section) { return sections_[static_cast<std::size_t>(section)]; }

  void refuse(ErrorCode code, std::string message) {
    if (!error_) error_ = Error{code, std::move(message)};
  }

  void add_text(ByteWriter& record, std::string_view text) {
    ByteWriter& all = out(Section::text);
    if (text.size() > kMaxTextBytes || text.find('\0') != std::string_view::npos) {
      refuse(ErrorCode::limit_exceeded,
             "a catalog's text is at most 65535 bytes without NUL; this one begins '" +
                 std::string(text.substr(0, 80)) + "'");
      return;
    }
    record.u32(static_cast<std::uint32_t>(all.size()));
    record.u32(static_cast<std::uint32_t>(text.size()));
    all.bytes(as_bytes(text));
  }

  std::uint32_t index_of(const BundleName& name) {
    const auto found = std::ranges::lower_bound(data_.bundles, name, {}, &BundleData::name);
    if (found == data_.bundles.end() || found->name != name) {
      refuse(ErrorCode::not_found,
             "bundle " + name.path() + " is named in the catalog but not listed there");
      return layout::kNone;
    }
    return static_cast<std::uint32_t>(found - data_.bundles.begin());
  }

  std::uint32_t asset_of(const Guid& guid) const {
    const auto found = std::ranges::lower_bound(data_.assets, guid, {}, &AssetData::guid);
    if (found == data_.assets.end() || found->guid != guid) return layout::kNone;
    return static_cast<std::uint32_t>(found - data_.assets.begin());
  }

  std::uint32_t bundle_of(const Guid& guid) {
    const std::uint32_t asset = asset_of(guid);
    if (asset == layout::kNone || !data_.assets[asset].bundle) return layout::kNone;
    return index_of(*data_.assets[asset].bundle);
  }

  void check_type_id(TypeId type_id) {
    if (type_id.value() <= TypeId::kMax) return;
    refuse(ErrorCode::limit_exceeded,
           "type id " + std::to_string(type_id.value()) + " is above 65534");
  }

  void add_bundles() {
    ByteWriter& record = out(Section::bundles);
    ByteWriter& dependencies = out(Section::dependencies);
    for (const BundleData& bundle : data_.bundles) {
      const std::size_t first = dependencies.size() / sizeof(std::uint32_t);
      add_dependencies(bundle, dependencies);
      record.bytes(std::as_bytes(std::span(bundle.name.bytes)));
      record.bytes(std::as_bytes(std::span(bundle.hash.bytes)));
      record.u64(bundle.file_bytes);
      record.u32(static_cast<std::uint32_t>(first));
      record.u32(static_cast<std::uint32_t>(bundle.dependencies.size()));
      record.u16(static_cast<std::uint16_t>(bundle.name.kind));
      record.u16(0);
      record.u32(0);
    }
  }

  void add_dependencies(const BundleData& bundle, ByteWriter& dependencies) {
    std::vector<std::uint32_t> indices;
    for (const BundleName& name : bundle.dependencies) {
      if (name == bundle.name) {
        refuse(ErrorCode::invalid_argument, "bundle " + name.path() + " depends on itself");
      }
      indices.push_back(index_of(name));
    }
    std::ranges::sort(indices);
    if (std::ranges::adjacent_find(indices) != indices.end()) {
      refuse(ErrorCode::already_exists,
             "bundle " + bundle.name.path() + " lists a dependency twice");
    }
    for (const std::uint32_t index : indices) dependencies.u32(index);
  }

  void add_assets() {
    ByteWriter& record = out(Section::assets);
    for (const AssetData& asset : data_.assets) {
      record.bytes(asset.guid.bytes());
      record.u32(asset.bundle ? index_of(*asset.bundle) : layout::kNone);
      add_text(record, asset.path);
      record.u32(0);
    }
  }

  void add_registries() {
    ByteWriter& record = out(Section::registries);
    std::uint32_t first_entry = 0;
    for (const RegistryData& registry : data_.registries) {
      const auto entry_count = static_cast<std::uint32_t>(registry.entries.size());
      const std::size_t first_slot = out(Section::slots).size() / sizeof(std::uint32_t);
      record.bytes(registry.guid.bytes());
      add_text(record, registry.class_name);
      add_text(record, registry.path);
      record.u32(first_entry);
      record.u32(entry_count);
      record.u32(static_cast<std::uint32_t>(first_slot));
      record.u32(add_slots(registry, first_entry));
      record.u64(0);
      first_entry += entry_count;
    }
  }

  // Adds the slots of a registry and returns their number.
  std::uint32_t add_slots(const RegistryData& registry, std::uint32_t first_entry) {
    ByteWriter& slots = out(Section::slots);
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < registry.entries.size(); ++i) {
      const TypeId type_id = registry.entries[i].type_id;
      check_type_id(type_id);
      if (error_) return 0;
      if (type_id.value() < next) continue;  // An earlier entry has the same type id.
      for (; next < type_id.value(); ++next) slots.u32(layout::kNone);
      slots.u32(first_entry + i);
      ++next;
    }
    return next;
  }

  void add_entries() {
    ByteWriter& record = out(Section::entries);
    for (const RegistryData& registry : data_.registries) {
      for (const RegistryEntryData& entry : registry.entries) {
        std::uint8_t targets = 0;
        for (const Target target : {Target::client, Target::server}) {
          if (!entry.targets.has(target)) continue;
          targets = static_cast<std::uint8_t>(targets | static_cast<std::uint8_t>(target));
        }
        if (targets == 0) {
          refuse(ErrorCode::invalid_argument, "type id " + std::to_string(entry.type_id.value()) +
                                                  " of " + registry.class_name + " has no target");
        }
        record.u32(entry.type_id.value());
        record.u32(bundle_of(entry.guid));
        record.bytes(entry.guid.bytes());
        record.bytes(entry.owner.bytes());
        add_text(record, entry.role);
        record.u32(asset_of(entry.guid));
        record.u8(targets);
        record.u8(entry.is_factory ? entry_record::kIsFactory : 0);
        record.u16(0);
      }
    }
  }

  void add_effects() {
    ByteWriter& record = out(Section::effects);
    for (const EffectData& effect : data_.effects) {
      check_type_id(effect.type_id);
      record.u32(effect.type_id.value());
      record.u32(effect.pool_size);
      record.bytes(effect.prefab.bytes());
      record.u32(bundle_of(effect.prefab));
      record.u16(static_cast<std::uint16_t>(effect.kind));
      record.u16(0);
    }
  }

  void add_presentations() {
    ByteWriter& record = out(Section::presentations);
    for (const PresentationData& row : data_.presentations) {
      record.bytes(row.key.owner.bytes());
      record.u16(row.key.platforms);
      record.u16(row.key.variation);
      record.u32(presentation_number(row.key.type));
      record.bytes(row.presentation.bytes());
      record.u32(bundle_of(row.presentation));
      record.u32(0);
    }
  }

  void add_components() {
    ByteWriter& record = out(Section::components);
    ByteWriter& descriptions = out(Section::descriptions);
    for (const ComponentDescription& component : data_.components) {
      if (Result<void> sane = check(component); !sane) {
        refuse(sane.error().code, sane.error().message);
        return;
      }
      if (!std::has_single_bit(component.alignment_bytes) ||
          component.alignment_bytes > kMaxAlignment) {
        refuse(ErrorCode::malformed, "component '" + component.name +
                                         "': its alignment is not a power of two up to 4096");
      }
      const ContentHash hash = component.hash();
      const std::size_t start = descriptions.size();
      encode_component(component, descriptions);
      record.bytes(std::as_bytes(std::span(hash.bytes)));
      add_text(record, component.name);
      record.u32(component.size_bytes);
      record.u32(component.alignment_bytes);
      record.u32(static_cast<std::uint32_t>(start));
      record.u32(static_cast<std::uint32_t>(descriptions.size() - start));
    }
  }

  void add_variant_values() {
    ByteWriter& record = out(Section::variant_values);
    for (const VariantValueData& value : data_.variant_values) {
      add_text(record, value.axis);
      add_text(record, value.value);
      record.u16(value.is_built_in  ? variant_value_record::kIsBuiltIn
                 : value.is_default ? variant_value_record::kIsDefault
                                    : 0);
      record.u16(0);
      record.u32(0);
    }
  }

  void add_alternatives() {
    ByteWriter& record = out(Section::alternatives);
    ByteWriter& keys = out(Section::alternative_keys);
    for (const AlternativeData& alternative : data_.alternatives) {
      record.u32(index_of(alternative.bundle));
      record.u32(index_of(alternative.alternative));
      record.u32(static_cast<std::uint32_t>(keys.size() / sizeof(std::uint32_t)));
      record.u32(static_cast<std::uint32_t>(alternative.keys.size()));
      for (const std::uint32_t key : alternative.keys) keys.u32(key);
    }
  }

  void add_dictionaries() {
    ByteWriter& record = out(Section::dictionaries);
    for (const DictionaryData& dictionary : data_.dictionaries) {
      record.bytes(std::as_bytes(std::span(dictionary.hash.bytes)));
      record.u32(dictionary.file_bytes);
      record.u16(static_cast<std::uint16_t>(dictionary.kind));
      record.u16(0);
    }
  }

  Result<ByteVector> assemble() {
    ByteWriter head;
    ByteWriter body;
    constexpr std::size_t kTablesEnd = header::kBytes + kSectionCount * directory::kBytes;
    static_assert(kTablesEnd % kSectionAlignment == 0);
    for (std::size_t i = 0; i < kSectionCount; ++i) {
      const std::size_t count = sections_[i].size() / kRecordBytes[i];
      assert(sections_[i].size() % kRecordBytes[i] == 0);
      body.align(kSectionAlignment);
      if (kRecordBytes[i] > 1 && count > kMaxRecords) {
        return fail(ErrorCode::limit_exceeded, "section " + std::to_string(i) +
                                                   " of the catalog has " + std::to_string(count) +
                                                   " records; at most 4194304 fit");
      }
      head.u32(static_cast<std::uint32_t>(kTablesEnd + body.size()));
      head.u32(static_cast<std::uint32_t>(count));
      head.u32(kRecordBytes[i]);
      head.u32(0);
      body.bytes(sections_[i].view());
      if (kTablesEnd + body.size() > kMaxFileBytes) {
        return fail(ErrorCode::limit_exceeded, "the catalog is larger than 2 GiB");
      }
    }
    ByteWriter hashed;  // The hashed part: the header from `kHashedFrom` on, the directory and the
                        // sections.
    hashed.u64(kTablesEnd + body.size());
    hashed.u16(static_cast<std::uint16_t>(data_.target));
    hashed.u16(0);
    hashed.u32(kSectionCount);
    hashed.bytes(std::as_bytes(std::span(data_.agreement.bytes)));
    hashed.bytes(head.view());
    hashed.bytes(body.view());
    const ContentHash fingerprint = hash_bytes(hashed.view());
    ByteWriter file;
    file.bytes(std::as_bytes(std::span(kMagic)));
    file.u16(kVersion);
    file.u16(data_.is_preview ? kIsPreview : 0);
    file.u32(0);
    file.bytes(std::as_bytes(std::span(fingerprint.bytes)));
    file.bytes(hashed.view());
    return file.release();
  }

  const CatalogData& data_;
  std::array<ByteWriter, kSectionCount> sections_;
  std::optional<Error> error_;
};

}  // namespace

Result<ByteVector> encode_catalog(const CatalogData& data) {
  CatalogData sorted = data;
  if (Result<void> done = sort_all(sorted); !done) return fail(done.error());
  return CatalogBuilder(sorted).build();
}

}  // namespace muster
