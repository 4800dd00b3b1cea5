// Parses collections in braces and brackets.
#pragma once

#include <vector>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {

/// Parses flow collections of Unity's dialect, folded over lines of any indentation. Keeps only the
/// stack of open collections, so that one reader serves a whole file without repeated allocation.
class FlowReader {
 public:
  explicit FlowReader(TreeBuilder& builder) : builder_(builder) {}

  /// Parses the collection whose opening bracket is at `cursor` into the node `target`, and moves
  /// the cursor after its closing bracket. `depth` collections are open around it.
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
