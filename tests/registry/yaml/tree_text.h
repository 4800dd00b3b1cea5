// Converts a tree to one line of text, for the expected trees of tests.
#pragma once

#include <string>

#include "registry/yaml/tree.h"

namespace muster::yaml {

/// A node as text: `{key:value,...}` or `[value,...]`. A plain scalar is between `<` and `>`, a
/// quoted scalar between `'` or `"`. A newline is `\n`.
inline std::string to_text(const Tree& tree, NodeIndex index) {
  if (index == kNoNode) return "none";
  const Node& node = tree.at(index);
  const auto scalar = [](std::string_view text, ScalarStyle style) {
    const std::size_t kind = static_cast<std::size_t>(style);
    std::string result(1, "<'\""[kind]);
    for (const char c : text) {
      if (c == '\n') {
        result += "\\n";
      } else {
        result += c;
      }
    }
    return result + ">'\""[kind];
  };
  if (node.kind == NodeKind::scalar) return scalar(node.text, node.style);
  const bool is_mapping = node.kind == NodeKind::mapping;
  std::string result(1, is_mapping ? '{' : '[');
  for (const NodeIndex child : Children(tree, index)) {
    if (result.size() > 1) result += ',';
    if (is_mapping) result += scalar(tree.at(child).key, tree.at(child).key_style) + ':';
    result += to_text(tree, child);
  }
  return result + (is_mapping ? '}' : ']');
}

/// All documents as text, separated by `;`. Each document is `class&file[ stripped]=root`. If both
/// numbers are zero (in a plain file), only `root` is written.
inline std::string to_text(const Tree& tree) {
  std::string result;
  for (const Document& document : tree.documents) {
    if (!result.empty()) result += ';';
    if (document.class_id != 0 || document.file_id != 0) {
      result += std::to_string(document.class_id) + "&" + std::to_string(document.file_id) +
                (document.is_stripped ? " stripped=" : "=");
    }
    result += to_text(tree, document.root);
  }
  return result;
}

}  // namespace muster::yaml
