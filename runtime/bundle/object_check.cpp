// Checks an object when it is opened, by the rules of BUNDLE_FORMAT.md, section 3.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "runtime/bundle/format_error.h"
#include "runtime/bundle/little_endian.h"
#include "runtime/bundle/object_reader.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

constexpr std::string_view kEncoding = "object";
constexpr std::uint8_t kLastStyle = static_cast<std::uint8_t>(TextStyle::double_quoted);

tl::unexpected<Error> wrong(std::string_view field, std::size_t offset, std::string_view expected,
                            std::uint64_t found) {
  return format_error(ErrorCode::malformed, {kEncoding, field, offset}, expected, found);
}

// The bytes of one document, parsed once from its head to its end.
class DocumentCheck {
 public:
  DocumentCheck(Bytes document, std::size_t offset, std::uint32_t index, std::uint32_t count)
      : reader_(document), offset_(offset), index_(index), count_(count) {}

  Result<void> check() {
    reader_.signed_varint();
    const std::uint8_t flags = reader_.u8();
    if ((flags & ~document::kIsStripped) != 0) return refuse("flags of 0 or 1");
    const std::uint64_t name = reader_.varint();
    std::string_view type_name;
    if (name >= document::kTypeNameBias) {
      type_name = as_text(reader_.bytes(static_cast<std::size_t>(name - document::kTypeNameBias)));
      if (type_name.empty()) return refuse("a type name of at least one byte");
    }
    if (reader_.failed()) return refuse("the head of a document");
    const bool is_first_key = name == document::kFirstKeyIsTypeName;
    if (reader_.remaining() == 0) {
      return is_first_key ? refuse("a mapping whose first key is the type name") : Result<void>();
    }
    if (Result<void> sane = check_value(1, true); !sane) return sane;
    if (reader_.remaining() != 0) return refuse("a value that ends with its document");
    if (is_first_key && !first_key_) return refuse("a mapping whose first key is the type name");
    if (!type_name.empty() && first_key_ == type_name) {
      return refuse("a type name that is not the first key");
    }
    return {};
  }

 private:
  // `kMaxDepth` limits the recursion. The number of bytes limits the work, because every value has
  // at least one byte. `is_last` is true if the value is the last value of its parent.
  Result<void> check_value(std::uint32_t depth, bool is_last) {
    if (depth > kMaxDepth) {
      return format_error(ErrorCode::limit_exceeded,
                          {kEncoding, "value", offset_ + reader_.position()},
                          "at most " + std::to_string(kMaxDepth) + " levels", "more");
    }
    const std::uint8_t tag = reader_.u8();
    const auto kind = static_cast<ObjectKind>(tag & value::kKindMask);
    const unsigned form = tag >> value::kFormShift;
    if (form > last_form(kind)) return refuse("a tag of the format");
    switch (kind) {
      case ObjectKind::null:
        break;
      case ObjectKind::integer:
        reader_.signed_varint();
        break;
      case ObjectKind::real32:
        if (!std::isfinite(reader_.f32())) return refuse("a number");
        break;
      case ObjectKind::real64:
        if (!std::isfinite(reader_.f64())) return refuse("a number");
        break;
      case ObjectKind::text:
        reader_.text();
        break;
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        return check_container(kind, form == value::kIsSized, depth, is_last);
      case ObjectKind::reference:
        return check_reference(form);
      case ObjectKind::guid_text:
      case ObjectKind::guid_words:
        reader_.bytes(16);
        break;
      default:
        return refuse("a kind from 0 to 9");
    }
    return reader_.failed() ? refuse("a whole value") : Result<void>();
  }

  static unsigned last_form(ObjectKind kind) {
    switch (kind) {
      case ObjectKind::text:
        return kLastStyle;
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        return value::kIsSized;
      case ObjectKind::reference:
        return value::kExternal;
      default:
        return 0;
    }
  }

  Result<void> check_reference(unsigned form) {
    if (form == value::kExternal) reader_.bytes(16);
    const std::int64_t number = reader_.signed_varint();
    if (form == value::kToDocument) {
      // The number is the distance from this document to the target document; it can be negative.
      if (number >= std::int64_t{count_} - index_ || number < -std::int64_t{index_}) {
        return refuse("a reference to a document of the file");
      }
    } else if (form == value::kExternal) {
      const std::int64_t type = reader_.signed_varint();
      if (type != static_cast<std::int32_t>(type)) return refuse("a type of 32 bits");
    }
    return reader_.failed() ? refuse("a whole reference") : Result<void>();
  }

  Result<void> check_container(ObjectKind kind, bool is_sized, std::uint32_t depth, bool is_last) {
    const std::uint64_t child_count = reader_.varint();
    const std::uint64_t stated_bytes = is_sized ? reader_.varint() : 0;
    if (child_count > reader_.remaining()) reader_.fail();
    if (reader_.failed()) return refuse("children within the document");
    const std::size_t start = reader_.position();
    for (std::uint64_t i = 0; i < child_count; ++i) {
      if (kind == ObjectKind::mapping) {
        const std::uint64_t head = reader_.varint();
        const Bytes key = reader_.bytes(static_cast<std::size_t>(head >> value::kKeyStyleBits));
        if (reader_.failed() || (head & value::kKeyStyleMask) > kLastStyle) {
          return refuse("a key of the format");
        }
        if (depth == 1 && i == 0) first_key_ = as_text(key);
      }
      if (Result<void> sane = check_value(depth + 1, i + 1 == child_count); !sane) return sane;
    }
    const std::uint64_t content_bytes = reader_.position() - start;
    const bool needs_size = !is_last && content_bytes >= value::kSizedBytesMin;
    if (is_sized != needs_size) {
      return refuse(needs_size ? "the size of children" : "children without a size");
    }
    if (is_sized && stated_bytes != content_bytes) {
      return refuse("children of " + std::to_string(content_bytes) + " bytes");
    }
    return {};
  }

  Result<void> refuse(std::string_view expected) const {
    return format_error(
        ErrorCode::malformed,
        {kEncoding, "document " + std::to_string(index_) + " before", offset_ + reader_.position()},
        expected, "something else");
  }

  ByteReader reader_;
  std::size_t offset_;  // The offset of the document in the object.
  std::uint32_t index_;
  std::uint32_t count_;
  std::optional<std::string_view> first_key_;  // The first key of the document's mapping.
};

}  // namespace

Result<void> ObjectReader::check_header() {
  if (bytes_.size() < header::kBytes) {
    return format_error(ErrorCode::truncated, {kEncoding, "header", 0}, "16 bytes", bytes_.size());
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
  document_count_ = load<std::uint32_t>(bytes_, header::kDocumentCountAt);
  if (document_count_ > kMaxDocuments) {
    return format_error(ErrorCode::limit_exceeded,
                        {kEncoding, "document_count", header::kDocumentCountAt},
                        "at most " + std::to_string(kMaxDocuments), document_count_);
  }
  const auto total_bytes = load<std::uint32_t>(bytes_, header::kTotalBytesAt);
  if (total_bytes != bytes_.size()) {
    const ErrorCode code =
        total_bytes > bytes_.size() ? ErrorCode::truncated : ErrorCode::malformed;
    return format_error(code, {kEncoding, "total_bytes", header::kTotalBytesAt},
                        "the size of " + std::to_string(bytes_.size()), total_bytes);
  }
  const std::size_t marks = document_count_ == 0 ? 0 : (document_count_ - 1) / document::kPerMark;
  sizes_offset_ = header::kBytes + std::size_t{document_count_} * document::kFileIdBytes;
  marks_offset_ = sizes_offset_ + std::size_t{document_count_} * document::kSizeBytes;
  documents_offset_ = marks_offset_ + marks * document::kMarkBytes;
  if (documents_offset_ > bytes_.size()) {
    return wrong("document_count", header::kDocumentCountAt, "as many as the bytes have room for",
                 document_count_);
  }
  return {};
}

Result<void> ObjectReader::check_documents() const {
  std::size_t at = documents_offset_;
  for (std::uint32_t i = 0; i < document_count_; ++i) {
    const std::size_t size = document_bytes(i);
    if (size > bytes_.size() - at) {
      return wrong("size of document " + std::to_string(i),
                   sizes_offset_ + std::size_t{i} * document::kSizeBytes,
                   "at most " + std::to_string(bytes_.size() - at), size);
    }
    if (i != 0 && i % document::kPerMark == 0) {
      const std::uint32_t index = i / document::kPerMark - 1;
      if (mark(index) != at - documents_offset_) {
        return wrong("mark of document " + std::to_string(i),
                     marks_offset_ + std::size_t{index} * document::kMarkBytes,
                     std::to_string(at - documents_offset_), mark(index));
      }
    }
    DocumentCheck document(bytes_.subspan(at, size), at, i, document_count_);
    if (Result<void> sane = document.check(); !sane) return sane;
    at += size;
  }
  if (at != bytes_.size()) {
    return wrong("total_bytes", header::kTotalBytesAt, std::to_string(at), bytes_.size());
  }
  return {};
}

}  // namespace muster
