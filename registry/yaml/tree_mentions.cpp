#include "registry/yaml/tree_mentions.h"

#include <algorithm>
#include <array>
#include <vector>

namespace muster::yaml {
namespace {

constexpr std::array<std::string_view, 3> kGuidKeys = {"guid", "m_GUID", "m_AssetGUID"};

class Finder {
 public:
  Finder(const Tree& tree, std::string_view text, const std::function<void(const Mention&)>& found)
      : tree_(tree), found_(found) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    first_column_ = text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
    for (std::size_t at = 0; at != std::string_view::npos;) {
      line_begins_.push_back(at);
      at = text.find('\n', at);
      if (at != std::string_view::npos) ++at;
    }
  }

  // The function may be recursive, because the parser has limited the depth.
  void visit(NodeIndex index) {
    if (index == kNoNode) return;
    const Node& node = tree_.at(index);
    if (node.kind == NodeKind::scalar) return visit_text(node);
    if (node.kind == NodeKind::mapping && visit_words(index)) return;
    for (const NodeIndex child : Children(tree_, index)) {
      if (node.kind == NodeKind::mapping && visit_guid(index, child)) continue;
      visit(child);
    }
  }

 private:
  std::size_t offset_of(const Position& position) const {
    if (position.line == 0 || position.line > line_begins_.size()) return 0;
    const std::size_t mark = position.line == 1 ? first_column_ : 0;
    return line_begins_[position.line - 1] + mark + std::max(position.column, 1U) - 1;
  }

  bool visit_words(NodeIndex mapping) {
    if (tree_.find(mapping, "val0") == kNoNode) return false;
    const auto guid = weak_reference_at(tree_, mapping);
    if (!guid) return false;
    const std::size_t offset = offset_of(tree_.at(mapping).position);
    if (!guid.value().is_null()) {
      found_({.guid = guid.value(), .kind = MentionKind::words, .offset_bytes = offset});
    }
    return true;
  }

  bool visit_guid(NodeIndex mapping, NodeIndex child) {
    const Node& node = tree_.at(child);
    if (node.kind != NodeKind::scalar ||
        std::ranges::find(kGuidKeys, node.key) == kGuidKeys.end()) {
      return false;
    }
    const auto guid = Guid::parse_any_case(node.text);
    if (!guid || guid.value().is_null()) return guid.has_value();
    Mention mention{.guid = guid.value(), .kind = MentionKind::textual};
    const bool has_quote = node.style != ScalarStyle::plain;
    mention.offset_bytes = offset_of(node.position) + (has_quote ? 1 : 0);
    if (const NodeIndex file_id = tree_.find(mapping, "fileID"); file_id != kNoNode) {
      mention.kind = MentionKind::strong;
      mention.file_id = tree_.integer(file_id).value_or(0);
    }
    found_(mention);
    return true;
  }

  // Finds guids in a text that contains JSON.
  void visit_text(const Node& node) {
    if (node.style == ScalarStyle::plain || node.text.find("guid") == std::string_view::npos) {
      return;
    }
    scan_mentions(node.text, [&](Mention mention) {
      if (mention.kind != MentionKind::json) return;
      mention.offset_bytes = offset_of(node.position);
      found_(mention);
    });
  }

  const Tree& tree_;
  const std::function<void(const Mention&)>& found_;
  std::vector<std::size_t> line_begins_;
  std::size_t first_column_ = 0;
};

}  // namespace

void find_mentions(const Tree& tree, std::string_view text,
                   const std::function<void(const Mention&)>& found) {
  Finder finder(tree, text, found);
  for (const Document& document : tree.documents) finder.visit(document.root);
}

}  // namespace muster::yaml
