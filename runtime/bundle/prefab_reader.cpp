// The accessors index without looking again: `open` has checked everything (prefab_check.cpp).
#include "runtime/bundle/prefab_reader.h"

#include <cassert>

#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::prefab;  // NOLINT(google-build-using-namespace): this file is that layout

Result<PrefabReader> PrefabReader::open(Bytes bytes) {
  PrefabReader reader(bytes);
  if (Result<void> checked = reader.check_header(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_entities(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_components(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_descriptions(); !checked) return fail(checked.error());
  return reader;
}

FlatEntity PrefabReader::entity(std::uint32_t index) const {
  const std::size_t at = entity_at(index);
  return {
      .source_id = load<std::int64_t>(bytes_, at + entity::kSourceIdAt),
      .parent = load<std::uint32_t>(bytes_, at + entity::kParentAt),
      .first_component = load<std::uint32_t>(bytes_, at + entity::kFirstComponentAt),
      .component_count = load<std::uint32_t>(bytes_, at + entity::kComponentCountAt),
      .name = text_at(at + entity::kNameAt),
      .is_active = (load<std::uint32_t>(bytes_, at + entity::kFlagsAt) & entity::kIsActive) != 0};
}

FlatComponent PrefabReader::component(std::uint32_t index) const {
  const std::size_t at = component_at(index);
  FlatComponent component;
  component.source_id = load<std::int64_t>(bytes_, at + component::kSourceIdAt);
  component.description = load<std::uint32_t>(bytes_, at + component::kDescriptionAt);
  component.document = load<std::uint32_t>(bytes_, at + component::kDocumentAt);
  if (component.description == layout::kNone) {
    component.type = text_at(at + component::kTypeAt);
    return component;
  }
  component.type = description(component.description).name;
  component.data =
      bytes_.subspan(data_offset_ + load<std::uint32_t>(bytes_, at + component::kDataOffsetAt),
                     load<std::uint32_t>(bytes_, at + component::kDataBytesAt));
  return component;
}

FlatDescription PrefabReader::description(std::uint32_t index) const {
  const std::size_t at = description_at(index);
  return {.name = text_at(at + description::kNameAt),
          .hash = load_hash(bytes_, at + description::kHashAt),
          .size_bytes = load<std::uint32_t>(bytes_, at + description::kSizeBytesAt)};
}

std::string_view PrefabReader::text_at(std::size_t offset) const {
  const auto start = load<std::uint32_t>(bytes_, offset);
  const auto length = load<std::uint32_t>(bytes_, offset + 4);
  return as_text(bytes_.subspan(text_offset_ + start, length));
}

std::size_t PrefabReader::entity_at(std::uint32_t index) const {
  assert(index < entity_count_);
  return header::kBytes + std::size_t{index} * entity::kBytes;
}

std::size_t PrefabReader::component_at(std::uint32_t index) const {
  assert(index < component_count_);
  return header::kBytes + std::size_t{entity_count_} * entity::kBytes +
         std::size_t{index} * component::kBytes;
}

std::size_t PrefabReader::description_at(std::uint32_t index) const {
  assert(index < description_count_);
  return header::kBytes + std::size_t{entity_count_} * entity::kBytes +
         std::size_t{component_count_} * component::kBytes +
         std::size_t{index} * description::kBytes;
}

}  // namespace muster
