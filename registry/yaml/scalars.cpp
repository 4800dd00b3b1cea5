// A scalar in one line without escapes is a view into the source. Any other scalar is copied to a
// string by YAML's folding rule: blanks around a line break are removed, one line break becomes a
// space, and n + 1 line breaks become n newlines. No loop moves backwards, so parsing takes linear
// time.
#include "registry/yaml/scalars.h"

#include <array>
#include <charconv>
#include <utility>

namespace muster::yaml {
namespace {

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

const char* trim_back(const char* begin, const char* end) {
  while (end > begin && is_blank(end[-1])) --end;
  return end;
}

const char* find(const char* begin, const char* end, char c) {
  if (begin == end) return nullptr;
  return static_cast<const char*>(std::memchr(begin, c, static_cast<std::size_t>(end - begin)));
}

void fold(std::string& text, std::size_t breaks) {
  if (breaks == 1) {
    text.push_back(' ');
  } else {
    text.append(breaks - 1, '\n');
  }
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto tail = [&](unsigned shift) {
    text.push_back(static_cast<char>(0x80U | ((code >> shift) & 0x3FU)));
  };
  if (code < 0x80) {
    text.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    text.push_back(static_cast<char>(0xC0U | (code >> 6U)));
    tail(0);
  } else if (code < 0x10000) {
    text.push_back(static_cast<char>(0xE0U | (code >> 12U)));
    tail(6);
    tail(0);
  } else {
    text.push_back(static_cast<char>(0xF0U | (code >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

// The number of line breaks between a line of a quoted scalar and the next line with content.
// Returns 0 if the text ends first, or if another object begins, so that an unclosed quote does not
// include the rest of the file.
std::size_t next_quoted_line(LineCursor& cursor) {
  std::size_t breaks = 0;
  do {
    if (!cursor.next()) return 0;
    ++breaks;
    if (view(cursor.line_begin, cursor.line_end).starts_with("--- !u!")) return 0;
    cursor.skip_blanks();
  } while (cursor.at_line_end());
  return breaks;
}

std::optional<Scalar> read_single_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error) {
  const Position opened = cursor.position();
  const char* piece = ++cursor.at;
  std::string text{};
  Scalar scalar{.style = ScalarStyle::single_quoted};
  bool is_copied = false;
  for (;;) {
    const char* const quote = find(cursor.at, cursor.line_end, '\'');
    if (quote == nullptr) {
      text.append(view(piece, trim_back(piece, cursor.line_end)));
      const std::size_t breaks = next_quoted_line(cursor);
      if (breaks == 0) {
        error = {opened, "this single quote is never closed"};
        return std::nullopt;
      }
      fold(text, breaks);
      piece = cursor.at;
      is_copied = scalar.is_multi_line = true;
    } else if (quote + 1 < cursor.line_end && quote[1] == '\'') {
      text.append(view(piece, quote + 1));
      piece = cursor.at = quote + 2;
      is_copied = true;
    } else {
      cursor.at = quote + 1;
      scalar.text = view(piece, quote);
      if (is_copied) scalar.text = tree.keep(text.append(scalar.text));
      return scalar;
    }
  }
}

constexpr std::string_view kEscapes = "0abt\tnvfre \"/\\N_LP";
constexpr std::array<std::uint32_t, 18> kEscaped = {
    0, 7, 8, 9, 9, 10, 11, 12, 13, 27, ' ', '"', '/', '\\', 0x85, 0xA0, 0x2028, 0x2029};
static_assert(kEscapes.size() == kEscaped.size());

// Parses `count` hex digits at `at`; nullopt if the text has fewer digits there.
std::optional<std::uint32_t> hex_digits(const char* at, const char* end, int count) {
  std::uint32_t code = 0;
  if (end - at < count) return std::nullopt;
  const auto [rest, problem] = std::from_chars(at, at + count, code, 16);
  if (problem != std::errc() || rest != at + count) return std::nullopt;
  return code;
}

// Decodes the escape at `cursor.at` and moves after it. Returns false if the escape is unknown.
bool read_escape(LineCursor& cursor, std::string& text) {
  const char kind = cursor.at[1];
  cursor.at += 2;
  if (const std::size_t known = kEscapes.find(kind); known != std::string_view::npos) {
    append_utf8(text, kEscaped[known]);
    return true;
  }
  if (kind != 'x' && kind != 'u' && kind != 'U') return false;
  const int count = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
  const auto code = hex_digits(cursor.at, cursor.line_end, count);
  if (!code || *code > 0x10FFFF) return false;
  cursor.at += count;
  std::uint32_t character = *code;
  if (character >= 0xD800 && character < 0xE000) {
    // A pair of UTF-16 surrogates is one character, as in JSON. A single surrogate is invalid.
    const auto low = view(cursor.at, cursor.line_end).starts_with("\\u")
                         ? hex_digits(cursor.at + 2, cursor.line_end, 4)
                         : std::nullopt;
    if (character < 0xDC00 && low && *low >= 0xDC00 && *low < 0xE000) {
      character = 0x10000 + ((character - 0xD800) << 10U) + (*low - 0xDC00);
      cursor.at += 6;
    } else {
      character = 0xFFFD;
    }
  }
  append_utf8(text, character);
  return true;
}

// A double-quoted scalar while it is decoded.
struct DoubleQuoted {
  std::string text{};
  const char* piece = nullptr;  // The bytes from here to the cursor are not in `text` yet.
  // Folding does not remove blanks before this offset in `text`, because they were escaped.
  std::size_t keep_to = 0;
  bool is_copied = false;
};

bool continue_double_quoted(LineCursor& cursor, DoubleQuoted& scalar, bool is_escaped_break) {
  scalar.text.append(view(scalar.piece, cursor.at));
  if (!is_escaped_break) {
    while (scalar.text.size() > scalar.keep_to && is_blank(scalar.text.back())) {
      scalar.text.pop_back();
    }
  }
  const std::size_t breaks = next_quoted_line(cursor);
  if (breaks == 0) return false;
  if (is_escaped_break) {
    scalar.text.append(breaks - 1, '\n');
  } else {
    fold(scalar.text, breaks);
  }
  // The next fold must not remove the result of this fold.
  scalar.keep_to = scalar.text.size();
  scalar.piece = cursor.at;
  scalar.is_copied = true;
  return true;
}

std::optional<Scalar> read_double_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error) {
  const Position opened = cursor.position();
  DoubleQuoted scalar{.piece = ++cursor.at};
  Scalar result{.style = ScalarStyle::double_quoted};
  for (;;) {
    while (cursor.at < cursor.line_end && *cursor.at != '"' && *cursor.at != '\\') ++cursor.at;
    const bool is_backslash = !cursor.at_line_end() && *cursor.at == '\\';
    const bool is_escaped_break = is_backslash && cursor.at + 1 == cursor.line_end;
    if (cursor.at_line_end() || is_escaped_break) {
      if (!continue_double_quoted(cursor, scalar, is_escaped_break)) {
        error = {opened, "this double quote is never closed"};
        return std::nullopt;
      }
      result.is_multi_line = true;
    } else if (is_backslash) {
      const Position here = cursor.position();
      scalar.text.append(view(scalar.piece, cursor.at));
      if (!read_escape(cursor, scalar.text)) {
        error = {here, "unknown escape in a double-quoted text; write \\\\ for a backslash"};
        return std::nullopt;
      }
      scalar.keep_to = scalar.text.size();
      scalar.piece = cursor.at;
      scalar.is_copied = true;
    } else {
      result.text = view(scalar.piece, cursor.at);
      if (scalar.is_copied) result.text = tree.keep(std::move(scalar.text.append(result.text)));
      ++cursor.at;
      return result;
    }
  }
}

bool is_flow_indicator(char c) { return c == ',' || c == '[' || c == ']' || c == '{' || c == '}'; }

// Moves to the first byte of the next line that continues a plain scalar, and returns the number of
// line breaks. Returns 0 without moving if the scalar ends here.
std::size_t next_plain_line(LineCursor& cursor, std::size_t parent_indent) {
  // Checks the indentation before the end of the line is searched, because the next line is nearly
  // always a sibling.
  const char* peek = cursor.next_line;
  if (peek == nullptr) return 0;
  while (peek < cursor.text_end && *peek == ' ') ++peek;
  const bool may_be_empty =
      peek == cursor.text_end || *peek == '\n' || *peek == '\r' || *peek == '\t';
  if (!may_be_empty && static_cast<std::size_t>(peek - cursor.next_line) <= parent_indent) return 0;
  LineCursor ahead = cursor;
  std::size_t breaks = 0;
  do {
    if (!ahead.next()) return 0;
    ++breaks;
    while (!ahead.at_line_end() && *ahead.at == ' ') ++ahead.at;
    const auto indent = static_cast<std::size_t>(ahead.at - ahead.line_begin);
    ahead.skip_blanks();
    if (!ahead.at_line_end() && (indent <= parent_indent || *ahead.at == '#')) return 0;
  } while (ahead.at_line_end());
  cursor = ahead;
  return breaks;
}

// Returns the end of the plain text at `cursor.at` in its line, without trailing blanks. Moves the
// cursor to the end of the line, or to the comment that ends the text. If the text contains `: `,
// returns null and moves the cursor to the colon.
const char* plain_line_end(LineCursor& cursor) {
  const char* const begin = cursor.at;
  for (; cursor.at < cursor.line_end; ++cursor.at) {
    if (*cursor.at == ':' && cursor.at_indicator(':')) return nullptr;
    if (*cursor.at == '#' && cursor.at_comment()) break;
  }
  return trim_back(begin, cursor.at);
}

}  // namespace

std::optional<Scalar> read_quoted(LineCursor& cursor, Tree& tree, SyntaxError& error) {
  return *cursor.at == '\'' ? read_single_quoted(cursor, tree, error)
                            : read_double_quoted(cursor, tree, error);
}

std::optional<Scalar> read_block_plain(LineCursor& cursor, Tree& tree, std::size_t parent_indent,
                                       SyntaxError& error) {
  std::string folded;
  Scalar scalar;
  for (;;) {
    const char* const begin = cursor.at;
    const char* const end = plain_line_end(cursor);
    if (end == nullptr) {
      error = {cursor.position(), "a second ': ' in one value; put the text in quotes"};
      return std::nullopt;
    }
    scalar.text = view(begin, end);
    if (scalar.is_multi_line) folded.append(scalar.text);
    const bool is_ended_by_comment = !cursor.at_line_end();
    LineCursor ahead = cursor;
    const std::size_t breaks = is_ended_by_comment ? 0 : next_plain_line(ahead, parent_indent);
    if (breaks == 0) break;
    if (!scalar.is_multi_line) folded = scalar.text;
    scalar.is_multi_line = true;
    fold(folded, breaks);
    cursor = ahead;
  }
  cursor.at = cursor.line_end;
  if (scalar.is_multi_line) scalar.text = tree.keep(std::move(folded));
  return scalar;
}

bool at_flow_colon(const LineCursor& cursor) {
  return !cursor.at_line_end() && *cursor.at == ':' &&
         (cursor.at + 1 == cursor.line_end || is_blank(cursor.at[1]) ||
          is_flow_indicator(cursor.at[1]));
}

Scalar read_flow_plain(LineCursor& cursor, Tree& tree) {
  std::string folded;
  Scalar scalar;
  for (;;) {
    const char* const begin = cursor.at;
    while (!cursor.at_line_end() && !is_flow_indicator(*cursor.at) && !at_flow_colon(cursor) &&
           !cursor.at_comment()) {
      ++cursor.at;
    }
    scalar.text = view(begin, trim_back(begin, cursor.at));
    if (scalar.is_multi_line) folded.append(scalar.text);
    if (!cursor.at_line_end()) break;
    LineCursor ahead = cursor;
    std::size_t breaks = 0;
    while (ahead.at_line_end() && ahead.next()) {
      ++breaks;
      ahead.skip_blanks();
    }
    // At the end of the document the bracket is not closed. The caller reports this.
    if (ahead.at_line_end() || ahead.at_marker("---")) break;
    cursor = ahead;
    if (is_flow_indicator(*cursor.at) || at_flow_colon(cursor) || cursor.at_comment()) break;
    if (!scalar.is_multi_line) folded = scalar.text;
    scalar.is_multi_line = true;
    fold(folded, breaks);
  }
  if (scalar.is_multi_line) scalar.text = tree.keep(std::move(folded));
  return scalar;
}

}  // namespace muster::yaml
