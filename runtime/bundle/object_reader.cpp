// Values are decoded where they lie; `open` has checked them (object_check.cpp), so a value's bytes
// are known to be whole.
#include "runtime/bundle/object_reader.h"

#include <cassert>

#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): this file is that layout

Result<ObjectReader> ObjectReader::open(Bytes bytes) {
  ObjectReader reader(bytes);
  if (Result<void> checked = reader.check_header(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_tables(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_references(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_documents(); !checked) return fail(checked.error());
  return reader;
}

ObjectDocument ObjectReader::document(std::uint32_t index) const {
  const std::size_t at = document_at(index);
  ObjectDocument document;
  document.class_id = load<std::int64_t>(bytes_, at + document::kClassIdAt);
  document.file_id = load<std::int64_t>(bytes_, at + document::kFileIdAt);
  document.is_stripped =
      (load<std::uint32_t>(bytes_, at + document::kFlagsAt) & document::kIsStripped) != 0;
  const auto type_name = load<std::uint32_t>(bytes_, at + document::kTypeNameAt);
  if (type_name != layout::kNone) document.type_name = string(type_name);
  const auto root = load<std::uint32_t>(bytes_, at + document::kValueOffsetAt);
  if (root != layout::kNone) document.root = ObjectValue(this, values_offset_ + root);
  return document;
}

Guid ObjectReader::guid(std::uint32_t index) const {
  assert(index < guid_count_);
  return load_guid(bytes_, guids_offset_ + std::size_t{index} * 16);
}

ObjectReference ObjectReader::reference(std::uint32_t index) const {
  const std::size_t at = reference_at(index);
  ObjectReference reference;
  const auto guid_index = load<std::uint32_t>(bytes_, at + reference::kGuidAt);
  if (guid_index != layout::kNone) {
    reference.is_external = true;
    reference.guid = guid(guid_index);
  }
  reference.type = load<std::int32_t>(bytes_, at + reference::kTypeAt);
  reference.file_id = load<std::int64_t>(bytes_, at + reference::kFileIdAt);
  reference.document = load<std::uint32_t>(bytes_, at + reference::kDocumentAt);
  return reference;
}

std::string_view ObjectReader::string(std::uint32_t index) const {
  assert(index < string_count_);
  const std::size_t at = strings_offset_ + std::size_t{index} * 4;
  const std::uint32_t start = index == 0 ? 0 : load<std::uint32_t>(bytes_, at - 4);
  const auto end = load<std::uint32_t>(bytes_, at);
  return as_text(bytes_.subspan(text_offset_ + start, end - start));
}

std::size_t ObjectReader::document_at(std::uint32_t index) const {
  assert(index < document_count_);
  return header::kBytes + std::size_t{index} * document::kBytes;
}

std::size_t ObjectReader::reference_at(std::uint32_t index) const {
  assert(index < reference_count_);
  return references_offset_ + std::size_t{index} * reference::kBytes;
}

ObjectKind ObjectValue::kind() const {
  return static_cast<ObjectKind>(std::to_integer<std::uint8_t>(object_->bytes_[offset_]) &
                                 value::kKindMask);
}

TextStyle ObjectValue::style() const {
  assert(kind() == ObjectKind::text);
  return static_cast<TextStyle>(std::to_integer<std::uint8_t>(object_->bytes_[offset_]) >>
                                value::kStyleShift);
}

std::int64_t ObjectValue::integer() const {
  assert(kind() == ObjectKind::integer);
  return ByteReader(object_->bytes_.subspan(offset_ + 1)).signed_varint();
}

double ObjectValue::real() const {
  assert(kind() == ObjectKind::real32 || kind() == ObjectKind::real64);
  ByteReader number(object_->bytes_.subspan(offset_ + 1));
  return kind() == ObjectKind::real32 ? double{number.f32()} : number.f64();
}

std::string_view ObjectValue::text() const {
  assert(kind() == ObjectKind::text);
  return object_->string(static_cast<std::uint32_t>(index()));
}

ObjectReference ObjectValue::reference() const {
  assert(kind() == ObjectKind::reference);
  return object_->reference(static_cast<std::uint32_t>(index()));
}

Guid ObjectValue::guid() const {
  assert(kind() == ObjectKind::guid_text || kind() == ObjectKind::guid_words);
  return object_->guid(static_cast<std::uint32_t>(index()));
}

Guid ObjectValue::referenced() const {
  if (kind() == ObjectKind::reference) return reference().guid;
  const std::optional<ObjectValue> weak = find("guid");
  return weak && weak->kind() == ObjectKind::guid_text ? weak->guid() : Guid();
}

ObjectChildren ObjectValue::children() const {
  ObjectChildren children;
  if (kind() != ObjectKind::mapping && kind() != ObjectKind::sequence) return children;
  ByteReader head(object_->bytes_.subspan(offset_ + 1));
  head.varint();
  const auto content_bytes = static_cast<std::size_t>(head.varint());
  children.object_ = object_;
  children.has_keys_ = kind() == ObjectKind::mapping;
  children.begin_ = offset_ + 1 + head.position();
  children.end_ = children.begin_ + content_bytes;
  return children;
}

std::uint32_t ObjectValue::child_count() const {
  if (kind() != ObjectKind::mapping && kind() != ObjectKind::sequence) return 0;
  return static_cast<std::uint32_t>(index());
}

std::optional<ObjectValue> ObjectValue::find(std::string_view key) const {
  if (kind() != ObjectKind::mapping) return std::nullopt;
  for (const ObjectChild child : children()) {
    if (child.key == key) return child.value;
  }
  return std::nullopt;
}

std::size_t ObjectValue::end() const {
  ByteReader rest(object_->bytes_.subspan(offset_ + 1));
  switch (kind()) {
    case ObjectKind::null:
      break;
    case ObjectKind::real32:
      return offset_ + 1 + sizeof(float);
    case ObjectKind::real64:
      return offset_ + 1 + sizeof(double);
    case ObjectKind::mapping:
    case ObjectKind::sequence: {
      rest.varint();
      const std::uint64_t content_bytes = rest.varint();
      return offset_ + 1 + rest.position() + static_cast<std::size_t>(content_bytes);
    }
    case ObjectKind::integer:
    case ObjectKind::text:
    case ObjectKind::reference:
    case ObjectKind::guid_text:
    case ObjectKind::guid_words:
      rest.varint();
      break;
  }
  return offset_ + 1 + rest.position();
}

std::uint64_t ObjectValue::index() const {
  return ByteReader(object_->bytes_.subspan(offset_ + 1)).varint();
}

ObjectChild ObjectChildren::Iterator::operator*() const {
  if (!has_keys_) return {.key = {}, .value = ObjectValue(object_, offset_)};
  ByteReader reader(object_->bytes_.subspan(offset_));
  const std::uint64_t key = reader.varint();
  return {.key = object_->string(static_cast<std::uint32_t>(key >> value::kKeyStyleBits)),
          .key_style = static_cast<TextStyle>(key & value::kKeyStyleMask),
          .value = ObjectValue(object_, offset_ + reader.position())};
}

ObjectChildren::Iterator& ObjectChildren::Iterator::operator++() {
  offset_ = ObjectValue(object_, value_at()).end();
  return *this;
}

std::size_t ObjectChildren::Iterator::value_at() const {
  if (!has_keys_) return offset_;
  ByteReader reader(object_->bytes_.subspan(offset_));
  reader.varint();
  return offset_ + reader.position();
}

}  // namespace muster
