#include "bundler/report/yaml_text.h"

#include <fmt/format.h>

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::Node;
using yaml::NodeIndex;
using yaml::NodeKind;
using yaml::ScalarStyle;
using yaml::Tree;

std::string double_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        result += "\\\"";
        break;
      case '\\':
        result += "\\\\";
        break;
      case '\n':
        result += "\\n";
        break;
      case '\r':
        result += "\\r";
        break;
      case '\t':
        result += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
          result += fmt::format("\\x{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
          result += c;
        }
    }
  }
  return result + "\"";
}

std::string single_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c;
  }
  return result + "'";
}

std::string scalar_text(std::string_view text, ScalarStyle style) {
  if (text.find_first_of("\n\r") != std::string_view::npos) return double_quoted(text);
  switch (style) {
    case ScalarStyle::plain:
      return std::string(text);
    case ScalarStyle::single_quoted:
      return single_quoted(text);
    case ScalarStyle::double_quoted:
      return double_quoted(text);
  }
  return std::string(text);
}

bool is_reference(const Tree& tree, NodeIndex index) {
  if (tree.at(index).kind != NodeKind::mapping || tree.at(index).child_count > 3) return false;
  for (const NodeIndex child : Children(tree, index)) {
    if (tree.at(child).kind != NodeKind::scalar) return false;
  }
  return tree.find(index, "fileID") != kNoNode;
}

class YamlWriter {
 public:
  explicit YamlWriter(const Tree& tree) : tree_(tree) {}

  std::string run() {
    const bool unity = !tree_.documents.empty() && tree_.documents.front().class_id != 0;
    if (unity) text_ = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
    for (const yaml::Document& document : tree_.documents) {
      if (unity) {
        text_ += fmt::format("--- !u!{} &{}{}\n", document.class_id, document.file_id,
                             document.is_stripped ? " stripped" : "");
      } else if (tree_.documents.size() > 1) {
        text_ += "---\n";
      }
      if (document.root == kNoNode) continue;
      if (tree_.at(document.root).kind == NodeKind::scalar) {
        text_ += scalar_text(tree_.at(document.root).text, tree_.at(document.root).style) + "\n";
      } else {
        children(document.root, 0);
      }
    }
    return std::move(text_);
  }

 private:
  // Writes the value of a key or dash. The text starts on the line of the key or dash, and ends
  // with a line end.
  void value(NodeIndex index, std::size_t indent) {
    const Node& node = tree_.at(index);
    if (node.kind == NodeKind::scalar) {
      const std::string scalar = scalar_text(node.text, node.style);
      text_ += scalar.empty() ? "\n" : " " + scalar + "\n";
    } else if (node.child_count == 0) {
      text_ += node.kind == NodeKind::mapping ? " {}\n" : " []\n";
    } else if (is_reference(tree_, index)) {
      reference(index);
    } else {
      text_ += "\n";
      children(index, indent);
    }
  }

  void reference(NodeIndex index) {
    std::string inside;
    for (const NodeIndex child : Children(tree_, index)) {
      inside += (inside.empty() ? "" : ", ") + std::string(tree_.at(child).key) + ": " +
                scalar_text(tree_.at(child).text, tree_.at(child).style);
    }
    text_ += " {" + inside + "}\n";
  }

  void children(NodeIndex parent, std::size_t indent) {
    const bool mapping = tree_.at(parent).kind == NodeKind::mapping;
    for (const NodeIndex child : Children(tree_, parent)) {
      text_.append(indent, ' ');
      text_ += mapping ? scalar_text(tree_.at(child).key, tree_.at(child).key_style) + ":" : "-";
      value(child, indent + 2);
    }
  }

  const Tree& tree_;
  std::string text_;
};

}  // namespace

std::string tree_to_yaml(const Tree& tree) { return YamlWriter(tree).run(); }

}  // namespace muster
