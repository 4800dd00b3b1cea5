// YAML as a tree with positions; the output of both parsers.
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

/// A position in a file; line and column count from one, columns in bytes. Zero means unknown.
struct Position {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};

enum class NodeKind : std::uint8_t { scalar, mapping, sequence };

/// The form of a scalar. An empty plain scalar is YAML's null; an empty quoted one is text.
enum class ScalarStyle : std::uint8_t { plain, single_quoted, double_quoted };

/// The index of a node in its tree; `kNoNode` is none.
using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xFFFFFFFF;

/// One node. Children are a linked list in source order (`first_child`, then `next_sibling`); a
/// mapping's children carry their key. Texts are views into the source or into the tree's own
/// storage.
struct Node {
  NodeKind kind = NodeKind::scalar;
  ScalarStyle style = ScalarStyle::plain;
  ScalarStyle key_style = ScalarStyle::plain;
  bool is_flow = false;     ///< A mapping or sequence in braces or brackets.
  Position position{};      ///< The value's position; for a missing value its expected position.
  Position key_position{};  ///< The key's position; zero outside mappings.
  NodeIndex first_child = kNoNode;
  NodeIndex next_sibling = kNoNode;
  std::uint32_t child_count = 0;
  std::string_view key{};   ///< Decoded; empty outside mappings.
  std::string_view text{};  ///< Decoded scalar value.
};

/// One YAML document: an object of a Unity file, or a whole plain file.
struct Document {
  std::int64_t class_id = 0;  ///< Unity's `!u!N`; 0 in plain files.
  std::int64_t file_id = 0;   ///< Unity's `&N`; 0 in plain files.
  bool is_stripped = false;
  Position position{};       ///< The position of the `---` line, or of the first token.
  NodeIndex root = kNoNode;  ///< The document's top node; `kNoNode` when it is empty.
};

/// The documents of one file. Owns the decoded texts; the source must outlive the tree. Not
/// thread-safe during construction; afterwards several threads may read it.
class Tree {
 public:
  std::vector<Document> documents;
  std::vector<Node> nodes;

  const Node& at(NodeIndex index) const { return nodes[index]; }

  /// The first child of a mapping with this key, or `kNoNode`. Also `kNoNode` if `mapping` is
  /// `kNoNode` or no mapping, so that calls can be chained.
  NodeIndex find(NodeIndex mapping, std::string_view key) const;
  /// Follows keys separated by dots: `m_Modification.m_TransformParent`; also into lists, in the
  /// form of Unity's overrides: `m_Slots.Array.data[2].ammo`.
  NodeIndex find_path(NodeIndex mapping, std::string_view path) const;
  /// The text of a scalar; empty for `kNoNode` and for other nodes.
  std::string_view scalar(NodeIndex index) const;
  /// The scalar below a key, or empty.
  std::string_view scalar_at(NodeIndex mapping, std::string_view key) const;
  /// The scalar as a signed 64-bit integer. Fails with `malformed` for anything else.
  Result<std::int64_t> integer(NodeIndex index) const;

  /// Appends a node and returns its index.
  NodeIndex add(const Node& node);
  /// Appends `child` to the children of `parent`; `last` is the child appended before, or kNoNode.
  void append_child(NodeIndex parent, NodeIndex last, NodeIndex child);
  /// Copies a text into the tree's storage; the view is valid as long as the tree (also after a
  /// move).
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

/// A reference in Unity's form: `{fileID, guid, type}`. A null guid with a file id refers to the
/// same file; file id 0 means none.
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

/// Parses `true`, `false`, 1 or 0, ignoring case; nothing for other values.
std::optional<bool> truth_in(const Tree& tree, NodeIndex index);

/// Parses a weak reference in any spelling: a mapping with `val0..val3`, a mapping with `guid: <32
/// hex>`, or a scalar of 32 hex digits. An unset one (all zero, or empty text) gives the null guid.
/// Fails with `malformed` for other values.
Result<Guid> weak_reference_at(const Tree& tree, NodeIndex index);

}  // namespace muster::yaml
