#include "bundler/cook/object_to_tree.h"

#include <array>
#include <string>

#include "bundler/cook/canonical_text.h"

namespace muster {
namespace {

using yaml::kNoNode;
using yaml::Node;
using yaml::NodeIndex;
using yaml::NodeKind;
using yaml::ScalarStyle;
using yaml::Tree;

class TreeBuilder {
 public:
  explicit TreeBuilder(const ObjectReader& object) : object_(object) {}

  Tree build() {
    for (std::uint32_t i = 0; i < object_.document_count(); ++i) {
      const ObjectDocument source = object_.document(i);
      yaml::Document document;
      document.class_id = source.class_id;
      document.file_id = source.file_id;
      document.is_stripped = source.is_stripped;
      if (source.root) document.root = add(*source.root, {});
      tree_.documents.push_back(document);
    }
    return std::move(tree_);
  }

 private:
  // Adds a value to the tree. `node` already has the key.
  NodeIndex add(ObjectValue value, Node node) {
    switch (value.kind()) {
      case ObjectKind::null:
        return tree_.add(node);
      case ObjectKind::integer:
        return add_plain(node, text_of(value.integer()));
      case ObjectKind::real32:
        return add_plain(node, text_of(static_cast<float>(value.real())));
      case ObjectKind::real64:
        return add_plain(node, text_of(value.real()));
      case ObjectKind::text:
        node.style = static_cast<ScalarStyle>(value.style());
        node.text = value.text();
        return tree_.add(node);
      case ObjectKind::guid_text:
        return add_plain(node, value.guid().to_string());
      case ObjectKind::guid_words:
        return add_words(node, value.guid());
      case ObjectKind::reference:
        return add_reference(node, value.reference());
      case ObjectKind::mapping:
        node.kind = NodeKind::mapping;
        break;
      case ObjectKind::sequence:
        node.kind = NodeKind::sequence;
        break;
    }
    const NodeIndex parent = tree_.add(node);
    NodeIndex last = kNoNode;
    for (const ObjectChild source : value.children()) {
      Node child;
      child.key = source.key;
      child.key_style = static_cast<ScalarStyle>(source.key_style);
      const NodeIndex now = add(source.value, child);
      tree_.append_child(parent, last, now);
      last = now;
    }
    return parent;
  }

  NodeIndex add_plain(Node node, std::string text) {
    node.text = tree_.keep(std::move(text));
    return tree_.add(node);
  }

  // Appends a plain child to a mapping that was stored as a reference, and returns the child.
  NodeIndex add_part(NodeIndex parent, NodeIndex last, std::string_view key, std::string text) {
    Node node;
    node.key = key;
    const NodeIndex part = add_plain(node, std::move(text));
    tree_.append_child(parent, last, part);
    return part;
  }

  NodeIndex add_words(Node node, const Guid& guid) {
    constexpr std::array<std::string_view, 4> kKeys = {"val0", "val1", "val2", "val3"};
    node.kind = NodeKind::mapping;
    const NodeIndex parent = tree_.add(node);
    const WeakReferenceWords words = words_from_guid(guid);
    NodeIndex last = kNoNode;
    for (std::size_t i = 0; i < kKeys.size(); ++i) {
      last = add_part(parent, last, kKeys.at(i), text_of(std::int64_t{words.at(i)}));
    }
    return parent;
  }

  NodeIndex add_reference(Node node, const ObjectReference& reference) {
    node.kind = NodeKind::mapping;
    node.is_flow = true;
    const NodeIndex parent = tree_.add(node);
    const NodeIndex file_id = add_part(parent, kNoNode, "fileID", text_of(reference.file_id));
    if (!reference.is_external) return parent;
    const NodeIndex guid = add_part(parent, file_id, "guid", reference.guid.to_string());
    add_part(parent, guid, "type", text_of(std::int64_t{reference.type}));
    return parent;
  }

  const ObjectReader& object_;
  Tree tree_;
};

}  // namespace

Tree object_to_tree(const ObjectReader& object) { return TreeBuilder(object).build(); }

}  // namespace muster
