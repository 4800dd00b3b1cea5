// All nodes are in one vector and refer to one another by index. So a large scene needs few
// allocations, and an index stays valid when the vector grows.
#include "registry/yaml/tree.h"

#include <cassert>
#include <charconv>
#include <limits>
#include <system_error>

#include "registry/base/asset_path.h"

namespace muster::yaml {
namespace {

template <typename Integer>
bool parse_integer(std::string_view text, Integer& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

// Messages do not contain the position, because the caller knows it.
tl::unexpected<Error> malformed(const std::string& message) {
  return fail(ErrorCode::malformed, message);
}

// Parses a guid like Unity: empty text is the null guid, and digits may have upper case.
Result<Guid> guid_of(const Node& node) {
  if (node.kind != NodeKind::scalar) {
    return malformed("a guid is 32 hex digits, not a mapping or a sequence");
  }
  if (node.text.empty()) return Guid();
  auto guid = Guid::parse_any_case(node.text);
  if (!guid) return malformed(guid.error().message);
  return guid;
}

}  // namespace

NodeIndex Tree::find(NodeIndex mapping, std::string_view key) const {
  if (mapping == kNoNode || at(mapping).kind != NodeKind::mapping) return kNoNode;
  for (const NodeIndex child : Children(*this, mapping)) {
    if (at(child).key == key) return child;
  }
  return kNoNode;
}

NodeIndex Tree::find_path(NodeIndex mapping, std::string_view path) const {
  for (;;) {
    const std::size_t dot = path.find('.');
    const std::string_view step = path.substr(0, dot);
    if (mapping != kNoNode && at(mapping).kind == NodeKind::sequence) {
      mapping = step == "Array" ? mapping : find_item(mapping, step);
    } else {
      mapping = find(mapping, step);
    }
    if (dot == std::string_view::npos || mapping == kNoNode) return mapping;
    path.remove_prefix(dot + 1);
  }
}

// The item of a step such as `data[2]`, which is the third item.
NodeIndex Tree::find_item(NodeIndex sequence, std::string_view step) const {
  if (!step.starts_with("data[") || !step.ends_with(']')) return kNoNode;
  std::int64_t index = 0;
  if (!parse_integer(step.substr(5, step.size() - 6), index) || index < 0) return kNoNode;
  NodeIndex item = at(sequence).first_child;
  while (index-- > 0 && item != kNoNode) item = at(item).next_sibling;
  return item;
}

std::string_view Tree::scalar(NodeIndex index) const {
  if (index == kNoNode || at(index).kind != NodeKind::scalar) return {};
  return at(index).text;
}

std::string_view Tree::scalar_at(NodeIndex mapping, std::string_view key) const {
  return scalar(find(mapping, key));
}

Result<std::int64_t> Tree::integer(NodeIndex index) const {
  if (index == kNoNode) return fail(ErrorCode::malformed, "expected an integer, found nothing");
  const Node& node = at(index);
  std::int64_t value = 0;
  if (node.kind != NodeKind::scalar || !parse_integer(node.text, value)) {
    return malformed("expected an integer of 64 bits");
  }
  return value;
}

NodeIndex Tree::add(const Node& node) {
  assert(nodes.size() < kNoNode);
  nodes.push_back(node);
  return static_cast<NodeIndex>(nodes.size() - 1);
}

void Tree::append_child(NodeIndex parent, NodeIndex last, NodeIndex child) {
  if (last == kNoNode) {
    assert(nodes[parent].first_child == kNoNode);
    nodes[parent].first_child = child;
  } else {
    assert(nodes[last].next_sibling == kNoNode);
    nodes[last].next_sibling = child;
  }
  ++nodes[parent].child_count;
}

std::string_view Tree::keep(std::string text) {
  // The text is allocated separately, because moving a short std::string would move its characters.
  kept_.push_back(std::make_unique<std::string>(std::move(text)));
  return *kept_.back();
}

Result<Reference> reference_at(const Tree& tree, NodeIndex index) {
  const NodeIndex file_id = tree.find(index, "fileID");
  if (file_id == kNoNode) return malformed("expected a reference {fileID: ...}");
  const auto id = tree.integer(file_id);
  if (!id) return fail(id.error());
  Reference reference{.file_id = id.value(), .position = tree.at(index).position};
  if (const NodeIndex guid = tree.find(index, "guid"); guid != kNoNode) {
    const auto value = guid_of(tree.at(guid));
    if (!value) return fail(value.error());
    reference.guid = value.value();
  }
  if (const NodeIndex type = tree.find(index, "type"); type != kNoNode) {
    if (!parse_integer(tree.scalar(type), reference.type)) {
      return malformed("a reference's type is a small integer");
    }
  }
  return reference;
}

std::optional<bool> truth_in(const Tree& tree, NodeIndex index) {
  const std::string text = lower_ascii(tree.scalar(index));
  if (text == "true" || text == "1") return true;
  if (text == "false" || text == "0") return false;
  return std::nullopt;
}

Result<Guid> weak_reference_at(const Tree& tree, NodeIndex index) {
  if (index == kNoNode) return fail(ErrorCode::malformed, "expected a weak reference");
  const Node& node = tree.at(index);
  if (node.kind == NodeKind::scalar) return guid_of(node);
  if (tree.find(index, "val0") != kNoNode) {
    WeakReferenceWords words{};
    constexpr std::array<std::string_view, 4> kKeys = {"val0", "val1", "val2", "val3"};
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      if (!parse_integer(tree.scalar_at(index, kKeys[i]), words[i])) {
        return malformed(std::string("a weak reference needs '") + std::string(kKeys[i]) +
                         "' as an integer of 32 bits");
      }
    }
    return guid_from_words(words);
  }
  const NodeIndex guid = tree.find(index, "guid");
  if (guid == kNoNode) {
    return malformed("a weak reference has 'guid' or 'val0' to 'val3'");
  }
  return guid_of(tree.at(guid));
}

}  // namespace muster::yaml
