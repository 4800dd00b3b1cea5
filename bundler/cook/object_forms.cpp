#include "bundler/cook/object_forms.h"

#include <array>
#include <bit>
#include <cassert>

#include "bundler/cook/canonical_text.h"

namespace muster {

using layout::object::kMaxDepth;
using yaml::Children;
using yaml::kNoNode;
using yaml::Node;
using yaml::NodeIndex;
using yaml::NodeKind;
using yaml::ScalarStyle;

bool ObjectForms::classify() {
  for (const yaml::Document& document : tree_.documents) {
    if (document.root != kNoNode && !classify_node(document.root, 1)) return false;
  }
  return true;
}

bool ObjectForms::classify_node(NodeIndex index, std::uint32_t depth) {
  if (depth > kMaxDepth) return false;
  const Node& node = tree_.at(index);
  if (node.kind == NodeKind::scalar) {
    forms_[index] = scalar_form(node);
    return true;
  }
  if (const std::optional<ObjectForm> form = folded_form(index)) {
    forms_[index] = *form;
    return true;
  }
  forms_[index].kind = node.kind == NodeKind::mapping ? ObjectKind::mapping : ObjectKind::sequence;
  for (const NodeIndex child : Children(tree_, index)) {
    if (!classify_node(child, depth + 1)) return false;
  }
  return true;
}

ObjectForm ObjectForms::scalar_form(const Node& node) {
  if (node.style == ScalarStyle::plain) {
    if (node.text.empty()) return {};
    if (const auto guid = canonical_guid(node.text)) {
      return guid_form(ObjectKind::guid_text, *guid);
    }
    if (const auto value = canonical_integer(node.text)) {
      return {ObjectKind::integer, static_cast<std::uint64_t>(*value)};
    }
    if (const auto value = canonical_real32(node.text)) {
      return {ObjectKind::real32, std::bit_cast<std::uint32_t>(*value)};
    }
    if (const auto value = canonical_real64(node.text)) {
      return {ObjectKind::real64, std::bit_cast<std::uint64_t>(*value)};
    }
  }
  return {.kind = ObjectKind::text};
}

// The form of a mapping that is a reference or a weak reference; no value for any other mapping.
std::optional<ObjectForm> ObjectForms::folded_form(NodeIndex index) {
  const Node& node = tree_.at(index);
  if (node.kind != NodeKind::mapping) return std::nullopt;
  if (node.child_count == 1 || node.child_count == 3) return reference_form(index);
  if (node.child_count == 4) return words_form(index);
  return std::nullopt;
}

std::optional<ObjectForm> ObjectForms::reference_form(NodeIndex index) {
  constexpr std::array<std::string_view, 3> kKeys = {"fileID", "guid", "type"};
  std::array<std::string_view, 3> texts;
  if (!plain_scalars(index, kKeys, texts)) return std::nullopt;
  WrittenReference reference;
  const std::optional<std::int64_t> file_id = canonical_integer(texts[0]);
  if (!file_id) return std::nullopt;
  reference.file_id = *file_id;
  if (tree_.at(index).child_count == 3) {
    reference.guid = canonical_guid(texts[1]);
    const std::optional<std::int32_t> type = canonical_i32(texts[2]);
    if (!reference.guid || !type) return std::nullopt;
    reference.type = *type;
  }
  references_.push_back(reference);
  return ObjectForm{ObjectKind::reference, references_.size() - 1};
}

std::optional<ObjectForm> ObjectForms::words_form(NodeIndex index) {
  constexpr std::array<std::string_view, 4> kKeys = {"val0", "val1", "val2", "val3"};
  std::array<std::string_view, 4> texts;
  if (!plain_scalars(index, kKeys, texts)) return std::nullopt;
  WeakReferenceWords words{};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::optional<std::int32_t> word = canonical_i32(texts.at(i));
    if (!word) return std::nullopt;
    words.at(i) = *word;
  }
  return guid_form(ObjectKind::guid_words, guid_from_words(words));
}

ObjectForm ObjectForms::guid_form(ObjectKind kind, const Guid& guid) {
  guids_.push_back(guid);
  return {kind, guids_.size() - 1};
}

// Reads the values of a mapping into `texts`. Returns true if the keys are plain and equal to
// the first elements of `keys`, in order, and the values are plain scalars.
bool ObjectForms::plain_scalars(NodeIndex index, std::span<const std::string_view> keys,
                                std::span<std::string_view> texts) const {
  std::size_t i = 0;
  for (const NodeIndex child : Children(tree_, index)) {
    const Node& node = tree_.at(child);
    if (i == keys.size() || node.key != keys[i] || node.key_style != ScalarStyle::plain ||
        node.kind != NodeKind::scalar || node.style != ScalarStyle::plain) {
      return false;
    }
    texts[i++] = node.text;
  }
  return true;
}

}  // namespace muster
