// Detects text in an unsupported encoding or with unsupported line ends. The parsers would report
// misleading errors for such text.
#include <algorithm>
#include <array>
#include <string>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"
#include "registry/yaml/scanner.h"

namespace muster::yaml {
namespace {

constexpr SyntaxError at_beginning(std::string message) { return {{1, 1}, std::move(message)}; }

SyntaxError encoded(std::string_view name) {
  return at_beginning("this file is " + std::string(name) + "; save it as UTF-8");
}

// Detects an unsupported encoding by its byte-order mark.
std::optional<SyntaxError> find_mark(std::string_view text) {
  using Mark = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Mark, 4> kMarks = {
      Mark{std::string_view("\xFF\xFE\0\0", 4), "UTF-32 (little-endian)"},
      Mark{std::string_view("\0\0\xFE\xFF", 4), "UTF-32 (big-endian)"},
      Mark{"\xFF\xFE", "UTF-16 (little-endian)"}, Mark{"\xFE\xFF", "UTF-16 (big-endian)"}};
  for (const auto& [mark, name] : kMarks) {
    if (text.starts_with(mark)) return encoded(name);
  }
  return std::nullopt;
}

// Detects UTF-16 without a byte-order mark. In UTF-16, every second byte of ASCII text is zero.
std::optional<SyntaxError> find_unmarked(std::string_view text) {
  constexpr std::size_t kExaminedBytes = 256;
  constexpr std::size_t kCharactersMin = 8;
  const std::string_view beginning = text.substr(0, std::min(text.size(), kExaminedBytes) / 2 * 2);
  if (beginning.size() < 2 * kCharactersMin) return std::nullopt;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < beginning.size(); ++i) zeros[i % 2] += beginning[i] == '\0' ? 1U : 0U;
  const std::size_t zeros_min = beginning.size() / 2 * 3 / 4;
  if (zeros[1] >= zeros_min && zeros[0] == 0)
    return encoded("UTF-16 (little-endian, without a mark)");
  if (zeros[0] >= zeros_min && zeros[1] == 0) return encoded("UTF-16 (big-endian, without a mark)");
  return std::nullopt;
}

bool is_text_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
}

std::optional<SyntaxError> find_zeros(std::string_view text) {
  const std::size_t first = text.find('\0');
  if (first == std::string_view::npos) return std::nullopt;
  const bool is_to_the_end = text.find_first_not_of('\0', first) == std::string_view::npos;
  // A binary file has zero bytes near the beginning, or control characters before the first zero
  // byte.
  constexpr std::size_t kTextBytesMin = 32;
  if (first < kTextBytesMin || !std::ranges::all_of(text.substr(0, first), is_text_byte)) {
    return std::nullopt;
  }
  const auto [line, column] = line_and_column(text, first);
  const std::string range = "byte " + std::to_string(first) + " on";
  if (is_to_the_end) {
    return SyntaxError{{line, column},
                       "the file is zero bytes from " + range +
                           ", probably after a crash during writing; restore it"};
  }
  return SyntaxError{{line, column}, "there are zero bytes (NUL) in this text; restore it"};
}

// Detects lines that end with CR alone.
std::optional<SyntaxError> find_bare_returns(std::string_view text) {
  const std::size_t first = text.find_first_of("\r\n");
  if (first == std::string_view::npos || text[first] == '\n' || first + 1 == text.size() ||
      text.find('\n') != std::string_view::npos) {
    return std::nullopt;
  }
  return at_beginning("the lines of this file end with only CR; save it with LF or CR LF");
}

// The characters that YAML 1.1, YAML 1.2 or editors treat as line ends, but Muster does not.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kOddLineEnds = {{
    {"\r", "CR alone"},
    {"\xC2\x85", "U+0085 (NEL)"},
    {"\xE2\x80\xA8", "U+2028 (LS)"},
    {"\xE2\x80\xA9", "U+2029 (PS)"},
}};

}  // namespace

SyntaxError with_odd_line_end(SyntaxError error, std::string_view text) {
  LineCursor cursor(text);
  while (cursor.line < error.position.line && cursor.next()) {
  }
  const std::string_view line(cursor.line_begin,
                              static_cast<std::size_t>(cursor.line_end - cursor.line_begin));
  std::size_t first = line.npos;
  for (const auto& [bytes, name] : kOddLineEnds) {
    const std::size_t at = line.find(bytes);
    if (at >= first) continue;
    first = at;
    error.position = cursor.position_of(line.data() + at);
    error.message = std::string(name) + " is not a line end here; save the file with LF or CR LF";
  }
  return error;
}

std::optional<SyntaxError> find_text_fault(std::string_view text) {
  if (auto fault = find_mark(text)) return fault;
  if (auto fault = find_unmarked(text)) return fault;
  if (auto fault = find_zeros(text)) return fault;
  return find_bare_returns(text);
}

}  // namespace muster::yaml
