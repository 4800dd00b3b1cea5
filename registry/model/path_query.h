// Follows a path of keys through files.
#pragma once

#include <string_view>
#include <vector>

#include "registry/model/registry_model.h"

namespace muster {

/// A node in some file.
struct SourceNode {
  const SourceFile* source = nullptr;
  yaml::NodeIndex node = yaml::kNoNode;

  bool exists() const { return source != nullptr && node != yaml::kNoNode; }
  Location location() const { return {source->path, source->tree.at(node).position}; }
};

/// A reference in any spelling: `{fileID, guid, type}`, `guid:` text, or `val0..val3`.
struct AnyReference {
  Guid guid;
  std::int64_t file_id = 0;
  bool is_strong = false;
  bool is_set() const { return !guid.is_null() || file_id != 0; }
};
Result<AnyReference> any_reference_at(const SourceNode& at);

/// Evaluates the paths of `ReferenceRule`. Adds unusable references to `problems`.
class PathQuery {
 public:
  PathQuery(const SourceCache& sources, std::vector<ModelProblem>& problems)
      : sources_(sources), problems_(problems) {}

  /// All nodes to which `path` leads from `start`, in order. An empty path leads to `start` itself.
  std::vector<SourceNode> find(const SourceNode& start, std::string_view path);
  /// The first node that `find` returns; an invalid node if none exists.
  SourceNode find_one(const SourceNode& start, std::string_view path);
  /// True if `start` has this key. A key that ends with `[]` must also have a list as its value.
  bool has(const SourceNode& start, std::string_view key);
  /// If the node is a strong reference, returns the fields of the referenced object, or an invalid
  /// node if the object cannot be read. Otherwise returns the node itself.
  SourceNode follow(const SourceNode& at);

 private:
  SourceNode object_in(const SourceFile& file, const yaml::Reference& reference,
                       const SourceNode& user);

  const SourceCache& sources_;
  std::vector<ModelProblem>& problems_;
};

}  // namespace muster
