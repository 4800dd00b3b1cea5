// The scanner searches for all words in one pass. The scanner compares the first and the last byte
// of each window of 4 bytes, 16 windows at a time. `g..d` in either case matches `guid` and
// `m_GUID`; `v..0` matches `val0`. These pairs of bytes are rare in text, so scanning a file
// without references takes little longer than reading the file. (`memmem` would need three passes.)
//
// The text around a match is examined within fixed limits, except that a run of white space is
// skipped completely. The search continues after the examined text, so the whole scan takes linear
// time.
#include "registry/yaml/scanner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>

namespace muster::yaml {
namespace {

// A brace farther away from the guid belongs to another value. A reference has less than 90 bytes,
// plus the indentation of a second line.
constexpr std::size_t kReferenceBytesMax = 512;
// The maximum distance between the file id and the guid in a URL.
constexpr std::size_t kUrlBytesMax = 64;

constexpr std::size_t kLanes = 16;
using Lanes = std::uint8_t __attribute__((vector_size(kLanes)));

Lanes load(const char* at) {
  Lanes lanes;
  std::memcpy(&lanes, at, sizeof lanes);
  return lanes;
}

// Returns a non-zero byte for each offset at which a word may begin.
Lanes candidates(const char* at) {
  const Lanes first = load(at);
  const Lanes fourth = load(at + 3);
  const auto guid = ((first | 0x20) == 'g') & ((fourth | 0x20) == 'd');
  const auto words = (first == 'v') & (fourth == '0');
  return std::bit_cast<Lanes>(guid | words);
}

// The lanes as two integers. The first lane is the lowest byte of the first integer.
using Words = std::array<std::uint64_t, 2>;
static_assert(std::endian::native == std::endian::little);

bool any(Lanes lanes) {
  const auto words = std::bit_cast<Words>(lanes);
  return (words[0] | words[1]) != 0;
}

bool is_word_at(const char* at) {
  return std::memcmp(at, "guid", 4) == 0 || std::memcmp(at, "GUID", 4) == 0 ||
         std::memcmp(at, "val0", 4) == 0;
}

// The first offset from `at`, 0 to 15, at which a word may begin; `kLanes` if none exists.
std::size_t word_in_lanes(const char* at) {
  const auto words = std::bit_cast<Words>(candidates(at));
  for (std::size_t half = 0; half < words.size(); ++half) {
    for (std::uint64_t hits = words[half]; hits != 0;) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(hits)) / 8;
      if (is_word_at(at + half * 8 + lane)) return half * 8 + lane;
      hits &= ~(std::uint64_t{0xFF} << (lane * 8));
    }
  }
  return kLanes;
}

// The offset of the next word at or after `from`; npos if none exists.
std::size_t next_word(std::string_view text, std::size_t from) {
  constexpr std::size_t kBlock = 4 * kLanes;
  const char* const base = text.data();
  std::size_t at = from;
  for (; at + kBlock + 3 <= text.size(); at += kBlock) {
    const Lanes hits = candidates(base + at) | candidates(base + at + kLanes) |
                       candidates(base + at + 2 * kLanes) | candidates(base + at + 3 * kLanes);
    if (!any(hits)) continue;
    for (std::size_t part = at; part < at + kBlock; part += kLanes) {
      const std::size_t lane = word_in_lanes(base + part);
      if (lane < kLanes) return part + lane;
    }
  }
  for (; at + 4 <= text.size(); ++at) {
    if (is_word_at(base + at)) return at;
  }
  return std::string_view::npos;
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Skips a quote and the backslashes before it, which escape a quote inside another text.
std::size_t skip_quote(std::string_view text, std::size_t at) {
  const std::size_t begin = at;
  while (at < text.size() && text[at] == '\\') ++at;
  if (at < text.size() && (text[at] == '"' || (text[at] == '\'' && at == begin))) return at + 1;
  return begin;
}

// Skips the colon and the white space after a key, including line ends. Returns npos if no colon
// follows.
std::size_t skip_colon(std::string_view text, std::size_t at) {
  at = skip_space(text, at);
  if (at == text.size() || text[at] != ':') return std::string_view::npos;
  return skip_space(text, at + 1);
}

template <typename Integer>
bool parse_integer(std::string_view text, std::size_t& at, Integer& value) {
  const char* const begin = text.data() + at;
  const auto [rest, problem] = std::from_chars(begin, text.data() + text.size(), value);
  if (problem != std::errc()) return false;
  at += static_cast<std::size_t>(rest - begin);
  return at == text.size() || !is_name(text[at]);
}

bool is_key_start(std::string_view text, std::size_t at) {
  return at == 0 || !(is_name(text[at - 1]) || text[at - 1] == '.');
}

// Whether `part` contains the key of a file id. A file id that is not an integer also counts; the
// check of the tree reports it.
bool find_file_id(std::string_view part, std::int64_t& file_id) {
  constexpr std::string_view kKey = "fileID";
  const std::size_t key = part.find(kKey);
  if (key == std::string_view::npos || !is_key_start(part, key)) return false;
  std::size_t at = skip_colon(part, skip_quote(part, key + kKey.size()));
  if (at == std::string_view::npos) return false;
  at = skip_quote(part, at);
  std::int64_t value = 0;
  if (parse_integer(part, at, value)) file_id = value;
  return true;
}

// True if the braces that contain the key at `key` also contain a file id.
bool is_in_reference(std::string_view text, std::size_t key, std::size_t value_end,
                     std::int64_t& file_id) {
  const std::size_t window = key - std::min(key, kReferenceBytesMax);
  const std::string_view before = text.substr(window, key - window);
  const std::size_t brace = before.find_last_of("{}");
  if (brace == std::string_view::npos || before[brace] == '}') return false;
  if (find_file_id(before.substr(brace + 1), file_id)) return true;
  const std::string_view behind = text.substr(value_end, kReferenceBytesMax);
  const std::size_t end = behind.find_first_of("{}");
  if (end == std::string_view::npos || behind[end] == '{') return false;
  return find_file_id(behind.substr(0, end), file_id);
}

// A line of a block mapping. `content` is the offset after white space and dashes.
struct BlockLine {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t content = 0;
  bool has_dash = false;

  std::size_t column() const { return content - begin; }
};

BlockLine line_at(std::string_view text, std::size_t inside) {
  BlockLine line;
  line.begin = inside == 0 ? 0 : text.rfind('\n', inside - 1) + 1;  // This is 0 on the first line.
  line.end = std::min(text.find('\n', inside), text.size());
  line.content = line.begin;
  while (line.content < line.end) {
    const bool is_dash =
        text[line.content] == '-' && line.content + 1 < line.end && text[line.content + 1] == ' ';
    if (text[line.content] != ' ' && !is_dash) break;
    line.has_dash = line.has_dash || is_dash;
    ++line.content;
  }
  return line;
}

bool is_blank_line(std::string_view text, const BlockLine& line) {
  return line.content == line.end || text[line.content] == '\r' || text[line.content] == '#';
}

bool begins_with_file_id(std::string_view text, const BlockLine& line) {
  std::string_view rest = text.substr(line.content, line.end - line.content);
  if (rest.starts_with('"') || rest.starts_with('\'')) rest.remove_prefix(1);
  return rest.starts_with("fileID");
}

// Searches the lines before or after `from` for a file id. Examines only keys at `column`, which
// belong to the same mapping.
bool find_sibling_file_id(std::string_view text, const BlockLine& from, std::size_t column,
                          bool is_upward, std::int64_t& file_id) {
  constexpr int kLinesMax = 16;  // A reference has three keys, and rarely other keys or comments.
  BlockLine at = from;
  for (int i = 0; i < kLinesMax && !(is_upward && at.has_dash && at.column() <= column); ++i) {
    if (is_upward ? at.begin == 0 : at.end == text.size()) return false;
    BlockLine next = line_at(text, is_upward ? at.begin - 1 : at.end + 1);
    if (next.begin == text.size()) return false;
    at = next;
    if (is_blank_line(text, next)) {
      at.has_dash = false;
      continue;
    }
    if (next.column() < column) return false;
    if (next.column() > column) continue;  // A part of a value.
    if (!is_upward && next.has_dash) return false;
    // The value may be on the next line.
    const std::string_view part = text.substr(next.content, kReferenceBytesMax);
    if (begins_with_file_id(text, next) && find_file_id(part, file_id)) return true;
  }
  return false;
}

// True if the key at `key` is in a block mapping that also has a file id. The order of the keys has
// no effect, and other keys are ignored.
bool is_in_block(std::string_view text, std::size_t key, std::size_t value_end,
                 std::int64_t& file_id) {
  const BlockLine line = line_at(text, key);
  const bool is_quoted = key > 0 && (text[key - 1] == '"' || text[key - 1] == '\'');
  if (line.content != key - (is_quoted ? 1 : 0)) return false;
  std::int64_t found = 0;
  if (!find_sibling_file_id(text, line, line.column(), true, found) &&
      !find_sibling_file_id(text, line_at(text, value_end), line.column(), false, found)) {
    return false;
  }
  file_id = found;
  return true;
}

// True if the `guid=` at `key` is part of a URL with a file id, in the form of UI Toolkit:
// `project://database/a.uss?fileID=1&amp;guid=G&amp;type=3#a`.
bool is_in_url(std::string_view text, std::size_t key, std::int64_t& file_id) {
  constexpr std::string_view kFileId = "fileID=";
  if (key == 0 || (text[key - 1] != '&' && text[key - 1] != ';')) return false;
  const std::size_t window = key - std::min(key, kUrlBytesMax);
  const std::string_view before = text.substr(window, key - window);
  std::size_t at = before.rfind(kFileId);
  if (at == std::string_view::npos) return false;
  at += kFileId.size();
  return parse_integer(before, at, file_id) &&
         before.find_first_of(" \t\r\n\"'", at) == std::string_view::npos;
}

// Examines the word `guid` or `GUID` at `word`. Returns the offset at which the search continues.
std::size_t read_guid(std::string_view text, std::size_t word, Mention& mention, bool& is_found) {
  const std::size_t word_end = word + 4;
  std::size_t key = word;
  if (text[word] == 'G') {
    const std::string_view before = text.substr(0, word);
    if (before.ends_with("m_Asset")) {
      key = word - 7;
    } else if (before.ends_with("m_")) {
      key = word - 2;
    } else {
      return word_end;
    }
  }
  if (!is_key_start(text, key)) return word_end;
  const std::size_t key_end = skip_quote(text, word_end);
  std::int64_t url_file_id = 0;
  const bool is_url = text.substr(word_end, 1) == "=" && is_in_url(text, key, url_file_id);
  std::size_t at = is_url ? word_end + 1 : skip_colon(text, key_end);
  if (at == std::string_view::npos) return word_end;
  if (!is_url) at = skip_quote(text, at);
  const std::size_t end = at + Guid::kTextLength;
  if (end > text.size() || (end < text.size() && is_name(text[end]))) return at;
  const auto guid = Guid::parse_any_case(text.substr(at, Guid::kTextLength));
  if (!guid) return at;
  if (guid.value().is_null()) return end;
  mention = {.guid = guid.value(), .kind = MentionKind::textual, .offset_bytes = at};
  if (is_url) {
    mention.kind = MentionKind::strong;
    mention.file_id = url_file_id;
  } else if (key_end != word_end && text[key_end - 1] == '"') {
    mention.kind = MentionKind::json;
  } else if (text[word] == 'g' && (is_in_reference(text, key, end, mention.file_id) ||
                                   is_in_block(text, key, end, mention.file_id))) {
    mention.kind = MentionKind::strong;
  }
  is_found = true;
  return end;
}

// Examines the word `val0` at `word`. A mention has four keys with integers, in braces or in
// separate lines.
std::size_t read_words(std::string_view text, std::size_t word, Mention& mention, bool& is_found) {
  if (!is_key_start(text, word)) return word + 4;
  WeakReferenceWords words{};
  std::size_t at = word;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::array<char, 4> key = {'v', 'a', 'l', static_cast<char>('0' + i)};
    if (text.substr(at, 4) != std::string_view(key.data(), key.size())) return at;
    at = skip_colon(text, skip_quote(text, at + 4));
    if (at == std::string_view::npos || !parse_integer(text, at, words[i])) return word + 4;
    if (i + 1 == words.size()) break;
    at = skip_space(text, at);
    if (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    at = skip_quote(text, at);
  }
  const Guid guid = guid_from_words(words);
  is_found = !guid.is_null();
  mention = {.guid = guid, .kind = MentionKind::words, .offset_bytes = word};
  return at;
}

}  // namespace

void scan_mentions(std::string_view text, const std::function<void(const Mention&)>& found) {
  for (std::size_t word = next_word(text, 0); word != std::string_view::npos;) {
    Mention mention;
    bool is_found = false;
    const std::size_t on = text[word] == 'v' ? read_words(text, word, mention, is_found)
                                             : read_guid(text, word, mention, is_found);
    if (is_found) found(mention);
    word = next_word(text, std::max(on, word + 1));
  }
}

std::pair<std::uint32_t, std::uint32_t> line_and_column(std::string_view text, std::size_t offset) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::ranges::count(before, '\n');
  std::size_t line_begin = before.rfind('\n') + 1;  // This is 0 on the first line.
  // A byte-order mark does not count as a column, as in the parsers.
  if (line_begin == 0 && before.starts_with(kByteOrderMark)) line_begin = kByteOrderMark.size();
  return {static_cast<std::uint32_t>(lines + 1),
          static_cast<std::uint32_t>(before.size() - line_begin + 1)};
}

}  // namespace muster::yaml
