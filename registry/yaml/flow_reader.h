// Collections in braces and brackets.
#pragma once

#include <vector>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {

/// Reads flow collections of Unity's dialect, folded over lines of any indentation. Holds only the
/// stack of what is open, so that one reader serves a whole file without allocating each time.
class FlowReader {
 public:
  explicit FlowReader(TreeBuilder& builder) : builder_(builder) {}

  /// Reads the collection whose opening bracket `cursor` stands on into the node `target` and
  /// leaves the cursor behind its closing bracket. `depth` collections are open around it.
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
