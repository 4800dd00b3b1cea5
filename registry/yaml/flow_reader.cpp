// The parser is a loop with a stack of open collections, so that deep nesting does not overflow the
// call stack. Each open collection stores what may follow next: an item or the closing bracket, the
// value of a key, or a separator.
#include "registry/yaml/flow_reader.h"

namespace muster::yaml {

bool FlowReader::read(LineCursor& cursor, NodeIndex target, std::size_t depth) {
  open_.clear();
  depth_outside_ = depth;
  if (!open(cursor, target)) return false;
  while (!open_.empty()) {
    if (!skip_space(cursor) || !step(cursor)) return false;
  }
  return true;
}

// Moves to the next significant byte, over blanks, comments and line ends.
bool FlowReader::skip_space(LineCursor& cursor) {
  for (;;) {
    cursor.skip_blanks();
    if (!cursor.at_line_end() && !cursor.at_comment()) return true;
    if (!cursor.next() || cursor.at_marker("---")) {
      const Frame& frame = open_.back();
      return builder_.fail_at(
          frame.opened, frame.is_mapping ? "this '{' is never closed" : "this '[' is never closed");
    }
  }
}

bool FlowReader::open(LineCursor& cursor, NodeIndex target) {
  const Position here = cursor.position();
  if (!builder_.check_depth(depth_outside_ + open_.size(), here)) return false;
  const bool is_mapping = *cursor.at == '{';
  builder_.set_collection(target, is_mapping ? NodeKind::mapping : NodeKind::sequence, true, here);
  open_.push_back({.node = target, .opened = here, .is_mapping = is_mapping});
  ++cursor.at;
  return true;
}

bool FlowReader::step(LineCursor& cursor) {
  Frame& frame = open_.back();
  const char c = *cursor.at;
  if (frame.expect == Expect::value && c != ',' && c != '}') return read_value(cursor);
  if (c == (frame.is_mapping ? '}' : ']')) {
    ++cursor.at;
    open_.pop_back();
    return true;
  }
  if (frame.expect == Expect::item) return read_item(cursor);
  if (c != ',') {
    return builder_.fail_at(cursor.position(),
                            frame.is_mapping ? "expected ',' or '}'" : "expected ',' or ']'");
  }
  ++cursor.at;
  frame.expect = Expect::item;
  return true;
}

bool FlowReader::read_item(LineCursor& cursor) {
  Frame& frame = open_.back();
  const char c = *cursor.at;
  if (c == ',' || c == '}' || c == ']' || (frame.is_mapping && (c == '{' || c == '['))) {
    return builder_.fail_at(cursor.position(),
                            frame.is_mapping ? "expected a key or '}'" : "expected a value or ']'");
  }
  const NodeIndex child = builder_.add_empty(cursor.position());
  if (child == kNoNode) return false;
  builder_.tree.append_child(frame.node, frame.last_child, child);
  frame.last_child = child;
  return frame.is_mapping ? read_key(cursor) : read_value(cursor);
}

bool FlowReader::read_key(LineCursor& cursor) {
  Frame& frame = open_.back();
  const Position here = cursor.position();
  const bool is_quoted = *cursor.at == '"' || *cursor.at == '\'';
  const std::optional<Scalar> key = is_quoted ? read_quoted(cursor, builder_.tree, builder_.error)
                                              : read_flow_plain(cursor, builder_.tree);
  if (!key) return false;
  builder_.set_key(frame.last_child, *key, here);
  if (!skip_space(cursor)) return false;
  builder_.tree.nodes[frame.last_child].position = cursor.position();
  frame.expect = Expect::separator;
  // After a quoted key, no blank is needed between the colon and the value, as in JSON.
  if (is_quoted ? *cursor.at == ':' : at_flow_colon(cursor)) {
    ++cursor.at;
    builder_.tree.nodes[frame.last_child].position = cursor.position();
    frame.expect = Expect::value;
  }
  return true;
}

bool FlowReader::read_value(LineCursor& cursor) {
  Frame& frame = open_.back();
  frame.expect = Expect::separator;
  const Position here = cursor.position();
  const NodeIndex target = frame.last_child;
  const char c = *cursor.at;
  if (c == '{' || c == '[') return open(cursor, target);
  const bool is_quoted = c == '"' || c == '\'';
  const std::optional<Scalar> scalar = is_quoted
                                           ? read_quoted(cursor, builder_.tree, builder_.error)
                                           : read_flow_plain(cursor, builder_.tree);
  if (!scalar) return false;
  if (scalar->text.empty() && !is_quoted) {
    return builder_.fail_at(here, "expected a value");
  }
  builder_.set_scalar(target, *scalar, here);
  return true;
}

}  // namespace muster::yaml
