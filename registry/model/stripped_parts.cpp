// A reference belongs to a component if it is in the text of the component. If the owner of a
// reference is unknown, the reference and its target are kept.
#include "registry/model/stripped_parts.h"

#include <algorithm>

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::NodeKind;
using yaml::Tree;

constexpr std::int64_t kInstanceClass = 1001;

bool is_unity_structure(const SourceFile& source) {
  return source.dialect == yaml::Dialect::unity &&
         (has_extension(source.path, "prefab") || has_extension(source.path, "unity"));
}

bool is_plain_prefab(const SourceFile& source) {
  return source.dialect == yaml::Dialect::plain &&
         source.tree.scalar_at(source.fields_of(0), "class") == "Prefab";
}

// The offset of each document, and the size of the text. The result is empty if the number of
// documents differs from the tree.
std::vector<std::size_t> document_starts(const SourceFile& source) {
  const std::string_view text = as_text(source.bytes);
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find("--- "); at != std::string_view::npos;
       at = text.find("--- ", at + 1)) {
    if (at == 0 || text[at - 1] == '\n') starts.push_back(at);
  }
  if (starts.size() != source.tree.documents.size()) return {};
  starts.push_back(text.size());
  return starts;
}

class PlainParts {
 public:
  explicit PlainParts(const SourceFile& source) : tree_(source.tree) {}

  std::vector<StrippedPart> run(NodeIndex top) {
    add_components(top);
    add_entity(tree_.find(top, "root"));
    return std::move(parts_);
  }

 private:
  void add_entity(NodeIndex entity) {
    add_components(entity);
    for (const NodeIndex child : Children(tree_, tree_.find(entity, "children"))) add_entity(child);
  }

  void add_components(NodeIndex entity) {
    for (const NodeIndex item : Children(tree_, tree_.find(entity, "components"))) {
      const NodeIndex fields = tree_.at(item).first_child;
      const std::string_view name =
          fields == kNoNode ? tree_.scalar(item) : std::string_view(tree_.at(fields).key);
      parts_.push_back({std::string(name), ClassOwner::engine, -1, fields, 0});
    }
  }

  const Tree& tree_;
  std::vector<StrippedPart> parts_;
};

void count_strong(const Tree& tree, NodeIndex node, MentionCounts& counts) {
  if (node == kNoNode || tree.at(node).kind == NodeKind::scalar) return;
  if (tree.at(node).kind == NodeKind::mapping && tree.find(node, "fileID") != kNoNode) {
    const auto reference = reference_at(tree, node);
    if (reference && !reference.value().guid.is_null()) {
      ++counts[{reference.value().guid, yaml::MentionKind::strong}];
    }
    return;
  }
  for (const NodeIndex child : Children(tree, node)) count_strong(tree, child, counts);
}

// Whether an override changes an object of a stripped class. Examines only the file of the
// instance's prefab.
bool changes_stripped(const Tree& tree, NodeIndex change, const Scripts& scripts,
                      const StripRules& rules,
                      const std::function<const SourceFile*(const Guid&)>& find) {
  const auto target = reference_at(tree, tree.find(change, "target"));
  if (!target || target.value().guid.is_null()) return false;
  const SourceFile* const inner = find(target.value().guid);
  if (inner == nullptr || target.value().file_id == 0) return false;
  for (std::size_t i = 0; i < inner->tree.documents.size(); ++i) {
    if (inner->tree.documents[i].file_id != target.value().file_id) continue;
    const int document = static_cast<int>(i);
    return rules.strips_class(class_of_document(*inner, scripts, document),
                              owner_of_class(*inner, document));
  }
  return false;
}

}  // namespace

std::string class_of_document(const SourceFile& source, const Scripts& scripts, int document) {
  const auto script =
      yaml::reference_at(source.tree, source.tree.find(source.fields_of(document), "m_Script"));
  std::string name = script ? scripts.class_of(script.value().guid) : std::string();
  if (!name.empty()) return name;
  // An object may contain the name of its class, as `Assembly::Namespace.Class`.
  std::string_view identifier =
      source.tree.scalar_at(source.fields_of(document), "m_EditorClassIdentifier");
  identifier = identifier.substr(identifier.find_last_of(".:") + 1);
  return std::string(identifier.empty() ? source.type_name_of(document) : identifier);
}

ClassOwner owner_of_class(const SourceFile& source, int document) {
  if (document < 0) return ClassOwner::engine;
  return owner_of_class(source.tree.documents[static_cast<std::size_t>(document)].class_id);
}

std::vector<StrippedPart> component_parts(const SourceFile& source, const Scripts& scripts) {
  if (!source.good()) return {};
  if (is_plain_prefab(source)) return PlainParts(source).run(source.fields_of(0));
  if (!is_unity_structure(source)) return {};
  const std::vector<std::size_t> starts = document_starts(source);
  std::vector<StrippedPart> parts;
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    if (source.tree.documents[i].is_stripped) continue;
    const int document = static_cast<int>(i);
    parts.push_back({class_of_document(source, scripts, document), owner_of_class(source, document),
                     document, kNoNode, starts.empty() ? 0 : starts[i + 1] - starts[i]});
  }
  return parts;
}

std::vector<StrippedPart> stripped_parts(const SourceFile& source, const Scripts& scripts,
                                         const StripRules& rules) {
  if (!rules.has_classes()) return {};
  std::vector<StrippedPart> parts = component_parts(source, scripts);
  std::erase_if(parts, [&](const StrippedPart& part) {
    return !rules.strips_class(part.class_name, part.owner);
  });
  return parts;
}

MentionCounts mentions_of(const SourceFile& source, const std::vector<StrippedPart>& parts,
                          const Scripts& scripts, const StripRules& rules,
                          const std::function<const SourceFile*(const Guid&)>& find) {
  MentionCounts counts;
  if (!source.good() || !rules.has_classes()) return counts;
  const std::string_view text = as_text(source.bytes);
  const bool is_plain = source.dialect == yaml::Dialect::plain;
  const std::vector<std::size_t> starts =
      is_plain ? std::vector<std::size_t>() : document_starts(source);
  for (const StrippedPart& part : parts) {
    if (is_plain) count_strong(source.tree, part.fields, counts);
    if (part.document < 0 || starts.empty()) continue;
    const auto i = static_cast<std::size_t>(part.document);
    yaml::scan_mentions(text.substr(starts[i], starts[i + 1] - starts[i]),
                        [&](const yaml::Mention& mention) {
                          ++counts[{mention.guid, mention.kind}];
                        });
  }
  if (!is_unity_structure(source)) return counts;
  for (std::size_t i = 0; i < source.tree.documents.size(); ++i) {
    if (source.tree.documents[i].class_id != kInstanceClass) continue;
    const NodeIndex changes = source.tree.find_path(source.fields_of(static_cast<int>(i)),
                                                    "m_Modification.m_Modifications");
    for (const NodeIndex change : Children(source.tree, changes)) {
      const NodeIndex object = source.tree.find(change, "objectReference");
      const auto reference = reference_at(source.tree, object);
      if (!reference || reference.value().guid.is_null()) continue;
      if (changes_stripped(source.tree, change, scripts, rules, find)) {
        ++counts[{reference.value().guid, yaml::MentionKind::strong}];
      }
    }
  }
  return counts;
}

Tree tree_without(const SourceFile& source, const std::vector<StrippedPart>& parts) {
  Tree tree;
  tree.documents = source.tree.documents;
  tree.nodes = source.tree.nodes;
  for (const StrippedPart& part : parts) {
    if (part.document >= 0) {
      yaml::Document& document = tree.documents[static_cast<std::size_t>(part.document)];
      document.root = kNoNode;
      document.is_stripped = true;
    } else if (part.fields != kNoNode) {
      yaml::Node& node = tree.nodes[part.fields];
      node.kind = NodeKind::scalar;
      node.style = yaml::ScalarStyle::plain;
      node.text = {};
      node.first_child = kNoNode;
      node.child_count = 0;
    }
  }
  return tree;
}

}  // namespace muster
