// Following a path of keys through files.
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

/// Evaluates the paths of `ReferenceRule`. Notes what cannot be followed in `problems`.
class PathQuery {
 public:
  PathQuery(const SourceCache& sources, std::vector<ModelProblem>& problems)
      : sources_(sources), problems_(problems) {}

  /// Every node that `path` leads to from `start`, in order. An empty path is `start` itself.
  std::vector<SourceNode> find(const SourceNode& start, std::string_view path);
  /// The first of them, if any.
  SourceNode find_one(const SourceNode& start, std::string_view path);
  /// True when `start` has this key; with `[]` appended, when it is a list.
  bool has(const SourceNode& start, std::string_view key);
  /// If the node is a strong reference, the fields of the object that it names (non-existent when
  /// it cannot be had); else the node itself.
  SourceNode follow(const SourceNode& at);

 private:
  SourceNode object_in(const SourceFile& file, const yaml::Reference& reference,
                       const SourceNode& user);

  const SourceCache& sources_;
  std::vector<ModelProblem>& problems_;
};

}  // namespace muster
