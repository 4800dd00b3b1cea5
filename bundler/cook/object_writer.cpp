// Goes over the classified nodes twice. `measure` computes the size of every value, because some
// sizes precede their content. `write` then writes the values.
#include "bundler/cook/object_writer.h"

#include <cassert>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "bundler/cook/object_forms.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

using namespace layout::object;  // NOLINT(google-build-using-namespace): uses the whole layout

namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::Node;
using yaml::NodeIndex;
using yaml::Tree;

std::size_t varint_bytes(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7U) ++size;
  return size;
}

std::size_t signed_varint_bytes(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return varint_bytes((bits << 1U) ^ (value < 0 ? ~std::uint64_t{0} : 0U));
}

class ObjectEncoder {
 public:
  ObjectEncoder(const Tree& tree, std::span<const std::string_view> type_names)
      : tree_(tree), type_names_(type_names), forms_(tree), content_bytes_(tree.nodes.size()) {
    assert(type_names.empty() || type_names.size() == tree.documents.size());
    for (std::uint32_t i = 0; i < tree.documents.size(); ++i) {
      document_of_.try_emplace(tree.documents[i].file_id, i);
    }
  }

  Result<ByteVector> encode() {
    if (!forms_.classify()) {
      return fail(ErrorCode::limit_exceeded,
                  "a value is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    measure_documents();
    if (tree_.documents.size() > kMaxDocuments ||
        total_bytes_ > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::limit_exceeded,
                  "the file has more documents or bytes than the object form takes");
    }
    write_tables();
    for (document_ = 0; document_ < tree_.documents.size(); ++document_) {
      write_head();
      const NodeIndex root = tree_.documents[document_].root;
      if (root != kNoNode) write(root, true);
    }
    assert(out_.size() == total_bytes_);
    return out_.release();
  }

 private:
  // --- Sizes. The last value in its container has no following value.

  void measure_documents() {
    const std::size_t count = tree_.documents.size();
    const std::size_t marks = count == 0 ? 0 : (count - 1) / document::kPerMark;
    total_bytes_ = header::kBytes + count * (document::kFileIdBytes + document::kSizeBytes) +
                   marks * document::kMarkBytes;
    for (document_ = 0; document_ < count; ++document_) {
      const yaml::Document& source = tree_.documents[document_];
      std::uint64_t size = signed_varint_bytes(source.class_id) + 1;
      const std::string_view name = other_type_name();
      size += varint_bytes(type_name_head(name)) + name.size();
      if (source.root != kNoNode) size += measure(source.root, true);
      document_bytes_.push_back(size);
      total_bytes_ += size;
    }
  }

  // The size of a value. Also stores the content size of each mapping and sequence.
  std::uint64_t measure(NodeIndex index, bool is_last) {
    const ObjectForm& form = forms_.of(index);
    switch (form.kind) {
      case ObjectKind::null:
        return 1;
      case ObjectKind::integer:
        return 1 + signed_varint_bytes(static_cast<std::int64_t>(form.payload));
      case ObjectKind::real32:
        return 1 + sizeof(float);
      case ObjectKind::real64:
        return 1 + sizeof(double);
      case ObjectKind::text:
        return 1 + varint_bytes(tree_.at(index).text.size()) + tree_.at(index).text.size();
      case ObjectKind::guid_text:
      case ObjectKind::guid_words:
        return 1 + 16;
      case ObjectKind::reference:
        return measure_reference(forms_.reference_of(form));
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        break;
    }
    std::uint64_t content = 0;
    for (const NodeIndex child : Children(tree_, index)) {
      if (form.kind == ObjectKind::mapping) {
        content += varint_bytes(key_head(tree_.at(child))) + tree_.at(child).key.size();
      }
      content += measure(child, tree_.at(child).next_sibling == kNoNode);
    }
    content_bytes_[index] = content;
    const std::uint64_t size_bytes = is_sized(content, is_last) ? varint_bytes(content) : 0;
    return 1 + varint_bytes(tree_.at(index).child_count) + size_bytes + content;
  }

  std::uint64_t measure_reference(const WrittenReference& reference) const {
    if (reference.guid) {
      return 1 + 16 + signed_varint_bytes(reference.file_id) + signed_varint_bytes(reference.type);
    }
    return 1 + signed_varint_bytes(document_offset(reference).value_or(reference.file_id));
  }

  static bool is_sized(std::uint64_t content_bytes, bool is_last) {
    return content_bytes >= value::kSizedBytesMin && !is_last;
  }

  static std::uint64_t key_head(const Node& child) {
    return (std::uint64_t{child.key.size()} << value::kKeyStyleBits) |
           static_cast<std::uint64_t>(child.key_style);
  }

  // --- The contents of the parts.

  std::optional<std::string_view> first_key() const {
    const NodeIndex root = tree_.documents[document_].root;
    if (root == kNoNode || forms_.of(root).kind != ObjectKind::mapping) return std::nullopt;
    const NodeIndex first = tree_.at(root).first_child;
    if (first == kNoNode) return std::nullopt;
    return tree_.at(first).key;
  }

  // The name of the type if it is not the first key; otherwise empty.
  std::string_view other_type_name() const {
    if (type_names_.empty() || first_key() == type_names_[document_]) return {};
    return type_names_[document_];
  }

  std::uint64_t type_name_head(std::string_view other_name) const {
    if (!other_name.empty()) return document::kTypeNameBias + other_name.size();
    return first_key() ? document::kFirstKeyIsTypeName : document::kNoTypeName;
  }

  // The distance in documents to the target of a reference; no value if the target is not a
  // document of this file.
  std::optional<std::int64_t> document_offset(const WrittenReference& reference) const {
    if (reference.file_id == 0) return std::nullopt;
    const auto found = document_of_.find(reference.file_id);
    if (found == document_of_.end()) return std::nullopt;
    return std::int64_t{found->second} - static_cast<std::int64_t>(document_);
  }

  // --- Bytes.

  void u32(std::uint64_t value) { out_.u32(static_cast<std::uint32_t>(value)); }

  void write_tables() {
    out_.bytes(std::as_bytes(std::span(kMagic)));
    out_.u16(kVersion);
    out_.u16(0);
    u32(tree_.documents.size());
    u32(total_bytes_);
    for (const yaml::Document& document : tree_.documents) out_.i64(document.file_id);
    for (const std::uint64_t size : document_bytes_) u32(size);
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < document_bytes_.size(); ++i) {
      if (i != 0 && i % document::kPerMark == 0) u32(offset);
      offset += document_bytes_[i];
    }
  }

  void write_head() {
    const yaml::Document& source = tree_.documents[document_];
    out_.signed_varint(source.class_id);
    out_.u8(source.is_stripped ? document::kIsStripped : 0);
    const std::string_view name = other_type_name();
    out_.varint(type_name_head(name));
    out_.bytes(as_bytes(name));
  }

  void write_tag(ObjectKind kind, unsigned form) {
    out_.u8(static_cast<std::uint8_t>(static_cast<unsigned>(kind) | form << value::kFormShift));
  }

  void write(NodeIndex index, bool is_last) {
    const ObjectForm& form = forms_.of(index);
    const Node& node = tree_.at(index);
    switch (form.kind) {
      case ObjectKind::null:
        return write_tag(form.kind, 0);
      case ObjectKind::integer:
        write_tag(form.kind, 0);
        return out_.signed_varint(static_cast<std::int64_t>(form.payload));
      case ObjectKind::real32:
        write_tag(form.kind, 0);
        return u32(form.payload);
      case ObjectKind::real64:
        write_tag(form.kind, 0);
        return out_.u64(form.payload);
      case ObjectKind::text:
        write_tag(form.kind, static_cast<unsigned>(node.style));
        return out_.text(node.text);
      case ObjectKind::guid_text:
      case ObjectKind::guid_words:
        write_tag(form.kind, 0);
        return out_.bytes(forms_.guid_of(form).bytes());
      case ObjectKind::reference:
        return write_reference(forms_.reference_of(form));
      case ObjectKind::mapping:
      case ObjectKind::sequence:
        return write_container(index, form.kind, is_last);
    }
  }

  void write_reference(const WrittenReference& reference) {
    if (reference.guid) {
      write_tag(ObjectKind::reference, value::kExternal);
      out_.bytes(reference.guid->bytes());
      out_.signed_varint(reference.file_id);
      out_.signed_varint(reference.type);
    } else if (const std::optional<std::int64_t> offset = document_offset(reference)) {
      write_tag(ObjectKind::reference, value::kToDocument);
      out_.signed_varint(*offset);
    } else {
      write_tag(ObjectKind::reference, value::kByFileId);
      out_.signed_varint(reference.file_id);
    }
  }

  void write_container(NodeIndex index, ObjectKind kind, bool is_last) {
    const bool sized = is_sized(content_bytes_[index], is_last);
    write_tag(kind, sized ? value::kIsSized : 0);
    out_.varint(tree_.at(index).child_count);
    if (sized) out_.varint(content_bytes_[index]);
    for (const NodeIndex child : Children(tree_, index)) {
      const Node& node = tree_.at(child);
      if (kind == ObjectKind::mapping) {
        out_.varint(key_head(node));
        out_.bytes(as_bytes(node.key));
      }
      write(child, node.next_sibling == kNoNode);
    }
  }

  const Tree& tree_;
  std::span<const std::string_view> type_names_;
  ObjectForms forms_;
  // The content size of each mapping and sequence, by node.
  std::vector<std::uint64_t> content_bytes_;
  std::vector<std::uint64_t> document_bytes_;  // The size of each document.
  std::unordered_map<std::int64_t, std::uint32_t> document_of_;
  std::uint64_t total_bytes_ = 0;
  std::size_t document_ = 0;  // The index of the current document.
  ByteWriter out_;
};

}  // namespace

Result<ByteVector> encode_object(const Tree& tree, std::span<const std::string_view> type_names) {
  return ObjectEncoder(tree, type_names).encode();
}

}  // namespace muster
