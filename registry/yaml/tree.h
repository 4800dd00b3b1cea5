// A YAML file as a tree with positions. Both parsers create this tree.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"
#include "registry/base/result.h"

namespace muster::yaml {

/// A position in a file. The first line and the first column have the number 1, and a column is one
/// byte. 0 means unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

enum class NodeKind : std::uint8_t { scalar, mapping, sequence };

/// The form of a scalar. An empty plain scalar is YAML's null; an empty quoted scalar is an empty
/// text.
enum class ScalarStyle : std::uint8_t { plain, single_quoted, double_quoted };

/// The index of a node in its tree; `kNoNode` if there is no node.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFFFFFF;

/// One node. Its children are a linked list in source order: `first_child`, then each
/// `next_sibling`. Each child of a mapping contains its key. Texts view the source or the tree's
/// own storage.
struct Node {
  NodeKind kind = NodeKind::scalar;
  ScalarStyle style = ScalarStyle::plain;
  ScalarStyle key_style = ScalarStyle::plain;
  bool is_flow = false;     ///< Whether the node is a mapping in braces or a sequence in brackets.
  Position position{};      ///< The position of the value. If the value is missing, the position at
                            ///< which it would be.
  Position key_position{};  ///< The position of the key; 0 outside mappings.
  NodeIndex first_child = kNoNode;
  NodeIndex next_sibling = kNoNode;
  std::uint32_t child_count = 0;
  std::string_view key{};   ///< The decoded key; empty outside mappings.
  std::string_view text{};  ///< The decoded text of a scalar.
};

/// One YAML document: an object of a Unity file, or a whole plain file.
struct Document {
  std::int64_t class_id = 0;  ///< Unity's `!u!N`; 0 in plain files.
  std::int64_t file_id = 0;   ///< Unity's `&N`; 0 in plain files.
  bool is_stripped = false;
  Position position{};       ///< The position of the `---` line, or of the first token.
  NodeIndex root = kNoNode;  ///< The document's top node; `kNoNode` if the document is empty.
};

/// The documents of one file. Owns the decoded texts. The source must outlive the tree. Several
/// threads may read a tree after its construction.
class Tree {
 public:
  std::vector<Document> documents;
  std::vector<Node> nodes;

  const Node& at(NodeIndex index) const { return nodes[index]; }

  /// The first child of a mapping with this key; `kNoNode` if none exists. Also returns `kNoNode`
  /// if `mapping` is `kNoNode` or another kind of node, so that calls can be chained.
  NodeIndex find(NodeIndex mapping, std::string_view key) const;
  /// Follows keys that are separated by dots, for example `m_Modification.m_TransformParent`. List
  /// items have the form of Unity's overrides, for example `m_Slots.Array.data[2].ammo`.
  NodeIndex find_path(NodeIndex mapping, std::string_view path) const;
  /// The text of a scalar; empty for `kNoNode` and for other nodes.
  std::string_view scalar(NodeIndex index) const;
  /// The text of the scalar with this key in a mapping; empty if none exists.
  std::string_view scalar_at(NodeIndex mapping, std::string_view key) const;
  /// The scalar as a signed 64-bit integer. Fails with `malformed` for anything else.
  Result<std::int64_t> integer(NodeIndex index) const;

  /// Appends a node and returns its index.
  NodeIndex add(const Node& node);
  /// Appends `child` to the children of `parent`. `last` is the present last child, or `kNoNode`.
  void append_child(NodeIndex parent, NodeIndex last, NodeIndex child);
  /// Moves a text into the tree's storage. The view is valid as long as the tree exists, also after
  /// a move of the tree.
  std::string_view keep(std::string text);

 private:
  NodeIndex find_item(NodeIndex sequence, std::string_view step) const;

  std::vector<std::unique_ptr<std::string>> kept_;
};

/// Visits the children of a node in order.
///
///     for (NodeIndex item : Children(tree, list)) ...
class Children {
 public:
  Children(const Tree& tree, NodeIndex parent)
      : tree_(&tree), first_(parent == kNoNode ? kNoNode : tree.at(parent).first_child) {}
  class Iterator {
   public:
    Iterator(const Tree* tree, NodeIndex index) : tree_(tree), index_(index) {}
    NodeIndex operator*() const { return index_; }
    Iterator& operator++() {
      index_ = tree_->at(index_).next_sibling;
      return *this;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Tree* tree_;
    NodeIndex index_;
  };
  Iterator begin() const { return {tree_, first_}; }
  Iterator end() const { return {tree_, kNoNode}; }

 private:
  const Tree* tree_;
  NodeIndex first_;
};

/// A reference in Unity's form: `{fileID, guid, type}`. A null guid with a file id refers to an
/// object of the same file. File id 0 means that there is no reference.
struct Reference {
  std::int64_t file_id = 0;
  Guid guid{};
  std::int32_t type = 0;
  Position position{};
  bool is_null() const { return file_id == 0 && guid.is_null(); }
};

/// Parses a mapping as a reference. Fails with `malformed` if it has no `fileID` or an invalid
/// guid.
Result<Reference> reference_at(const Tree& tree, NodeIndex index);

/// Parses `true`, `false`, 1 or 0, ignoring case. The result is nullopt for other values.
std::optional<bool> truth_in(const Tree& tree, NodeIndex index);

/// Parses a weak reference in any spelling: a mapping with `val0..val3`, a mapping with `guid: <32
/// hex>`, or a scalar of 32 hex digits. A reference that is not set (all zero, or empty text) gives
/// the null guid. Fails with `malformed` for other values.
Result<Guid> weak_reference_at(const Tree& tree, NodeIndex index);

}  // namespace muster::yaml
