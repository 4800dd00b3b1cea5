// Parses YAML flow collections: mappings in braces and sequences in brackets.
#pragma once

#include <vector>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {

/// Parses flow collections of Unity's dialect, also over several lines with any indentation. Use
/// one reader for a whole file, because it reuses the memory of its stack.
class FlowReader {
 public:
  explicit FlowReader(TreeBuilder& builder) : builder_(builder) {}

  /// Parses the collection whose opening bracket is at `cursor` into the node `target`. Moves the
  /// cursor after the closing bracket. `depth` is the number of open collections that contain this
  /// collection. Returns false on failure, after setting the error of the builder.
  bool read(LineCursor& cursor, NodeIndex target, std::size_t depth);

 private:
  enum class Expect : std::uint8_t { item, value, separator };
  struct Frame {
    NodeIndex node = kNoNode;
    NodeIndex last_child = kNoNode;
    Position opened{};
    bool is_mapping = false;
    Expect expect = Expect::item;
  };

  bool open(LineCursor& cursor, NodeIndex target);
  bool step(LineCursor& cursor);
  bool read_item(LineCursor& cursor);
  bool read_key(LineCursor& cursor);
  bool read_value(LineCursor& cursor);
  bool skip_space(LineCursor& cursor);

  TreeBuilder& builder_;
  std::vector<Frame> open_;
  std::size_t depth_outside_ = 0;
};

}  // namespace muster::yaml
