#include "registry/model/text_edit.h"

#include <algorithm>

#include "registry/model/list_text.h"

namespace muster {
namespace {

tl::unexpected<Error> refuse(const SourceFile& source, const yaml::Position& position) {
  return fail(ErrorCode::malformed, source.path.text() + ":" + std::to_string(position.line) +
                                        ": the spelling of this value cannot be rewritten");
}

// Returns false if the line does not contain the text literally, because it is quoted, folded or
// escaped.
bool replace_scalar(TextLines& lines, const ScalarChange& change) {
  const auto& [line_number, column] = change.position;
  if (line_number == 0 || line_number > lines.text.size() || column == 0) return false;
  std::string& line = lines.text[line_number - 1];
  if (change.text.empty()) {
    const std::size_t last = line.find_last_not_of(" \r");
    if (last == std::string::npos || line[last] != ':') return false;
    const std::string_view line_end = line.ends_with('\r') ? "\r" : "";
    line = line.substr(0, last + 1) + " " + change.value + std::string(line_end);
    return true;
  }
  const std::size_t at = column - 1;
  const std::size_t end = at + change.text.size();
  if (line.compare(std::min(at, line.size()), change.text.size(), change.text) != 0) return false;
  if (end < line.size() && std::string_view(" ,}]\r").find(line[end]) == std::string_view::npos) {
    return false;
  }
  line.replace(at, change.text.size(), change.value);
  return true;
}

Result<void> add_items(const SourceFile& source, const AddedItems& added, TextLines& lines) {
  const auto read = read_list_text(source, added.list, lines);
  if (!read) return fail(read.error());
  const ListText& list = read.value();
  const bool is_empty = list.items.empty();
  if (list.is_flow && !is_empty) return refuse(source, source.tree.at(added.list).position);
  std::vector<std::string> fresh;
  if (is_empty) fresh.push_back(list.head + list.behind);
  for (const std::vector<std::string>& item : added.items) {
    for (const std::string& line : item) {
      fresh.push_back(std::string(list.dash_indent, ' ') + line);
    }
  }
  const auto at = [&](std::size_t line) {
    return lines.text.begin() + static_cast<std::ptrdiff_t>(line);
  };
  auto it = at(list.end_line);
  if (is_empty) it = lines.text.erase(at(list.begin_line), at(list.end_line));
  lines.text.insert(it, fresh.begin(), fresh.end());
  return {};
}

}  // namespace

Result<std::string> edited_text(const SourceFile& source, std::vector<ScalarChange> changes,
                                const AddedItems& added) {
  TextLines lines = split_lines(as_text(source.bytes));
  // Applies the last change first, so that the columns of earlier changes stay valid.
  std::ranges::sort(changes, std::ranges::greater{}, &ScalarChange::position);
  for (const ScalarChange& change : changes) {
    if (!replace_scalar(lines, change)) return refuse(source, change.position);
  }
  if (!added.items.empty()) {
    if (auto good = add_items(source, added, lines); !good) return fail(good.error());
  }
  return join_lines(lines);
}

}  // namespace muster
