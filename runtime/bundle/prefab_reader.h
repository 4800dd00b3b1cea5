// A flattened prefab, read in place. The format is BUNDLE_FORMAT.md, section 4.
#pragma once

#include <cstdint>
#include <string_view>

#include "registry/vocabulary/bytes.h"
#include "registry/vocabulary/content_hash.h"
#include "registry/vocabulary/result.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

// The records, decoded. Texts and data view the prefab's bytes. Index fields are `layout::kNone`
// for none.

struct FlatEntity {
  std::int64_t source_id = 0;
  std::uint32_t parent = layout::kNone;
  std::uint32_t first_component = 0;
  std::uint32_t component_count = 0;
  std::string_view name{};
  bool is_active = true;
};

struct FlatComponent {
  std::int64_t source_id = 0;
  std::uint32_t description = layout::kNone;  ///< Index into this prefab's descriptions.
  std::uint32_t document = layout::kNone;     ///< Index into the `object` entry's documents.
  std::string_view type{};                    ///< The type's name, with or without a description.
  Bytes data{};  ///< The memory image; empty without a description. 8-byte aligned
                 ///< relative to the prefab's first byte.
};

/// A described component that this prefab uses. Look it up in the catalog by name, and compare the
/// hashes before using data.
struct FlatDescription {
  std::string_view name{};
  ContentHash hash{};
  std::uint32_t size_bytes = 0;
};

/// Reads a prefab whose bytes somebody else holds, for as long as the reader and its views are
/// used. Holds no memory of its own; copying is cheap; reading from several threads is safe.
/// Accessors take an index below the count.
class PrefabReader {
 public:
  /// Checks everything the document says, in time linear in the size; allocates nothing. Fails with
  /// `truncated`, `unsupported_version`, `limit_exceeded` or `malformed`.
  static Result<PrefabReader> open(Bytes bytes);

  std::uint32_t entity_count() const { return entity_count_; }
  /// Entities are in depth-first order; entity 0 is the root.
  FlatEntity entity(std::uint32_t index) const;

  std::uint32_t component_count() const { return component_count_; }
  FlatComponent component(std::uint32_t index) const;

  std::uint32_t description_count() const { return description_count_; }
  FlatDescription description(std::uint32_t index) const;

 private:
  explicit PrefabReader(Bytes bytes) : bytes_(bytes) {}
  Result<void> check_header();
  Result<void> check_entities();
  Result<void> check_components();
  Result<void> check_descriptions();
  Result<void> check_text(std::size_t offset, std::uint64_t& text_end) const;
  Result<void> check_zero(std::size_t offset, std::size_t size) const;
  bool is_depth_first(std::uint32_t index) const;
  std::string_view text_at(std::size_t offset) const;
  std::size_t entity_at(std::uint32_t index) const;
  std::size_t component_at(std::uint32_t index) const;
  std::size_t description_at(std::uint32_t index) const;

  Bytes bytes_;
  std::uint32_t entity_count_ = 0;
  std::uint32_t component_count_ = 0;
  std::uint32_t description_count_ = 0;
  std::uint32_t text_bytes_ = 0;
  std::uint32_t data_bytes_ = 0;
  std::size_t text_offset_ = 0;
  std::size_t data_offset_ = 0;
  std::uint64_t text_end_ = 0;  ///< Of the texts checked so far; only used by `open`.
};

}  // namespace muster
