// Values are decoded in place. `open` has checked all values (object_check.cpp), so the accessors
// need no checks.
#include "runtime/bundle/object_reader.h"

#include <bit>
#include <cassert>

#include "runtime/bundle/little_endian.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

// Reads checked bytes: a `ByteReader` without checks.
class Cursor {
 public:
  Cursor(Bytes bytes, std::size_t position) : bytes_(bytes), position_(position) {}

  std::uint8_t u8() {
    assert(position_ < bytes_.size());
    return std::to_integer<std::uint8_t>(bytes_[position_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint64_t byte = u8();
      value |= (byte & 0x7FU) << shift;
      if (byte < 0x80U) return value;
    }
  }
  std::int64_t signed_varint() {
    const std::uint64_t bits = varint();
    return static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1U));
  }
  Guid guid() {
    position_ += 16;
    return load_guid(bytes_, position_ - 16);
  }
  std::string_view text(std::uint64_t length) {
    const auto start = position_;
    skip(length);
    return as_text(bytes_.subspan(start, position_ - start));
  }
  void skip(std::uint64_t count) {
    assert(count <= bytes_.size() - position_);
    position_ += static_cast<std::size_t>(count);
  }
  std::size_t position() const { return position_; }

 private:
  Bytes bytes_;
  std::size_t position_;
};

}  // namespace

Result<ObjectReader> ObjectReader::open(Bytes bytes) {
  ObjectReader reader(bytes);
  if (Result<void> checked = reader.check_header(); !checked) return fail(checked.error());
  if (Result<void> checked = reader.check_documents(); !checked) return fail(checked.error());
  return reader;
}

ObjectDocument ObjectReader::document(std::uint32_t index) const& {
  assert(index < document_count_);
  const std::uint32_t marked = index / document::kPerMark;
  std::size_t start = documents_offset_ + (marked == 0 ? 0 : mark(marked - 1));
  for (std::uint32_t i = marked * document::kPerMark; i < index; ++i) start += document_bytes(i);
  const std::size_t end = start + document_bytes(index);
  Cursor head(bytes_, start);
  ObjectDocument document;
  document.file_id = file_id(index);
  document.class_id = head.signed_varint();
  document.is_stripped = (head.u8() & document::kIsStripped) != 0;
  const std::uint64_t name = head.varint();
  if (name >= document::kTypeNameBias) {
    document.type_name = head.text(name - document::kTypeNameBias);
  }
  if (head.position() == end) return document;
  document.root = ObjectValue(this, head.position(), index);
  if (name == document::kFirstKeyIsTypeName) {
    document.type_name = (*document.root->children().begin()).key;
  }
  return document;
}

std::int64_t ObjectReader::file_id(std::uint32_t index) const {
  return load<std::int64_t>(bytes_, header::kBytes + std::size_t{index} * document::kFileIdBytes);
}

std::uint32_t ObjectReader::document_bytes(std::uint32_t index) const {
  return load<std::uint32_t>(bytes_, sizes_offset_ + std::size_t{index} * document::kSizeBytes);
}

std::uint32_t ObjectReader::mark(std::uint32_t index) const {
  return load<std::uint32_t>(bytes_, marks_offset_ + std::size_t{index} * document::kMarkBytes);
}

ObjectKind ObjectValue::kind() const {
  return static_cast<ObjectKind>(std::to_integer<std::uint8_t>(object_->bytes_[offset_]) &
                                 value::kKindMask);
}

unsigned ObjectValue::form() const {
  return std::to_integer<unsigned>(object_->bytes_[offset_]) >> value::kFormShift;
}

TextStyle ObjectValue::style() const {
  assert(kind() == ObjectKind::text);
  return static_cast<TextStyle>(form());
}

std::int64_t ObjectValue::integer() const {
  assert(kind() == ObjectKind::integer);
  return Cursor(object_->bytes_, std::size_t{offset_} + 1).signed_varint();
}

double ObjectValue::real() const {
  assert(kind() == ObjectKind::real32 || kind() == ObjectKind::real64);
  const std::size_t at = std::size_t{offset_} + 1;
  if (kind() == ObjectKind::real64) {
    return std::bit_cast<double>(load<std::uint64_t>(object_->bytes_, at));
  }
  return double{std::bit_cast<float>(load<std::uint32_t>(object_->bytes_, at))};
}

std::string_view ObjectValue::text() const {
  assert(kind() == ObjectKind::text);
  Cursor rest(object_->bytes_, std::size_t{offset_} + 1);
  return rest.text(rest.varint());
}

ObjectReference ObjectValue::reference() const {
  assert(kind() == ObjectKind::reference);
  Cursor rest(object_->bytes_, std::size_t{offset_} + 1);
  ObjectReference reference;
  switch (form()) {
    case value::kToDocument:
      reference.document = static_cast<std::uint32_t>(document_ + rest.signed_varint());
      reference.file_id = object_->file_id(reference.document);
      break;
    case value::kExternal:
      reference.is_external = true;
      reference.guid = rest.guid();
      reference.file_id = rest.signed_varint();
      reference.type = static_cast<std::int32_t>(rest.signed_varint());
      break;
    default:
      reference.file_id = rest.signed_varint();
      break;
  }
  return reference;
}

Guid ObjectValue::guid() const {
  assert(kind() == ObjectKind::guid_text || kind() == ObjectKind::guid_words);
  return Cursor(object_->bytes_, std::size_t{offset_} + 1).guid();
}

Guid ObjectValue::referenced() const {
  if (kind() == ObjectKind::reference) return reference().guid;
  const std::optional<ObjectValue> weak = find("guid");
  return weak && weak->kind() == ObjectKind::guid_text ? weak->guid() : Guid();
}

ObjectChildren ObjectValue::children() const {
  ObjectChildren children;
  if (kind() != ObjectKind::mapping && kind() != ObjectKind::sequence) return children;
  Cursor head(object_->bytes_, std::size_t{offset_} + 1);
  children.object_ = object_;
  children.count_ = static_cast<std::uint32_t>(head.varint());
  if (form() == value::kIsSized) head.varint();
  children.begin_ = head.position();
  children.document_ = document_;
  children.has_keys_ = kind() == ObjectKind::mapping;
  return children;
}

std::uint32_t ObjectValue::child_count() const {
  if (kind() != ObjectKind::mapping && kind() != ObjectKind::sequence) return 0;
  return static_cast<std::uint32_t>(Cursor(object_->bytes_, std::size_t{offset_} + 1).varint());
}

std::optional<ObjectValue> ObjectValue::find(std::string_view key) const {
  if (kind() != ObjectKind::mapping) return std::nullopt;
  for (const ObjectChild child : children()) {
    if (child.key == key) return child.value;
  }
  return std::nullopt;
}

// The end of the value. A mapping or sequence without a size is parsed. This is fast, because such
// a value is short. The end of the last value of a parent is never needed.
std::size_t ObjectValue::end() const {
  Cursor rest(object_->bytes_, std::size_t{offset_} + 1);
  switch (kind()) {
    case ObjectKind::null:
      break;
    case ObjectKind::integer:
      rest.varint();
      break;
    case ObjectKind::real32:
      rest.skip(sizeof(float));
      break;
    case ObjectKind::real64:
      rest.skip(sizeof(double));
      break;
    case ObjectKind::text:
      rest.skip(rest.varint());
      break;
    case ObjectKind::guid_text:
    case ObjectKind::guid_words:
      rest.skip(16);
      break;
    case ObjectKind::reference:
      if (form() == value::kExternal) {
        rest.skip(16);
        rest.varint();
      }
      rest.varint();
      break;
    case ObjectKind::mapping:
    case ObjectKind::sequence: {
      const std::uint64_t count = rest.varint();
      if (form() == value::kIsSized) {
        rest.skip(rest.varint());
        break;
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        if (kind() == ObjectKind::mapping) rest.skip(rest.varint() >> value::kKeyStyleBits);
        const std::size_t child = rest.position();
        rest.skip(ObjectValue(object_, child, document_).end() - child);
      }
      break;
    }
  }
  return rest.position();
}

ObjectChildren::Iterator::Iterator(const ObjectChildren& children)
    : object_(children.object_),
      offset_(children.begin_),
      document_(children.document_),
      remaining_(children.count_),
      has_keys_(children.has_keys_) {
  if (remaining_ != 0) read_key();
}

// The end of the last child is not computed, because it may have no size.
ObjectChildren::Iterator& ObjectChildren::Iterator::operator++() {
  if (--remaining_ == 0) return *this;
  offset_ = ObjectValue(object_, offset_, document_).end();
  read_key();
  return *this;
}

void ObjectChildren::Iterator::read_key() {
  if (!has_keys_) return;
  Cursor rest(object_->bytes_, offset_);
  const std::uint64_t head = rest.varint();
  key_ = rest.text(head >> value::kKeyStyleBits);
  key_style_ = static_cast<TextStyle>(head & value::kKeyStyleMask);
  offset_ = rest.position();
}

}  // namespace muster
