// `open` has checked all bytes (prefab_check.cpp), so the accessors need no checks.
#include "runtime/bundle/prefab_reader.h"

#include <cassert>

#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): uses the whole layout

Result<PrefabReader> PrefabReader::open(Bytes bytes) {
  PrefabReader reader(bytes);
  if (Result<void> checked = reader.check_header(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_counts(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.locate_columns(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_entities(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_texts(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_types(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_components(); !checked) return fail(checked.error());
  return reader;
}

FlatEntity PrefabReader::entity(std::uint32_t index) const {
  assert(index < entity_count_);
  FlatEntity entity;
  entity.source_id = load<std::int64_t>(bytes_, at_.source_ids + index * kSourceIdBytes);
  entity.parent = parent(index);
  entity.first_component = start(at_.component_ends, index);
  entity.component_count = field(at_.component_ends, index) - entity.first_component;
  entity.name = text(index);
  entity.is_active = load<std::uint8_t>(bytes_, at_.flags + index) == kIsActive;
  return entity;
}

FlatComponent PrefabReader::component(std::uint32_t index) const {
  assert(index < component_count_);
  FlatComponent component;
  const std::uint32_t type = field(at_.types, index);
  component.type = type_name(type);
  component.document = field(at_.documents, index);
  if (type >= description_count_) return component;
  component.description = type;
  const std::uint32_t size_bytes = field(at_.data_sizes, type);
  component.data = bytes_.subspan(at_.data + field(at_.data_ends, index) - size_bytes, size_bytes);
  return component;
}

FlatDescription PrefabReader::description(std::uint32_t index) const {
  assert(index < description_count_);
  return {.name = type_name(index),
          .hash = load_hash(bytes_, at_.hashes + index * kHashBytes),
          .size_bytes = field(at_.data_sizes, index)};
}

std::uint32_t PrefabReader::field(std::size_t column, std::uint32_t index) const {
  return load<std::uint32_t>(bytes_, column + index * kFieldBytes);
}

// The start of an element, which is the end of the previous element in the column `ends`.
std::uint32_t PrefabReader::start(std::size_t ends, std::uint32_t index) const {
  return index == 0 ? 0 : field(ends, index - 1);
}

std::uint32_t PrefabReader::parent(std::uint32_t index) const {
  const std::uint32_t parent_offset = field(at_.parents, index);
  return parent_offset == 0 ? layout::kNone : index - parent_offset;
}

// The names of the entities come first, then the names of the types.
std::string_view PrefabReader::text(std::uint32_t index) const {
  const std::uint32_t begin = start(at_.text_ends, index);
  return as_text(bytes_.subspan(at_.text + begin, field(at_.text_ends, index) - begin));
}

std::string_view PrefabReader::type_name(std::uint32_t index) const {
  assert(index < type_count_);
  return text(entity_count_ + index);
}

}  // namespace muster
