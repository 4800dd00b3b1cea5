// What opening an object checks: BUNDLE_FORMAT.md, section 3, rule by rule.
#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"
#include "runtime/bundle/object_reader.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): this file is that layout

namespace {

constexpr std::string_view kEncoding = "object";
constexpr std::uint8_t kLastStyle = static_cast<std::uint8_t>(TextStyle::double_quoted);

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                            std::uint64_t found) {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

Result<std::uint32_t> load_count(Bytes bytes, std::string_view field, std::size_t offset,
                                 std::uint32_t limit) {
  const auto count = load<std::uint32_t>(bytes, offset);
  if (count <= limit) return count;
  return format_error(ErrorCode::limit_exceeded, {kEncoding, field, offset},
                      "at most " + std::to_string(limit), count);
}

}  // namespace

Result<void> ObjectReader::check_header() {
  if (bytes_.size() < header::kBytes) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0}, "48 bytes", bytes_.size());
  }
  if (!std::ranges::equal(bytes_.first(kMagic.size()), std::as_bytes(std::span(kMagic)))) {
    return format_error(ErrorCode::malformed, {kEncoding, "magic", 0}, "MOBJ", "other bytes");
  }
  const auto version = load<std::uint16_t>(bytes_, header::kVersionAt);
  if (version != kVersion) {
    return format_error(ErrorCode::unsupported_version, {kEncoding, "version", header::kVersionAt},
                        std::to_string(kVersion), version);
  }
  const auto flags = load<std::uint16_t>(bytes_, header::kFlagsAt);
  if (flags != 0) return wrong("flags", header::kFlagsAt, "0", flags);
  const Bytes reserved = bytes_.subspan(header::kReservedAt, header::kReservedBytes);
  if (!std::ranges::all_of(reserved, [](std::byte b) { return b == std::byte{0}; })) {
    return wrong("reserved", header::kReservedAt, "zeros", 1);
  }
  struct Count {
    std::string_view field;
    std::size_t offset;
    std::uint32_t limit;
    std::uint32_t* target;
  };
  const Count counts[] = {
      {"document_count", header::kDocumentCountAt, kMaxDocuments, &document_count_},
      {"string_count", header::kStringCountAt, kMaxTableRecords, &string_count_},
      {"guid_count", header::kGuidCountAt, kMaxTableRecords, &guid_count_},
      {"reference_count", header::kReferenceCountAt, kMaxTableRecords, &reference_count_}};
  for (const Count& count : counts) {
    const auto value = load_count(bytes_, count.field, count.offset, count.limit);
    if (!value) return fail(value.error());
    *count.target = value.value();
  }
  text_bytes_ = load<std::uint32_t>(bytes_, header::kTextBytesAt);
  strings_offset_ = header::kBytes + std::size_t{document_count_} * document::kBytes;
  text_offset_ = strings_offset_ + std::size_t{string_count_} * 4;
  guids_offset_ = text_offset_ + text_bytes_;
  references_offset_ = guids_offset_ + std::size_t{guid_count_} * 16;
  values_offset_ = references_offset_ + std::size_t{reference_count_} * reference::kBytes;
  const std::size_t total = values_offset_ + load<std::uint32_t>(bytes_, header::kValueBytesAt);
  const auto total_bytes = load<std::uint32_t>(bytes_, header::kTotalBytesAt);
  if (total_bytes != total) {
    return wrong("total_bytes", header::kTotalBytesAt, std::to_string(total), total_bytes);
  }
  if (total != bytes_.size()) {
    const ErrorCode code = total > bytes_.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "total_bytes", header::kTotalBytesAt},
                        "the size of " + std::to_string(bytes_.size()), total);
  }
  return {};
}

Result<void> ObjectReader::check_tables() const {
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < string_count_; ++i) {
    const std::size_t at = strings_offset_ + std::size_t{i} * 4;
    const auto now = load<std::uint32_t>(bytes_, at);
    if (now < end || now > text_bytes_) {
      return wrong("end of string " + std::to_string(i), at,
                   std::to_string(end) + " to " + std::to_string(text_bytes_), now);
    }
    end = now;
    if (i > 0 && !(string(i - 1) < string(i))) {
      return wrong("string", at, "a greater string than the one before", i);
    }
  }
  if (end != text_bytes_) {
    return wrong("text_bytes", header::kTextBytesAt, std::to_string(end), text_bytes_);
  }
  for (std::uint32_t i = 1; i < guid_count_; ++i) {
    if (!(guid(i - 1) < guid(i))) {
      return wrong("guid", guids_offset_ + std::size_t{i} * 16,
                   "a greater guid than the one before", i);
    }
  }
  return {};
}

Result<void> ObjectReader::check_references() const {
  const auto key_of = [&](std::uint32_t index) {
    const ObjectReference reference = this->reference(index);
    return std::tuple(load<std::uint32_t>(bytes_, reference_at(index) + reference::kGuidAt),
                      reference.file_id, reference.type);
  };
  for (std::uint32_t i = 0; i < reference_count_; ++i) {
    const std::size_t at = reference_at(i);
    const auto guid_index = load<std::uint32_t>(bytes_, at + reference::kGuidAt);
    const bool is_local = guid_index == layout::kNone;
    if (!is_local && guid_index >= guid_count_) {
      return wrong("reference guid", at + reference::kGuidAt, "an index or none", guid_index);
    }
    const ObjectReference now = reference(i);
    if (is_local && now.type != 0) {
      return wrong("reference type", at + reference::kTypeAt, "0 within the file",
                   static_cast<std::uint32_t>(now.type));
    }
    const auto reserved = load<std::uint32_t>(bytes_, at + reference::kReservedAt);
    if (reserved != 0) return wrong("reserved", at + reference::kReservedAt, "0", reserved);
    if (now.document != layout::kNone &&
        (!is_local || now.document >= document_count_ ||
         load<std::int64_t>(bytes_, document_at(now.document) + document::kFileIdAt) !=
             now.file_id)) {
      return wrong("reference document", at + reference::kDocumentAt,
                   "a document with the reference's file id, or none", now.document);
    }
    if (i > 0 && !(key_of(i - 1) < key_of(i))) {
      return wrong("reference", at, "a greater reference than the one before", i);
    }
  }
  return {};
}

Result<void> ObjectReader::check_documents() const {
  ByteReader values(bytes_.subspan(values_offset_));
  for (std::uint32_t i = 0; i < document_count_; ++i) {
    const std::size_t at = document_at(i);
    const auto flags = load<std::uint32_t>(bytes_, at + document::kFlagsAt);
    if ((flags & ~document::kIsStripped) != 0) {
      return wrong("document flags", at + document::kFlagsAt, "0 or 1", flags);
    }
    const auto reserved = load<std::uint32_t>(bytes_, at + document::kReservedAt);
    if (reserved != 0) return wrong("reserved", at + document::kReservedAt, "0", reserved);
    const auto type_name = load<std::uint32_t>(bytes_, at + document::kTypeNameAt);
    if (type_name != layout::kNone && type_name >= string_count_) {
      return wrong("document type_name", at + document::kTypeNameAt, "an index or none", type_name);
    }
    const auto root = load<std::uint32_t>(bytes_, at + document::kValueOffsetAt);
    if (root == layout::kNone) continue;
    if (root != values.position()) {
      return wrong("document value_offset", at + document::kValueOffsetAt,
                   std::to_string(values.position()), root);
    }
    if (Result<void> sane = check_value(values, 1); !sane) return sane;
  }
  if (values.remaining() != 0) {
    return wrong("value_bytes", header::kValueBytesAt, std::to_string(values.position()),
                 values.position() + values.remaining());
  }
  return {};
}

// Recursion is bounded by kMaxDepth; work by the bytes, since every value has at least one.
Result<void> ObjectReader::check_value(ByteReader& values, std::uint32_t depth) const {
  if (depth > kMaxDepth) {
    return format_error(ErrorCode::limit_exceeded,
                        {kEncoding, "value", values_offset_ + values.position()},
                        "at most " + std::to_string(kMaxDepth) + " levels", "more");
  }
  const std::uint8_t tag = values.u8();
  const auto kind = static_cast<ObjectKind>(tag & value::kKindMask);
  const unsigned style = tag >> value::kStyleShift;
  if (style > kLastStyle || (style != 0 && kind != ObjectKind::text)) {
    return wrong_value(values, "a tag of the format");
  }
  std::uint64_t index_limit = 0;
  switch (kind) {
    case ObjectKind::null:
      return values.failed() ? wrong_value(values, "a whole value") : Result<void>();
    case ObjectKind::integer:
      values.signed_varint();
      return values.failed() ? wrong_value(values, "a whole integer") : Result<void>();
    case ObjectKind::real32:
      return std::isfinite(values.f32()) && !values.failed() ? Result<void>()
                                                             : wrong_value(values, "a number");
    case ObjectKind::real64:
      return std::isfinite(values.f64()) && !values.failed() ? Result<void>()
                                                             : wrong_value(values, "a number");
    case ObjectKind::mapping:
    case ObjectKind::sequence:
      return check_children(values, kind, depth);
    case ObjectKind::text:
      index_limit = string_count_;
      break;
    case ObjectKind::reference:
      index_limit = reference_count_;
      break;
    case ObjectKind::guid_text:
    case ObjectKind::guid_words:
      index_limit = guid_count_;
      break;
    default:
      return wrong_value(values, "a kind from 0 to 9");
  }
  const std::uint64_t index = values.varint();
  if (values.failed() || index >= index_limit) {
    return wrong_value(values, "an index below " + std::to_string(index_limit));
  }
  return {};
}

Result<void> ObjectReader::check_children(ByteReader& values, ObjectKind kind,
                                          std::uint32_t depth) const {
  const std::uint64_t child_count = values.varint();
  const std::uint64_t content_bytes = values.varint();
  if (values.failed() || content_bytes > values.remaining() || child_count > content_bytes) {
    return wrong_value(values, "children within the values");
  }
  const std::uint64_t end = values.position() + content_bytes;
  for (std::uint64_t i = 0; i < child_count; ++i) {
    if (kind == ObjectKind::mapping) {
      const std::uint64_t key = values.varint();
      if (values.failed() || (key >> value::kKeyStyleBits) >= string_count_ ||
          (key & value::kKeyStyleMask) > kLastStyle) {
        return wrong_value(values, "a key of the format");
      }
    }
    if (Result<void> sane = check_value(values, depth + 1); !sane) return sane;
  }
  if (values.position() != end) {
    return wrong_value(values, "children that end at byte " + std::to_string(values_offset_ + end));
  }
  return {};
}

Result<void> ObjectReader::wrong_value(const ByteReader& values, std::string_view expected) const {
  return format_error(ErrorCode::malformed,
                      {kEncoding, "value before", values_offset_ + values.position()}, expected,
                      "something else");
}

}  // namespace muster
