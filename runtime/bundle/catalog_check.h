// Checks a catalog when it is opened.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "registry/base/result.h"
#include "runtime/bundle/catalog_reader.h"

namespace muster {

/// Finds the sections of a catalog and checks all rules of BUNDLE_FORMAT.md, section 2. Only
/// `CatalogReader` uses this class.
class CatalogCheck {
 public:
  explicit CatalogCheck(CatalogReader& reader) : reader_(reader) {}
  Result<void> run();

 private:
  using Section = layout::catalog::Section;

  Result<void> check_header();
  Result<void> check_directory();
  Result<void> check_fingerprint();
  Result<void> check_bundles();
  Result<void> check_dependencies(std::uint32_t index);
  Result<void> check_assets();
  Result<void> check_registries();
  Result<void> check_slots(RegistryIndex index);
  Result<void> check_registry_entries(RegistryIndex index);
  Result<void> check_entry(std::uint32_t index);
  Result<void> check_effects();
  Result<void> check_presentations();
  Result<void> check_components();
  Result<void> check_variant_values();
  Result<void> check_alternatives();
  Result<void> check_alternative(std::uint32_t index);
  Result<void> check_alternative_keys(std::uint32_t index);
  Result<void> check_end();
  Result<void> check_dictionaries();

  /// Checks that a text begins at the end of the previous text.
  Result<void> check_text(std::size_t offset, std::string_view field);
  Result<void> check_bundle_index(std::size_t offset, const Guid& guid);
  Result<void> check_zero(std::size_t offset, std::size_t size);
  tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                              std::uint64_t found) const;
  tl::unexpected<Error> unsorted(Section section, std::uint32_t index) const;

  CatalogReader& reader_;
  std::uint64_t text_end_ = 0;  ///< The expected offset of the next text in its section.
  std::uint64_t dependency_end_ = 0;
  std::uint64_t entry_end_ = 0;
  std::uint64_t slot_end_ = 0;
  std::uint64_t description_end_ = 0;
  std::uint64_t key_end_ = 0;
};

}  // namespace muster
