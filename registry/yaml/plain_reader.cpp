// Parses plain YAML with yaml-cpp's events. It is the only file that knows yaml-cpp and catches its
// exceptions. It uses events, because yaml-cpp's nodes lose positions and key order, accept
// repeated keys silently, and need fifty times the text's size.
//
// Nesting is limited here, not by scanning the text before parsing, which brackets inside quotes
// would mislead. yaml-cpp announces a collection before it descends into it, so the handler throws
// while the stack is still shallow. Its scanner does not recurse.
//
// Three properties of yaml-cpp 0.7 are hidden from our callers:
// - It accepts an unclosed quote at the end of the file after a line break. So a `...` line is
//   appended to the text, which no quote may contain.
// - Text that cannot continue a document begins another one, endlessly if nothing consumes it. So a
//   further document must begin with `---`.
// - The byte 4 is its mark for the end of the file. So control characters are refused beforehand.
#include <algorithm>
#include <array>
#include <exception>
#include <istream>
#include <optional>
#include <span>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>  // Defines what parser.h declares; clang-tidy takes it for ours.
#include <yaml-cpp/parser.h>

#include "registry/base/utf8.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {
namespace {

// yaml-cpp reads from a stream; this one reads the text in place, and then the marker.
class MarkedBuffer final : public std::streambuf {
 public:
  explicit MarkedBuffer(std::string_view text) {
    marker_ = text.empty() || text.back() == '\n' ? "...\n" : "\n...\n";
    show(text);
  }

 protected:
  int_type underflow() override {
    show(std::exchange(marker_, std::string_view()));
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  void show(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // NOLINT: setg's type; never written.
    setg(begin, begin, begin + text.size());
  }
  std::string_view marker_;
};

// Leaves yaml-cpp's parser from inside an event; the builder has the reason.
class Refusal final : public std::exception {};

// The text with the positions of yaml-cpp's marks.
class Source {
 public:
  explicit Source(std::string_view text) : text_(text) {
    const std::size_t line_begin = text.rfind('\n') + 1;  // npos + 1 is 0: the first line
    end_ = {static_cast<std::uint32_t>(std::ranges::count(text, '\n') + 1),
            static_cast<std::uint32_t>(text.size() - line_begin + 1)};
  }

  /// The text from a mark on; empty if the mark is in our own marker after the text.
  std::string_view rest_at(const YAML::Mark& mark) const {
    const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0));
    return text_.substr(std::min(offset, text_.size()));
  }
  /// The last dash before a mark that follows an empty item of a list, with only blanks and
  /// comments between. Unknown if none exists.
  Position dash_before(const YAML::Mark& mark) const {
    std::string_view before = text_.substr(0, text_.size() - rest_at(mark).size());
    auto line = static_cast<std::uint32_t>(position_of(mark).line);
    for (;; --line) {
      const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0: the first line.
      const std::string_view text = before.substr(begin);
      // Items of nested lists may share a line: the last dash is the innermost one's.
      const std::size_t dash = text.substr(0, text.find_first_not_of(" \t-")).rfind('-');
      if (dash != std::string_view::npos) return {line, static_cast<std::uint32_t>(dash + 1)};
      if (begin == 0) return {};
      before = before.substr(0, begin - 1);
    }
  }
  Position position_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    if (rest_at(mark).empty()) return end_;
    return {static_cast<std::uint32_t>(mark.line + 1), static_cast<std::uint32_t>(mark.column + 1)};
  }

 private:
  std::string_view text_;
  Position end_;
};

class TreeHandler final : public YAML::EventHandler {
 public:
  TreeHandler(TreeBuilder& builder, const Source& source) : builder_(builder), source_(source) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    const std::string_view rest = source_.rest_at(mark);
    if (rest.empty()) return;  // Our own marker.
    if (!builder_.tree.documents.empty() && !rest.starts_with("---")) {
      refuse(source_.position_of(mark), "unexpected text behind the value");
    }
    builder_.tree.documents.push_back({.position = source_.position_of(mark)});
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (open_.empty()) return;
    Position position = source_.position_of(mark);
    // yaml-cpp's mark is at the next token, possibly some lines below. Users look at the key or the
    // dash, so its position is reported.
    const Frame& top = open_.back();
    if (top.is_mapping && top.has_key) {
      const Position& key = builder_.tree.at(top.last_child).key_position;
      if (position.line != key.line) position = key;
    } else if (!top.is_mapping && !builder_.tree.at(top.node).is_flow) {
      const Position dash = source_.dash_before(mark);
      if (position.line != dash.line && dash.line > 0) position = dash;
    }
    add_scalar(position, Scalar{});
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(source_.position_of(mark), "aliases ('*name') are not expanded; write the value out");
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                const std::string& value) override {
    constexpr std::array kScalarTags = {"!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int",
                                        "tag:yaml.org,2002:float", "tag:yaml.org,2002:bool"};
    refuse_other_tags(mark, tag, kScalarTags);
    add_scalar(source_.position_of(mark),
               Scalar{.text = builder_.tree.keep(value), .style = style_of(mark, tag)});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value style) override {
    refuse_other_tags(mark, tag, std::array{"tag:yaml.org,2002:seq"});
    open(mark, NodeKind::sequence, style == YAML::EmitterStyle::Flow);
  }
  void OnSequenceEnd() override { open_.pop_back(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value style) override {
    refuse_other_tags(mark, tag, std::array{"tag:yaml.org,2002:map"});
    open(mark, NodeKind::mapping, style == YAML::EmitterStyle::Flow);
  }
  void OnMapEnd() override {
    refuse_repeated_keys();
    open_.pop_back();
  }

 private:
  struct Frame {
    NodeIndex node = kNoNode;
    NodeIndex last_child = kNoNode;
    bool is_mapping = false;
    bool has_key = false;  // The last child has no value yet.
  };

  [[noreturn]] void refuse(const Position& position, std::string message) {
    builder_.fail_at(position, std::move(message));
    throw Refusal();
  }

  // A tag that changes the meaning of a value, such as `!!binary`, would have no effect.
  void refuse_other_tags(const YAML::Mark& mark, const std::string& tag,
                         std::span<const char* const> known) {
    if (tag.empty() || tag == "?" || std::ranges::find(known, tag) != known.end()) return;
    constexpr std::string_view kYaml = "tag:yaml.org,2002:";
    const std::string written = tag.starts_with(kYaml) ? "!!" + tag.substr(kYaml.size()) : tag;
    refuse(source_.position_of(mark), "the tag '" + written + "' has no meaning here; remove it");
  }

  // yaml-cpp only distinguishes plain from not plain; the quote itself is in the source. Block
  // scalars, and quotes after an anchor or a tag, count as double.
  ScalarStyle style_of(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "!" && tag != "tag:yaml.org,2002:str") return ScalarStyle::plain;
    return source_.rest_at(mark).starts_with('\'') ? ScalarStyle::single_quoted
                                                   : ScalarStyle::double_quoted;
  }

  NodeIndex add_node(const Position& position) {
    const NodeIndex node = builder_.add_empty(position);
    if (node == kNoNode) throw Refusal();
    return node;
  }

  // The node for the next value: a new one, or the one with the preceding key.
  NodeIndex take_target(const Position& position) {
    if (open_.empty()) return builder_.tree.documents.back().root = add_node(position);
    Frame& top = open_.back();
    if (top.is_mapping && top.has_key) {
      top.has_key = false;
      return top.last_child;
    }
    const NodeIndex child = add_node(position);
    builder_.tree.append_child(top.node, top.last_child, child);
    top.last_child = child;
    return child;
  }

  void add_scalar(const Position& position, const Scalar& scalar) {
    const bool is_key = !open_.empty() && open_.back().is_mapping && !open_.back().has_key;
    const NodeIndex target = take_target(position);
    if (is_key) {
      builder_.set_key(target, scalar, position);
      open_.back().has_key = true;
    } else {
      builder_.set_scalar(target, scalar, position);
    }
  }

  void open(const YAML::Mark& mark, NodeKind kind, bool is_flow) {
    const Position position = source_.position_of(mark);
    if (!open_.empty() && open_.back().is_mapping && !open_.back().has_key) {
      refuse(position, "a mapping or a list cannot be a key");
    }
    if (!builder_.check_depth(open_.size(), position)) throw Refusal();
    const NodeIndex target = take_target(position);
    builder_.set_collection(target, kind, is_flow, position);
    open_.push_back({.node = target, .is_mapping = kind == NodeKind::mapping});
  }

  // Sorted, so that a mapping with many keys does not need quadratic time.
  void refuse_repeated_keys() {
    const Tree& tree = builder_.tree;
    keys_.clear();
    for (const NodeIndex child : Children(tree, open_.back().node)) {
      keys_.emplace_back(tree.at(child).key, tree.at(child).key_position);
    }
    std::ranges::sort(keys_);
    const auto repeated = std::ranges::adjacent_find(
        keys_, [](const auto& a, const auto& b) { return a.first == b.first; });
    if (repeated == keys_.end()) return;
    const auto& [key, second] = *std::next(repeated);
    refuse(second, "the key '" + std::string(key) + "' stands on line " +
                       std::to_string(repeated->second.line) + " already");
  }

  TreeBuilder& builder_;
  const Source& source_;
  std::vector<Frame> open_;
  std::vector<std::pair<std::string_view, Position>> keys_;
};

// Refuses bytes that YAML does not allow and that would mislead yaml-cpp: control characters,
// invalid UTF-8 (which would be silently replaced), and byte-order marks (the optional one of UTF-8
// is already removed). A single CR is refused too: it ends a line in YAML but not in yaml-cpp, so a
// comment would hide the text after it.
std::optional<SyntaxError> check_bytes(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      text.starts_with("\xEF\xBB\xBF")) {  // A second mark: yaml-cpp would skip it, unlike us.
    return SyntaxError{{1, 1}, "not a UTF-8 text"};
  }
  LineCursor cursor(text);
  do {
    for (std::size_t size = 1; !cursor.at_line_end(); cursor.at += size) {
      const auto byte = static_cast<unsigned char>(*cursor.at);
      size =
          utf8_character_bytes({cursor.at, static_cast<std::size_t>(cursor.line_end - cursor.at)});
      if (size == 0) {
        const std::string_view digits = "0123456789abcdef";
        return SyntaxError{cursor.position(), std::string("the byte 0x") + digits[byte >> 4U] +
                                                  digits[byte & 0xFU] +
                                                  " is no UTF-8; save the file as UTF-8"};
      }
      if (byte == '\r') return with_odd_line_end({cursor.position(), {}}, text);
      if (byte < 0x20 && byte != '\t') {
        return SyntaxError{cursor.position(), "a control character; not a UTF-8 text"};
      }
    }
    const char* const line_end = cursor.next_line == nullptr ? cursor.text_end : cursor.next_line;
    if (line_end - cursor.line_end > 2) {
      return SyntaxError{cursor.position(), "this line ends with CR CR LF; save the file with LF"};
    }
  } while (cursor.next());
  return std::nullopt;
}

}  // namespace

ReadResult read_plain(std::string_view text, const Limits& limits) {
  TreeBuilder builder{.limits = limits};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto error = check_bytes(text)) return *error;
  const Source source(text);
  try {
    MarkedBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeHandler handler(builder, source);
    while (parser.HandleNextDocument(handler)) {
    }
    return std::move(builder.tree);
  } catch (const Refusal&) {
    return with_odd_line_end(std::move(builder.error), text);
  } catch (const YAML::Exception& problem) {
    if (!problem.mark.is_null() && source.rest_at(problem.mark).empty()) {
      return SyntaxError{source.position_of(problem.mark),
                         "the text ends inside a quote, bracket or other construct"};
    }
    return with_odd_line_end({source.position_of(problem.mark), problem.msg}, text);
  } catch (const std::runtime_error& problem) {
    return SyntaxError{{}, problem.what()};
  }
}

}  // namespace muster::yaml
