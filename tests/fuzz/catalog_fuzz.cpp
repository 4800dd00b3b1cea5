// An untrusted catalog is refused, or every record can be read and its content encodes to the same
// bytes. Hashes are corrected first, so that they do not reject damaged input.
#include <cassert>
#include <cstring>

#include "bundler/pack/catalog_writer.h"
#include "runtime/bundle/component_codec.h"
#include "runtime/bundle/little_endian.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/decoded.h"

namespace {

using namespace muster;

struct SectionRange {
  std::size_t offset = 0;
  std::size_t count = 0;
};

SectionRange section(Bytes file, layout::catalog::Section which) {
  const auto index = static_cast<std::size_t>(which);
  return {load<std::uint32_t>(file, 64 + index * 16), load<std::uint32_t>(file, 68 + index * 16)};
}

// Returns a part of a section, or an empty span if the part is outside the file.
Bytes part(Bytes file, const SectionRange& section, std::size_t offset, std::size_t size) {
  if (section.offset + offset + size > file.size()) return {};
  return file.subspan(section.offset + offset, size);
}

// Writes the hash of each description into its record, where both can be found.
void fix_component_hashes(ByteVector& file) {
  using layout::catalog::Section;
  constexpr std::size_t kDirectoryEnd = 64 + layout::catalog::kSectionCount * 16;
  if (file.size() < kDirectoryEnd) return;
  const SectionRange components = section(file, Section::components);
  const SectionRange text = section(file, Section::text);
  const SectionRange descriptions = section(file, Section::descriptions);
  for (std::size_t i = 0; i < components.count; ++i) {
    const Bytes record = part(file, components, i * 40, 40);
    if (record.empty()) return;
    const ComponentShape shape{.name = as_text(part(file, text, load<std::uint32_t>(record, 16),
                                                    load<std::uint32_t>(record, 20))),
                               .size_bytes = load<std::uint32_t>(record, 24),
                               .alignment_bytes = load<std::uint32_t>(record, 28)};
    const Bytes description =
        part(file, descriptions, load<std::uint32_t>(record, 32), load<std::uint32_t>(record, 36));
    const Result<ComponentDescription> component = decode_component(description, shape);
    if (!component) continue;
    const ContentHash hash = component.value().hash();
    std::memcpy(file.data() + components.offset + i * 40, hash.bytes.data(), 16);
  }
}

void check_lookups(const CatalogReader& catalog) {
  for (std::uint32_t i = 0; i < catalog.asset_count(); ++i) {
    assert(catalog.find_asset(catalog.asset(i).guid)->path == catalog.asset(i).path);
  }
  for (std::uint32_t i = 0; i < catalog.bundle_count(); ++i) {
    assert(catalog.find_bundle(catalog.bundle(i).name) == i);
  }
  for (std::uint32_t i = 0; i < catalog.registry_count(); ++i) {
    const CatalogRegistry registry = catalog.registry(RegistryIndex{i});
    for (std::uint32_t e = 0; e < registry.entry_count; ++e) {
      const std::uint32_t index = registry.first_entry + e;
      const RecordRange range = catalog.entries_of(registry, catalog.entry(index).type_id);
      assert(range.first <= index && index < range.first + range.count);
    }
  }
  for (std::uint32_t i = 0; i < catalog.presentation_count(); ++i) {
    assert(catalog.find_presentation(catalog.presentation(i).key).has_value());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  ByteVector file(input.begin(), input.end());
  const bool opened_as_it_came = CatalogReader::open(file).has_value();
  fix_component_hashes(file);
  if (file.size() >= 32) samples::fix_hash(file);
  const Result<CatalogReader> catalog = CatalogReader::open(file);
  assert(catalog.has_value() || !opened_as_it_came);
  if (!catalog) return 0;
  check_lookups(catalog.value());
  assert(encode_catalog(samples::decode(catalog.value())).value() == file);
  return 0;
}
