// A position in a text, for parsers that read line by line.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "registry/yaml/reader.h"

namespace muster::yaml {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Reads a text line by line. `at` moves inside the current line. Only '\n' ends a line, and a '\r'
/// before the '\n' belongs to the line end. A byte-order mark at the beginning is skipped and does
/// not count as a column. A copy of the cursor stores a position. Views the text.
struct LineCursor {
  const char* at = nullptr;
  const char* line_begin = nullptr;
  const char* line_end = nullptr;   ///< One past the last byte of the line, before the line end.
  const char* next_line = nullptr;  ///< The next line; null on the last line.
  const char* text_end = nullptr;
  std::uint32_t line = 1;

  explicit LineCursor(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    text_end = text.data() + text.size();
    begin_line(text.data());
  }

  /// Moves to the beginning of the next line. Returns false without moving if there is no next
  /// line.
  bool next() {
    if (next_line == nullptr) return false;
    ++line;
    begin_line(next_line);
    return true;
  }

  void skip_blanks() {
    while (at < line_end && is_blank(*at)) ++at;
  }
  bool at_line_end() const { return at == line_end; }
  /// True if the character at the cursor is `c` and is followed by a blank or the line end.
  bool at_indicator(char c) const {
    return at < line_end && *at == c && (at + 1 == line_end || is_blank(at[1]));
  }
  /// True if a comment begins at the cursor.
  bool at_comment() const {
    return at < line_end && *at == '#' && (at == line_begin || is_blank(at[-1]));
  }
  /// True if the current line begins with `marker` (`---` or `...`), followed by a blank or the
  /// line end.
  bool at_marker(std::string_view marker) const {
    const std::string_view line_text(line_begin, static_cast<std::size_t>(line_end - line_begin));
    return line_text.starts_with(marker) &&
           (line_text.size() == marker.size() || is_blank(line_text[marker.size()]));
  }
  Position position() const { return position_of(at); }
  /// Requires: `character` is in the current line.
  Position position_of(const char* character) const {
    return {line, static_cast<std::uint32_t>(character - line_begin + 1)};
  }

 private:
  void begin_line(const char* begin) {
    line_begin = at = begin;
    const auto rest = static_cast<std::size_t>(text_end - begin);
    const void* found = rest == 0 ? nullptr : std::memchr(begin, '\n', rest);
    line_end = found == nullptr ? text_end : static_cast<const char*>(found);
    next_line = found == nullptr ? nullptr : line_end + 1;
    while (line_end > begin && line_end[-1] == '\r') --line_end;
  }
};

}  // namespace muster::yaml
