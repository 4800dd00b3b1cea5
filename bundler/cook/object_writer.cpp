// Two walks over the classified nodes: `measure` computes the size of every container, since it
// stands before the content; `write` writes.
#include "bundler/cook/object_writer.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bundler/cook/object_forms.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): this file is that layout

namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::Tree;

std::size_t varint_bytes(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7U) ++size;
  return size;
}

std::uint64_t zigzag(std::uint64_t bits) {
  const auto value = static_cast<std::int64_t>(bits);
  return (bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0U);
}

class ObjectEncoder {
 public:
  explicit ObjectEncoder(const Tree& tree)
      : tree_(tree), forms_(tree), content_bytes_(tree.nodes.size()) {}

  Result<ByteVector> encode(std::span<const std::string_view> type_names) {
    if (!forms_.classify(type_names)) {
      return fail(ErrorCode::limit_exceeded,
                  "a value is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    for (const yaml::Document& document : tree_.documents) {
      value_offsets_.push_back(value_bytes_);
      if (document.root != kNoNode) value_bytes_ += measure(document.root);
    }
    if (Result<void> fits = check_limits(); !fits) return fail(fits.error());
    write_header();
    write_documents();
    write_strings();
    for (const Guid& guid : forms_.guids()) out_.bytes(guid.bytes());
    write_references();
    assert(out_.size() == values_offset_);
    for (const yaml::Document& document : tree_.documents) {
      if (document.root != kNoNode) write(document.root);
    }
    assert(out_.size() == values_offset_ + value_bytes_);
    return out_.take();
  }

 private:
  std::uint64_t key_of(NodeIndex child) const {
    const auto style = static_cast<std::uint64_t>(tree_.at(child).key_style);
    return (std::uint64_t{forms_.key_of(child)} << value::kKeyStyleBits) | style;
  }

  // The varint that follows the tag of a value that is neither real nor container.
  std::uint64_t varint_of(const ObjectForm& form) const {
    return form.kind == ObjectKind::integer ? zigzag(form.payload) : forms_.index_of(form);
  }

  // Returns the size of the whole value, and notes the content size of each container.
  std::uint64_t measure(NodeIndex index) {
    const ObjectForm& form = forms_.of(index);
    switch (form.kind) {
      case ObjectKind::null:
        return 1;
      case ObjectKind::real32:
        return 1 + sizeof(float);
      case ObjectKind::real64:
        return 1 + sizeof(double);
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        break;
      default:
        return 1 + varint_bytes(varint_of(form));
    }
    std::uint64_t content = 0;
    for (const NodeIndex child : Children(tree_, index)) {
      if (form.kind == ObjectKind::mapping) content += varint_bytes(key_of(child));
      content += measure(child);
    }
    content_bytes_[index] = content;
    return 1 + varint_bytes(tree_.at(index).child_count) + varint_bytes(content) + content;
  }

  Result<void> check_limits() {
    for (const std::string_view text : forms_.strings()) text_bytes_ += text.size();
    values_offset_ = header::kBytes + tree_.documents.size() * document::kBytes +
                     forms_.strings().size() * 4 + text_bytes_ + forms_.guids().size() * 16 +
                     forms_.references().size() * reference::kBytes;
    const std::size_t records =
        std::max({forms_.strings().size(), forms_.guids().size(), forms_.references().size()});
    if (tree_.documents.size() > kMaxDocuments || records > kMaxTableRecords ||
        values_offset_ + value_bytes_ > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::limit_exceeded,
                  "the file has more documents, texts or references than the object form takes");
    }
    return {};
  }

  void u32(std::size_t value) { out_.u32(static_cast<std::uint32_t>(value)); }

  void write_header() {
    out_.bytes(std::as_bytes(std::span(kMagic)));
    out_.u16(kVersion);
    out_.u16(0);
    u32(tree_.documents.size());
    u32(forms_.strings().size());
    u32(text_bytes_);
    u32(forms_.guids().size());
    u32(forms_.references().size());
    u32(value_bytes_);
    u32(values_offset_ + value_bytes_);
    for (std::size_t i = 0; i < header::kReservedBytes; ++i) out_.u8(0);
  }

  void write_documents() {
    for (std::size_t i = 0; i < tree_.documents.size(); ++i) {
      const yaml::Document& document = tree_.documents[i];
      out_.i64(document.class_id);
      out_.i64(document.file_id);
      u32(document.root == kNoNode ? layout::kNone : value_offsets_[i]);
      u32(forms_.type_name_of(i).value_or(layout::kNone));
      u32(document.is_stripped ? document::kIsStripped : 0);
      u32(0);
    }
  }

  void write_strings() {
    std::size_t end = 0;
    for (const std::string_view text : forms_.strings()) u32(end += text.size());
    for (const std::string_view text : forms_.strings()) out_.bytes(as_bytes(text));
  }

  void write_references() {
    std::unordered_map<std::int64_t, std::uint32_t> documents;
    for (std::uint32_t i = 0; i < tree_.documents.size(); ++i) {
      documents.try_emplace(tree_.documents[i].file_id, i);
    }
    const std::vector<Guid>& guids = forms_.guids();
    for (const ObjectReferenceKey& key : forms_.references()) {
      std::size_t guid = layout::kNone;
      std::uint32_t document = layout::kNone;
      if (key.guid) {
        guid = static_cast<std::size_t>(std::ranges::lower_bound(guids, *key.guid) - guids.begin());
      } else if (key.file_id != 0) {
        const auto found = documents.find(key.file_id);
        if (found != documents.end()) document = found->second;
      }
      u32(guid);
      out_.u32(static_cast<std::uint32_t>(key.type));
      out_.i64(key.file_id);
      u32(document);
      u32(0);
    }
  }

  void write(NodeIndex index) {
    const ObjectForm& form = forms_.of(index);
    auto tag = static_cast<unsigned>(form.kind);
    if (form.kind == ObjectKind::text) {
      tag |= static_cast<unsigned>(tree_.at(index).style) << value::kStyleShift;
    }
    out_.u8(static_cast<std::uint8_t>(tag));
    switch (form.kind) {
      case ObjectKind::null:
        return;
      case ObjectKind::real32:
        out_.u32(static_cast<std::uint32_t>(form.payload));
        return;
      case ObjectKind::real64:
        out_.u64(form.payload);
        return;
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        break;
      default:
        out_.varint(varint_of(form));
        return;
    }
    out_.varint(tree_.at(index).child_count);
    out_.varint(content_bytes_[index]);
    for (const NodeIndex child : Children(tree_, index)) {
      if (form.kind == ObjectKind::mapping) out_.varint(key_of(child));
      write(child);
    }
  }

  const Tree& tree_;
  ObjectForms forms_;
  std::vector<std::uint64_t> content_bytes_;  // By node; containers only.
  std::vector<std::uint64_t> value_offsets_;  // By document.
  std::uint64_t value_bytes_ = 0;
  std::size_t text_bytes_ = 0;
  std::size_t values_offset_ = 0;
  ByteWriter out_;
};

}  // namespace

Result<ByteVector> encode_object(const Tree& tree, std::span<const std::string_view> type_names) {
  return ObjectEncoder(tree).encode(type_names);
}

}  // namespace muster
