// Parses plain YAML with the events of yaml-cpp. Only this file includes yaml-cpp and catches its
// exceptions. This file does not use the nodes of yaml-cpp, because nodes lose positions and the
// order of keys, accept repeated keys, and need 50 times the memory of the text.
//
// The depth of nesting is limited by the event handler. yaml-cpp calls the handler before it parses
// a nested collection, so the handler throws before the call stack is too deep. The scanner of
// yaml-cpp does not recurse.
//
// Three properties of yaml-cpp 0.7 need a workaround:
// - It accepts an unclosed quote at the end of the file after a line break. So a line `...`, which
// a quoted text cannot contain, is appended to the text.
// - Text that cannot continue a document begins another document, and parsing may never end. So
// each further document must begin with `---`.
// - It reads the byte 4 as the end of the file. So control characters are refused before parsing.
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
#include <yaml-cpp/node/node.h>  // Defines the class that parser.h declares.
#include <yaml-cpp/parser.h>

#include "registry/base/utf8.h"
#include "registry/yaml/tree_builder.h"

namespace muster::yaml {
namespace {

// A stream buffer that reads the text without a copy, and then the appended line.
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
    // NOLINT: setg() needs this type; the text is never written.
    char* const begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
  std::string_view marker_;
};

// Thrown by an event handler to end parsing. The builder contains the error.
class Refusal final : public std::exception {};

// The text, and the conversion of yaml-cpp's marks to positions.
class Source {
 public:
  explicit Source(std::string_view text) : text_(text) {
    const std::size_t line_begin = text.rfind('\n') + 1;  // This is 0 on the first line.
    end_ = {static_cast<std::uint32_t>(std::ranges::count(text, '\n') + 1),
            static_cast<std::uint32_t>(text.size() - line_begin + 1)};
  }

  /// The text from a mark to the end; empty if the mark is in the appended line.
  std::string_view text_from(const YAML::Mark& mark) const {
    const auto offset = static_cast<std::size_t>(std::max(mark.pos, 0));
    return text_.substr(std::min(offset, text_.size()));
  }
  /// The position of an empty list item: the last dash before a mark, if only blanks and comments
  /// are between them. Otherwise the result is an unknown position.
  Position dash_before(const YAML::Mark& mark) const {
    std::string_view before = text_.substr(0, text_.size() - text_from(mark).size());
    auto line = static_cast<std::uint32_t>(position_of(mark).line);
    for (;; --line) {
      const std::size_t begin = before.rfind('\n') + 1;  // This is 0 on the first line.
      const std::string_view text = before.substr(begin);
      // Items of nested lists may share a line. The last dash belongs to the innermost list.
      const std::size_t dash = text.substr(0, text.find_first_not_of(" \t-")).rfind('-');
      if (dash != std::string_view::npos) return {line, static_cast<std::uint32_t>(dash + 1)};
      if (begin == 0) return {};
      before = before.substr(0, begin - 1);
    }
  }
  Position position_of(const YAML::Mark& mark) const {
    if (mark.is_null()) return {};
    if (text_from(mark).empty()) return end_;
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
    const std::string_view rest = source_.text_from(mark);
    if (rest.empty()) return;  // The appended line.
    if (!builder_.tree.documents.empty() && !rest.starts_with("---")) {
      refuse(source_.position_of(mark), "unexpected text behind the value");
    }
    builder_.tree.documents.push_back({.position = source_.position_of(mark)});
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    if (open_.empty()) return;
    Position position = source_.position_of(mark);
    // The mark of an empty value is at the next token, which may be some lines below. So the
    // position of the key or the dash is used.
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
    bool has_key = false;  // Whether the last child has a key but no value yet.
  };

  [[noreturn]] void refuse(const Position& position, std::string message) {
    builder_.fail_at(position, std::move(message));
    throw Refusal();
  }

  // Refuses tags that Muster does not support, such as `!!binary`.
  void refuse_other_tags(const YAML::Mark& mark, const std::string& tag,
                         std::span<const char* const> known) {
    if (tag.empty() || tag == "?" || std::ranges::find(known, tag) != known.end()) return;
    constexpr std::string_view kYaml = "tag:yaml.org,2002:";
    const std::string written = tag.starts_with(kYaml) ? "!!" + tag.substr(kYaml.size()) : tag;
    refuse(source_.position_of(mark), "the tag '" + written + "' has no meaning here; remove it");
  }

  // The style of a scalar. yaml-cpp reports only whether it is plain, so the quote is read from the
  // text. Block scalars, and quoted scalars after an anchor or a tag, count as double-quoted.
  ScalarStyle style_of(const YAML::Mark& mark, const std::string& tag) const {
    if (tag != "!" && tag != "tag:yaml.org,2002:str") return ScalarStyle::plain;
    return source_.text_from(mark).starts_with('\'') ? ScalarStyle::single_quoted
                                                     : ScalarStyle::double_quoted;
  }

  NodeIndex add_node(const Position& position) {
    const NodeIndex node = builder_.add_empty(position);
    if (node == kNoNode) throw Refusal();
    return node;
  }

  // The node for the next value: the node of the preceding key, or a new node.
  NodeIndex next_target(const Position& position) {
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
    const NodeIndex target = next_target(position);
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
    const NodeIndex target = next_target(position);
    builder_.set_collection(target, kind, is_flow, position);
    open_.push_back({.node = target, .is_mapping = kind == NodeKind::mapping});
  }

  // Sorts the keys, because comparing all pairs would need quadratic time.
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
    refuse(second, "the key '" + std::string(key) + "' is already on line " +
                       std::to_string(repeated->second.line));
  }

  TreeBuilder& builder_;
  const Source& source_;
  std::vector<Frame> open_;
  std::vector<std::pair<std::string_view, Position>> keys_;
};

// Finds bytes that YAML does not allow and that yaml-cpp handles wrongly: control characters,
// invalid UTF-8, and byte-order marks (an optional first mark has been removed). Also finds a CR
// without LF, which ends a line in YAML but not in yaml-cpp.
std::optional<SyntaxError> check_bytes(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      text.starts_with("\xEF\xBB\xBF")) {  // A second mark, which yaml-cpp would skip.
    return SyntaxError{{1, 1}, "the text is not UTF-8; save the file as UTF-8"};
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
                                                  " is not valid UTF-8; save the file as UTF-8"};
      }
      if (byte == '\r') return with_odd_line_end({cursor.position(), {}}, text);
      if (byte < 0x20 && byte != '\t') {
        return SyntaxError{cursor.position(),
                           "a control character; remove it, or save the file as UTF-8"};
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
    if (!problem.mark.is_null() && source.text_from(problem.mark).empty()) {
      return SyntaxError{source.position_of(problem.mark),
                         "the text ends inside a quote, bracket or other construct"};
    }
    return with_odd_line_end({source.position_of(problem.mark), problem.msg}, text);
  } catch (const std::runtime_error& problem) {
    return SyntaxError{{}, problem.what()};
  }
}

}  // namespace muster::yaml
