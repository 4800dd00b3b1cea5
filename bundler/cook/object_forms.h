// Determines the object form of each node of a YAML tree. Only `encode_object` uses this file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "registry/base/guid.h"
#include "registry/yaml/tree.h"
#include "runtime/bundle/bundle_layout.h"

namespace muster {

/// A strong reference in the object form.
struct WrittenReference {
  /// The guid of the other file; no value for a reference within the file.
  std::optional<Guid> guid;
  std::int64_t file_id = 0;
  std::int32_t type = 0;
};

/// The form of a node. `payload` is an integer, the bits of a floating-point number, or the index
/// of a reference or guid.
struct ObjectForm {
  ObjectKind kind = ObjectKind::null;
  std::uint64_t payload = 0;
};

/// The forms of all nodes of a tree. The tree must outlive this object.
class ObjectForms {
 public:
  explicit ObjectForms(const yaml::Tree& tree) : tree_(tree), forms_(tree.nodes.size()) {}

  /// Classifies every node. Returns false if a value is nested deeper than the format allows.
  bool classify();

  const ObjectForm& of(yaml::NodeIndex node) const { return forms_[node]; }
  /// Requires: the form has this kind.
  const Guid& guid_of(const ObjectForm& form) const { return guids_[form.payload]; }
  const WrittenReference& reference_of(const ObjectForm& form) const {
    return references_[form.payload];
  }

 private:
  bool classify_node(yaml::NodeIndex index, std::uint32_t depth);
  ObjectForm scalar_form(const yaml::Node& node);
  std::optional<ObjectForm> folded_form(yaml::NodeIndex index);
  std::optional<ObjectForm> reference_form(yaml::NodeIndex index);
  std::optional<ObjectForm> words_form(yaml::NodeIndex index);
  ObjectForm guid_form(ObjectKind kind, const Guid& guid);
  bool plain_scalars(yaml::NodeIndex index, std::span<const std::string_view> keys,
                     std::span<std::string_view> texts) const;

  const yaml::Tree& tree_;
  std::vector<ObjectForm> forms_;  // One per node.
  std::vector<Guid> guids_;
  std::vector<WrittenReference> references_;
};

}  // namespace muster
