// Reads a flattened prefab in place. The format is described in BUNDLE_FORMAT.md, section 4.
#pragma once

#include <cstdint>
#include <string_view>

#include "registry/base/bytes.h"
#include "registry/base/content_hash.h"
#include "registry/base/result.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

// The decoded records. Texts and data are views of the prefab's bytes. An index field is
// `layout::kNone` if there is no such record.

struct FlatEntity {
  std::int64_t source_id = 0;
  std::uint32_t parent = layout::kNone;
  std::uint32_t first_component = 0;
  std::uint32_t component_count = 0;
  std::string_view name{};
  bool is_active = true;
};

/// A component of an entity. If the component has a document, the document contains its file id.
/// Other file ids are not stored.
struct FlatComponent {
  std::uint32_t description = layout::kNone;  ///< The index of its description in this prefab.
  std::uint32_t document = layout::kNone;     ///< The index of its document in the `object` entry.
  std::string_view type{};  ///< The name of the type, also if there is no description.
  Bytes data{};  ///< The value as in memory; empty if there is no description. Its offset from the
                 ///< prefab's first byte is a multiple of 8.
};

/// A component description that this prefab uses. Before using `FlatComponent::data`, find the
/// description in the catalog by its name and compare the hashes.
struct FlatDescription {
  std::string_view name{};
  ContentHash hash{};
  std::uint32_t size_bytes = 0;
};

/// Reads a prefab in the caller's memory. The bytes must stay valid while the reader and its views
/// are used. Allocates nothing. A copy takes little time. Several threads may read. An index must
/// be less than the corresponding count.
class PrefabReader {
 public:
  /// Checks every rule of the document. The time is linear in the size. Allocates nothing. Fails
  /// with `truncated`, `unsupported_version`, `limit_exceeded` or `malformed`.
  static Result<PrefabReader> open(Bytes bytes);

  std::uint32_t entity_count() const { return entity_count_; }
  /// Entities are in depth-first order; entity 0 is the root.
  FlatEntity entity(std::uint32_t index) const;

  std::uint32_t component_count() const { return component_count_; }
  FlatComponent component(std::uint32_t index) const;

  std::uint32_t description_count() const { return description_count_; }
  FlatDescription description(std::uint32_t index) const;

  /// The number of component types. Types with a description come first.
  std::uint32_t type_count() const { return type_count_; }
  std::string_view type_name(std::uint32_t index) const;

 private:
  // The offsets of the columns.
  struct Columns {
    std::size_t source_ids = 0;
    std::size_t hashes = 0;
    std::size_t parents = 0;
    std::size_t component_ends = 0;
    std::size_t text_ends = 0;
    std::size_t types = 0;
    std::size_t documents = 0;
    std::size_t data_ends = 0;
    std::size_t data_sizes = 0;
    std::size_t flags = 0;
    std::size_t text = 0;
    std::size_t data = 0;
  };

  explicit PrefabReader(Bytes bytes) : bytes_(bytes) {}
  Result<void> check_header();
  Result<void> check_counts() const;
  Result<void> locate_columns();
  Result<void> check_entities() const;
  Result<void> check_texts() const;
  Result<void> check_types() const;
  Result<void> check_components() const;
  Result<void> check_zero(std::size_t offset, std::size_t size) const;
  bool is_depth_first(std::uint32_t index) const;
  std::uint32_t field(std::size_t column, std::uint32_t index) const;
  std::uint32_t start(std::size_t ends, std::uint32_t index) const;
  std::uint32_t parent(std::uint32_t index) const;
  std::string_view text(std::uint32_t index) const;

  Bytes bytes_;
  std::uint32_t entity_count_ = 0;
  std::uint32_t component_count_ = 0;
  std::uint32_t type_count_ = 0;
  std::uint32_t description_count_ = 0;
  std::uint32_t text_bytes_ = 0;
  std::uint32_t data_bytes_ = 0;
  Columns at_;
};

}  // namespace muster
