// The items of a block list begin with dashes. An item ends at the last line that is indented
// deeper than its dash. Comments and blank lines between two items belong to the second item.
// Comments after the last item stay unchanged, because they may not belong to the list.
#include "registry/model/list_text.h"

#include <algorithm>
#include <span>

namespace muster {
namespace {

// Includes CR, which a line can keep (see `TextLines`).
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(kBlanks) == std::string_view::npos;
}

bool is_comment(std::string_view line) { return trimmed(line).starts_with('#'); }

std::string_view carriage_return_of(std::string_view line) {
  return line.ends_with('\r') ? line.substr(line.size() - 1) : std::string_view();
}

// The comment at the end of a line, with the blanks before it; empty if the line has no comment.
std::string_view comment_of(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); at = flow_token_end(line, at)) {
    const bool begins = line[at] == '#' && (at == 0 || kBlanks.find(line[at - 1]) != kBlanks.npos);
    if (!begins) continue;
    const std::size_t before = line.find_last_not_of(kBlanks, at - (at == 0 ? 0 : 1));
    return line.substr(before == std::string_view::npos || at == 0 ? 0 : before + 1);
  }
  return carriage_return_of(line);
}

class ListReader {
 public:
  ListReader(const SourceFile& source, yaml::NodeIndex node, const TextLines& lines)
      : path_(source.path), node_(source.tree.at(node)), lines_(lines.text) {}

  Result<ListText> run() {
    if (!find_key()) return refuse("its key is not at the beginning of a line");
    const bool is_null = node_.kind == yaml::NodeKind::scalar &&
                         (node_.text.empty() || node_.text == "~" || node_.text == "null");
    if (is_null) {
      result_.end_line = result_.begin_line + 1;
      result_.behind = comment_of(result_.behind);
      return result_;
    }
    if (node_.kind != yaml::NodeKind::sequence) return refuse("it is not a list");
    result_.is_flow = node_.is_flow;
    if (!(node_.is_flow ? read_flow() : read_block()) ||
        result_.items.size() != node_.child_count) {
      return refuse("its items cannot be separated");
    }
    return result_;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& why) const {
    return fail(ErrorCode::malformed,
                path_.text() + ":" + std::to_string(node_.key_position.line) + ": the list '" +
                    std::string(node_.key) + "' cannot be rewritten, because " + why +
                    "; write the list as a block, with each entry on its own line, after a dash");
  }

  bool find_key() {
    if (node_.key_position.line == 0 || node_.key_position.line > lines_.size()) return false;
    result_.begin_line = node_.key_position.line - 1;
    const std::string_view line = lines_[result_.begin_line];
    const std::size_t indent = indentation(line);
    const std::string_view rest = line.substr(indent);
    if (!rest.starts_with(node_.key)) return false;
    const std::size_t colon = rest.find_first_not_of(' ', node_.key.size());
    if (colon == std::string_view::npos || rest[colon] != ':') return false;
    result_.head = line.substr(0, indent + colon + 1);
    result_.behind = rest.substr(colon + 1);
    result_.dash_indent = indent;
    return true;
  }

  static bool is_dash(const std::string& line, std::size_t indent) {
    const std::string_view rest = std::string_view(line).substr(std::min(indent, line.size()));
    return indentation(line) == indent && (rest == "-" || rest == "-\r" || rest.starts_with("- "));
  }

  bool read_block() {
    std::vector<std::string> pending;
    result_.end_line = result_.begin_line + 1;
    for (std::size_t i = result_.end_line; i < lines_.size(); ++i) {
      const std::string& line = lines_[i];
      const std::size_t indent = indentation(line);
      const bool is_open = !result_.items.empty();
      if (is_blank(line) || (is_comment(line) && !(is_open && indent > result_.dash_indent))) {
        pending.push_back(line);
        continue;
      }
      if (!is_open) result_.dash_indent = indent;
      if (is_dash(line, result_.dash_indent)) {
        result_.items.push_back({std::move(pending), {}});
      } else if (!is_open || indent <= result_.dash_indent) {
        break;
      } else {
        std::ranges::move(pending, std::back_inserter(result_.items.back().lines));
      }
      pending.clear();
      result_.items.back().lines.push_back(line);
      result_.end_line = i + 1;
    }
    return true;
  }

  bool read_flow() {
    const std::size_t first_line = node_.position.line - 1;
    if (first_line < result_.begin_line || first_line >= lines_.size()) return false;
    std::string text;
    for (std::size_t i = first_line; i < lines_.size(); ++i) text += lines_[i] + "\n";
    const std::size_t begin = node_.position.column - 1;
    const std::size_t end = flow_end(text, begin);
    if (text[std::min(begin, text.size() - 1)] != '[' || end == std::string::npos) return false;
    const std::string_view after = std::string_view(text).substr(end, text.find('\n', end) - end);
    if (!is_blank(after) && !is_comment(after)) return false;
    const bool has_own_line = first_line != result_.begin_line;
    const std::string comment(has_own_line ? comment_of(result_.behind) : std::string_view());
    result_.behind = is_blank(comment) ? std::string(after) : comment;
    if (is_blank(result_.behind)) result_.behind = carriage_return_of(result_.behind);
    result_.end_line = first_line +
                       static_cast<std::size_t>(std::count(
                           text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n')) +
                       1;
    if (!is_blank(comment) && !is_blank(after)) {
      result_.tail.emplace_back(pad(0) + std::string(trimmed(after)));
    }
    split_items(std::string_view(text).substr(begin + 1, end - begin - 2));
    return true;
  }

  std::string pad(std::size_t more) const { return std::string(result_.dash_indent + more, ' '); }

  void split_items(std::string_view text) {
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0, next = 0; at < text.size(); at = next) {
      next = flow_token_end(text, at);
      if (text[at] == '[' || text[at] == '{') ++depth;
      if (text[at] == ']' || text[at] == '}') --depth;
      if (text[at] != ',' || depth != 0) continue;
      add_item(text.substr(begin, at - begin));
      begin = at + 1;
      // A comment after the comma of an item, in the same line, belongs to this item.
      const std::size_t line_end = std::min(text.find('\n', begin), text.size());
      const std::string_view rest = text.substr(begin, line_end - begin);
      if (!is_comment(rest) || result_.items.empty()) continue;
      result_.items.back().lines.back() += " " + std::string(trimmed(rest));
      begin = next = line_end;
    }
    add_item(text.substr(begin));
  }

  void add_item(std::string_view text) {
    ListItemText item;
    for (const std::string& line : split_lines(text).text) {
      const std::string content(trimmed(line));
      if (content.empty()) continue;
      if (item.lines.empty() && content.starts_with('#')) {
        item.lead.push_back(pad(0) + content);
      } else {
        item.lines.push_back(item.lines.empty() ? pad(0) + "- " + content : pad(4) + content);
      }
    }
    if (!item.lines.empty()) {
      result_.items.push_back(std::move(item));
    } else {
      std::ranges::move(item.lead, std::back_inserter(result_.tail));
    }
  }

  const AssetPath& path_;
  const yaml::Node& node_;
  const std::vector<std::string>& lines_;
  ListText result_;
};

}  // namespace

TextLines split_lines(std::string_view text) {
  TextLines lines;
  lines.final_end = text.empty() || text.ends_with('\n');
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.text.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  const auto ended = std::span(lines.text).first(lines.text.size() - (lines.final_end ? 0 : 1));
  const auto has_return = [](const std::string& line) { return line.ends_with('\r'); };
  if (ended.empty() || !std::ranges::all_of(ended, has_return)) return lines;
  lines.line_end = "\r\n";
  for (std::string& line : ended) line.pop_back();
  return lines;
}

std::string join_lines(const TextLines& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.text.size(); ++i) {
    text += lines.text[i];
    if (i + 1 < lines.text.size() || lines.final_end) text += lines.line_end;
  }
  return text;
}

std::size_t indentation(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string_view::npos ? line.size() : first;
}

std::size_t flow_token_end(std::string_view text, std::size_t at) {
  const char first = text[at];
  if (first == '#' &&
      (at == 0 || std::string_view(" \t\n").find(text[at - 1]) != std::string_view::npos)) {
    return std::min(text.find('\n', at), text.size());
  }
  if (first != '\'' && first != '"') return at + 1;
  // A quote inside a plain scalar is an ordinary character.
  const std::size_t before =
      at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
  const bool opens = before == std::string_view::npos ||
                     std::string_view("[{,:?-").find(text[before]) != std::string_view::npos;
  if (!opens) return at + 1;
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (first == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == first) {
      if (first == '"' || i + 1 >= text.size() || text[i + 1] != '\'') return i + 1;
      ++i;
    }
  }
  return text.size();
}

std::size_t flow_end(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t at = begin; at < text.size(); at = flow_token_end(text, at)) {
    if (text[at] == '[' || text[at] == '{') ++depth;
    if (text[at] == ']' || text[at] == '}') {
      if (--depth <= 0) return depth == 0 ? at + 1 : std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

Result<ListText> read_list_text(const SourceFile& source, yaml::NodeIndex node,
                                const TextLines& lines) {
  return ListReader(source, node, lines).run();
}

}  // namespace muster
