// A parser for Unity's dialect. Parsers that conform to the YAML standard cannot read Unity's
// files: `--- !u!4 &1 stripped` is not valid YAML, the `%TAG` directive of the first document
// applies to all documents, and quoted texts continue at column 1.
//
// The parser reads line by line. A stack contains the open block collections, each with the column
// of its keys or dashes. A line closes all collections that are indented deeper than the line, and
// then adds an item to the innermost open collection. The parser does not recurse and needs linear
// time. Scalars are views into the source, unless folding or escapes require a copy.
//
// Errors are: explicit keys (`? `), block scalars (`|`, `>`), tabs in indentation, a value with a
// second `: `, and a document that is only a text. The characters `&`, `*`, `!`, `%`, `@` and
// back-ticks at the start of a value are text, because Unity writes no anchors, aliases or tags
// inside an object.
#include <charconv>
#include <vector>

#include "registry/yaml/flow_reader.h"
#include "registry/yaml/line_cursor.h"
#include "registry/yaml/scalars.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {
namespace {

class UnityReader {
 public:
  UnityReader(std::string_view text, const Limits& limits)
      : builder_{.limits = limits}, flow_(builder_), cursor_(text) {
    // Reserves memory for the estimated number of values, so that the vector rarely grows.
    constexpr std::size_t kBytesPerNode = 28;
    constexpr std::size_t kReserveMax = 1U << 20U;
    builder_.tree.nodes.reserve(std::min(text.size() / kBytesPerNode + 16, kReserveMax));
  }

  ReadResult read() {
    do {
      if (!read_line()) return std::move(builder_.error);
    } while (cursor_.next());
    return std::move(builder_.tree);
  }

 private:
  // An open block collection.
  struct Frame {
    NodeIndex node = kNoNode;
    NodeIndex last_child = kNoNode;
    std::size_t indent = 0;  // The column of the keys or dashes, counted from 0.
    NodeKind kind = NodeKind::mapping;
    bool is_pending = false;  // Whether the value of the last child may follow in a deeper line.
  };

  bool read_line();
  bool read_header();
  bool read_header_words(Document& document);
  bool read_content();
  bool read_entry();
  bool read_key(const Scalar& key, const Position& position, std::size_t column);
  bool read_value(NodeIndex target, std::size_t parent_indent);
  bool read_lone_value();
  bool read_dash();
  bool open(NodeKind kind, std::size_t column);
  NodeIndex add_child(std::size_t column_of_value);
  bool finish_line();
  bool refuse_block_scalar();
  bool refuse_line(const char* expected);
  void begin_document(const Position& position);
  std::size_t column() const { return static_cast<std::size_t>(cursor_.at - cursor_.line_begin); }

  TreeBuilder builder_;
  FlowReader flow_;
  LineCursor cursor_;
  std::vector<Frame> open_;
  bool is_document_open_ = false;
};

bool UnityReader::read_line() {
  while (!cursor_.at_line_end() && *cursor_.at == ' ') ++cursor_.at;
  const std::size_t indent = column();
  cursor_.skip_blanks();
  if (cursor_.at_line_end() || cursor_.at_comment()) return true;
  if (column() != indent) {
    return builder_.fail_at(cursor_.position(), "a tab in the indentation; use spaces");
  }
  if (indent == 0) {
    if (cursor_.at_marker("---")) return read_header();
    if (cursor_.at_marker("...")) {
      open_.clear();
      is_document_open_ = false;
      cursor_.at += 3;
      return finish_line();
    }
    if (*cursor_.at == '%' && !is_document_open_) return true;  // A directive, such as %TAG.
  }
  if (!is_document_open_) begin_document(cursor_.position());
  return read_content();
}

void UnityReader::begin_document(const Position& position) {
  open_.clear();
  builder_.tree.documents.push_back({.position = position});
  is_document_open_ = true;
}

bool UnityReader::read_header() {
  begin_document(cursor_.position());
  cursor_.at += 3;
  return read_header_words(builder_.tree.documents.back()) && finish_line();
}

// Parses the words after `---`. For example, `!u!114`, `&11400000` and `stripped`.
bool UnityReader::read_header_words(Document& document) {
  for (;;) {
    cursor_.skip_blanks();
    if (cursor_.at_line_end() || cursor_.at_comment()) return true;
    const char* const begin = cursor_.at;
    while (!cursor_.at_line_end() && !is_blank(*cursor_.at)) ++cursor_.at;
    const std::string_view word(begin, static_cast<std::size_t>(cursor_.at - begin));
    if (word == "stripped") {
      document.is_stripped = true;
      continue;
    }
    const bool is_tag = word.starts_with("!u!");
    const char* const digits = begin + (is_tag ? 3 : 1);
    std::int64_t number = 0;
    const auto [rest, problem] = std::from_chars(digits, cursor_.at, number);
    const bool is_number = problem == std::errc() && rest == cursor_.at;
    if (is_tag && is_number && number >= 0) {
      document.class_id = number;
    } else if (word.starts_with('&') && is_number) {
      document.file_id = number;
    } else {
      return builder_.fail_at(cursor_.position_of(begin),
                              "expected '--- !u!CLASS &ID' with integers of 64 bits");
    }
  }
}

bool UnityReader::read_content() {
  const std::size_t indent = column();
  const bool is_dash = cursor_.at_indicator('-');
  // A sequence can begin at the column of its key. Such a sequence ends at the first line without a
  // dash.
  while (!open_.empty() &&
         (open_.back().indent > indent ||
          (open_.back().indent == indent && !is_dash && open_.back().kind == NodeKind::sequence))) {
    open_.pop_back();
  }
  while (cursor_.at_indicator('-')) {
    if (!read_dash()) return false;
    if (cursor_.at_line_end() || cursor_.at_comment()) return true;
  }
  return read_entry();
}

bool UnityReader::refuse_line(const char* expected) {
  const std::string_view line(cursor_.line_begin,
                              static_cast<std::size_t>(cursor_.line_end - cursor_.line_begin));
  for (const std::string_view marker : {"<<<<<<<", "=======", ">>>>>>>", "|||||||"}) {
    if (line.starts_with(marker)) {
      return builder_.fail_at(cursor_.position_of(cursor_.line_begin),
                              "an unresolved merge conflict; resolve it and save the file");
    }
  }
  return builder_.fail_at(cursor_.position(), expected);
}

// Makes the collection at `column` the innermost open collection. If it is not open yet, it begins
// here: as the value of a key or dash, or as the root of the document.
bool UnityReader::open(NodeKind kind, std::size_t column) {
  const Position here = cursor_.position_of(cursor_.line_begin + column);
  NodeIndex target = kNoNode;
  if (open_.empty()) {
    Document& document = builder_.tree.documents.back();
    if (document.root != kNoNode) return refuse_line("the document's content has ended before");
    target = document.root = builder_.add_empty(here);
    if (target == kNoNode) return false;
  } else {
    Frame& top = open_.back();
    if (top.indent == column && top.kind == kind) return true;
    const bool may_begin =
        top.indent < column ||
        (top.indent == column && kind == NodeKind::sequence && top.kind == NodeKind::mapping);
    if (!top.is_pending || !may_begin) {
      return refuse_line(top.indent < column ? "unexpected indentation" : "expected 'key: value'");
    }
    top.is_pending = false;
    target = top.last_child;
  }
  if (!builder_.check_depth(open_.size(), here)) return false;
  builder_.set_collection(target, kind, false, here);
  open_.push_back({.node = target, .indent = column, .kind = kind});
  return true;
}

NodeIndex UnityReader::add_child(std::size_t column_of_value) {
  Frame& top = open_.back();
  const NodeIndex child =
      builder_.add_empty(cursor_.position_of(cursor_.line_begin + column_of_value));
  if (child == kNoNode) return kNoNode;
  builder_.tree.append_child(top.node, top.last_child, child);
  top.last_child = child;
  top.is_pending = true;
  return child;
}

bool UnityReader::read_dash() {
  if (!open(NodeKind::sequence, column())) return false;
  ++cursor_.at;
  if (add_child(column()) == kNoNode) return false;
  cursor_.skip_blanks();
  return true;
}

// Parses `key: value`, `key:`, or a value without a key.
bool UnityReader::read_entry() {
  const Position here = cursor_.position();
  const std::size_t key_column = column();
  const char c = *cursor_.at;
  if (c == '{' || c == '[') return read_lone_value();
  if (cursor_.at_indicator('?')) {
    return builder_.fail_at(here, "explicit keys ('? ') are not part of Unity's dialect");
  }
  if (c == '\'' || c == '"') {
    const LineCursor before = cursor_;
    const auto key = read_quoted(cursor_, builder_.tree, builder_.error);
    if (!key) return false;
    cursor_.skip_blanks();
    if (!key->is_multi_line && cursor_.at_indicator(':')) return read_key(*key, here, key_column);
    if (open_.empty() || !open_.back().is_pending || open_.back().indent >= key_column) {
      cursor_ = before;
      return refuse_line("expected 'key: value'");
    }
    builder_.set_scalar(open_.back().last_child, *key, here);
    open_.back().is_pending = false;
    return finish_line();
  }
  const char* colon = cursor_.at;
  while (colon < cursor_.line_end) {
    if (*colon == ':' && (colon + 1 == cursor_.line_end || is_blank(colon[1]))) break;
    if (*colon == '#' && is_blank(colon[-1])) colon = cursor_.line_end - 1;
    ++colon;
  }
  if (colon == cursor_.line_end) return read_lone_value();
  Scalar key;
  const char* key_end = colon;
  while (key_end > cursor_.at && is_blank(key_end[-1])) --key_end;
  key.text = {cursor_.at, static_cast<std::size_t>(key_end - cursor_.at)};
  cursor_.at = colon;
  return read_key(key, here, key_column);
}

// Requires: the cursor is at the colon.
bool UnityReader::read_key(const Scalar& key, const Position& position, std::size_t column) {
  const char* const colon = cursor_.at;
  cursor_.at = cursor_.line_begin + column;  // The position for errors.
  if (!open(NodeKind::mapping, column)) return false;
  cursor_.at = colon + 1;
  const NodeIndex child = add_child(this->column());
  if (child == kNoNode) return false;
  builder_.set_key(child, key, position);
  cursor_.skip_blanks();
  if (cursor_.at_line_end() || cursor_.at_comment()) return true;
  open_.back().is_pending = false;
  return read_value(child, column);
}

// Parses a line that contains only a value: the value of the preceding key or dash, or a whole
// document.
bool UnityReader::read_lone_value() {
  const bool is_flow = *cursor_.at == '{' || *cursor_.at == '[';
  if (open_.empty()) {
    if (!is_flow || builder_.tree.documents.back().root != kNoNode) {
      return refuse_line("expected 'key: value'");
    }
    const NodeIndex root = builder_.add_empty(cursor_.position());
    builder_.tree.documents.back().root = root;
    return root != kNoNode && read_value(root, 0);
  }
  Frame& top = open_.back();
  if (!top.is_pending || top.indent >= column()) return refuse_line("expected 'key: value'");
  top.is_pending = false;
  return read_value(top.last_child, top.indent);
}

bool UnityReader::read_value(NodeIndex target, std::size_t parent_indent) {
  const Position here = cursor_.position();
  switch (*cursor_.at) {
    case '{':
    case '[':
      if (!flow_.read(cursor_, target, open_.size())) return false;
      cursor_.skip_blanks();
      if (cursor_.at_indicator(':')) {
        return builder_.fail_at(here, "braces and brackets cannot be keys");
      }
      return finish_line();
    case '\'':
    case '"': {
      const auto scalar = read_quoted(cursor_, builder_.tree, builder_.error);
      if (!scalar) return false;
      builder_.set_scalar(target, *scalar, here);
      return finish_line();
    }
    case '|':
    case '>':
      if (refuse_block_scalar()) return false;
      break;
    case ']':
    case '}':
    case ',':
      return builder_.fail_at(here, "a closing bracket or comma without its opening bracket");
    case '-':
    case '?':
      if (cursor_.at_indicator(*cursor_.at)) {
        return builder_.fail_at(here, "a list or explicit key cannot begin behind a key");
      }
      break;
    default:
      break;
  }
  const auto scalar = read_block_plain(cursor_, builder_.tree, parent_indent, builder_.error);
  if (!scalar) return false;
  builder_.set_scalar(target, *scalar, here);
  return true;
}

// If `|` or `>` at the cursor begins a block scalar, sets the error and returns true.
bool UnityReader::refuse_block_scalar() {
  const char* end = cursor_.at + 1;
  while (end < cursor_.line_end && (*end == '+' || *end == '-' || (*end >= '1' && *end <= '9'))) {
    ++end;
  }
  while (end < cursor_.line_end && is_blank(*end)) ++end;
  const bool is_header = end == cursor_.line_end || (*end == '#' && is_blank(end[-1]));
  if (is_header) {
    builder_.fail_at(cursor_.position(),
                     "block scalars ('|', '>') are not part of Unity's dialect");
  }
  return is_header;
}

// Fails if the rest of the line has text that is not a comment.
bool UnityReader::finish_line() {
  cursor_.skip_blanks();
  if (cursor_.at_line_end() || cursor_.at_comment()) return true;
  return builder_.fail_at(cursor_.position(), "unexpected text behind the value");
}

}  // namespace

ReadResult read_unity(std::string_view text, const Limits& limits) {
  ReadResult result = UnityReader(text, limits).read();
  if (!result.good()) return with_odd_line_end(result.error(), text);
  return result;
}

}  // namespace muster::yaml
