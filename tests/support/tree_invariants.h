// Invariants of every tree that a reader returns, for any input.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "registry/yaml/reader.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// Ends the process with a message if `holds` is false, in every build. A fuzzer reports this as a
/// crash.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "invariant broken: %s\n", what);
  std::abort();
}

/// Returns the length of each line, without line ends and byte-order mark.
inline std::vector<std::size_t> line_lengths(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::vector<std::size_t> lengths;
  for (;;) {
    const std::size_t end = text.find('\n');
    lengths.push_back(std::min(end, text.size()));
    if (end == std::string_view::npos) return lengths;
    text.remove_prefix(end + 1);
  }
}

inline void require_inside(const Position& position, const std::vector<std::size_t>& lengths) {
  require(position.line >= 1 && position.line <= lengths.size(), "a line inside the text");
  require(position.column >= 1 && position.column <= lengths[position.line - 1] + 1,
          "a column inside the line");
}

/// Checks the links: each node has exactly one parent, and each child count is correct.
inline void require_links(const Tree& tree) {
  std::vector<bool> is_reached(tree.nodes.size(), false);
  std::vector<NodeIndex> open;
  const auto reach = [&](NodeIndex index) {
    require(index < tree.nodes.size() && !is_reached[index], "each node has one parent");
    is_reached[index] = true;
    open.push_back(index);
  };
  for (const Document& document : tree.documents) {
    if (document.root == kNoNode) continue;
    require(tree.at(document.root).next_sibling == kNoNode, "a root has no sibling");
    reach(document.root);
    while (!open.empty()) {
      const NodeIndex parent = open.back();
      open.pop_back();
      const bool is_scalar = tree.at(parent).kind == NodeKind::scalar;
      require(!is_scalar || tree.at(parent).first_child == kNoNode, "a scalar has no children");
      require(is_scalar || tree.at(parent).text.empty(), "a collection has no text");
      std::uint32_t count = 0;
      for (const NodeIndex child : Children(tree, parent)) {
        require(child > parent, "children follow their parent");
        require(tree.at(parent).kind == NodeKind::mapping || tree.at(child).key.empty(),
                "only mappings have keys");
        reach(child);
        ++count;
      }
      require(count == tree.at(parent).child_count, "the child count is correct");
    }
  }
  require(std::ranges::find(is_reached, false) == is_reached.end(), "no node is lost");
}

/// Checks a result against its text.
inline void require_sound(const ReadResult& result, std::string_view text, const Limits& limits) {
  const std::vector<std::size_t> lengths = line_lengths(text);
  if (!result.good()) {
    require(!result.error().message.empty(), "an error has a message");
    require(result.error().position.line <= lengths.size() + 1,
            "an error's line is inside the text");
    return;
  }
  const Tree& tree = result.tree();
  require(tree.nodes.size() <= limits.node_count_max, "the limit on nodes holds");
  require_links(tree);
  Position last{1, 1};
  for (const Document& document : tree.documents) {
    require_inside(document.position, lengths);
    require(last <= document.position, "documents in order");
    last = document.position;
  }
  for (const Node& node : tree.nodes) {
    require_inside(node.position, lengths);
    if (node.key_position != Position{}) require_inside(node.key_position, lengths);
  }
}

}  // namespace muster::yaml
