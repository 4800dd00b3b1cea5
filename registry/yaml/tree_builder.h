// Builds a tree with limits on its size.
#pragma once

#include <string>

#include "registry/yaml/reader.h"
#include "registry/yaml/scalars.h"
#include "registry/yaml/tree.h"

namespace muster::yaml {

/// The state that all parsers of Unity's dialect use: the tree, its limits, and the first error. A
/// function that fails returns false and sets `error`.
struct TreeBuilder {
  Tree tree{};
  Limits limits{};
  SyntaxError error{};

  bool fail_at(const Position& position, std::string message) {
    error = {position, std::move(message)};
    return false;
  }

  /// Fails if `depth`, the number of open collections, has reached the limit.
  bool check_depth(std::size_t depth, const Position& position) {
    if (depth < limits.depth_max) return true;
    return fail_at(position, "nested deeper than the limit of " + std::to_string(limits.depth_max));
  }

  /// Adds an empty scalar. Returns `kNoNode` and sets `error` if the limit is reached.
  NodeIndex add_empty(const Position& position) {
    if (tree.nodes.size() >= limits.node_count_max) {
      fail_at(position, "more values than the limit of " + std::to_string(limits.node_count_max));
      return kNoNode;
    }
    return tree.add(Node{.position = position});
  }

  void set_scalar(NodeIndex index, const Scalar& scalar, const Position& position) {
    Node& node = tree.nodes[index];
    node.text = scalar.text;
    node.style = scalar.style;
    node.position = position;
  }

  void set_key(NodeIndex index, const Scalar& key, const Position& position) {
    Node& node = tree.nodes[index];
    node.key = key.text;
    node.key_style = key.style;
    node.key_position = position;
  }

  void set_collection(NodeIndex index, NodeKind kind, bool is_flow, const Position& position) {
    Node& node = tree.nodes[index];
    node.kind = kind;
    node.is_flow = is_flow;
    node.position = position;
  }
};

}  // namespace muster::yaml
