#include <algorithm>

#include "registry/yaml/line_cursor.h"
#include "registry/yaml/reader.h"

namespace muster::yaml {
namespace {

// The number of bytes at the start that are examined. Unity's header is in the first 60 bytes,
// except after a comment. The first NUL of a binary file is in the first 20 bytes.
constexpr std::size_t kExaminedBytes = 8192;
// The minimum number of zero bytes at the beginning of a file that counts as zeroed. With fewer
// zero bytes the file can have any content.
constexpr std::size_t kZeroFileBytesMin = 16;

bool is_lfs_pointer(std::string_view text) {
  return text.size() < kPointerBytesMax &&
         (text.starts_with("version https://git-lfs.github.com/spec/") ||
          text.starts_with("version https://hawser.github.com/spec/"));
}

bool is_unity(std::string_view beginning) {
  LineCursor cursor(beginning);
  do {
    cursor.skip_blanks();
    if (cursor.at_line_end() || cursor.at_comment()) continue;
    const std::string_view line(cursor.at, static_cast<std::size_t>(cursor.line_end - cursor.at));
    if (line.starts_with("--- !u!")) return true;
    if (line.starts_with("%TAG !u! tag:unity3d.com")) return true;
    if (!line.starts_with('%')) return false;
  } while (cursor.next());
  return false;
}

}  // namespace

Dialect detect_dialect(std::string_view text) {
  const std::string_view beginning = text.substr(0, kExaminedBytes);
  // A text with NUL bytes or a UTF-16 mark is not UTF-8. `find_text_fault` determines the encoding.
  if (beginning.find('\0') != std::string_view::npos || beginning.starts_with("\xFF\xFE") ||
      beginning.starts_with("\xFE\xFF")) {
    return Dialect::binary;
  }
  if (find_text_fault(text)) return Dialect::foreign_text;
  std::string_view content = text;
  if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
  if (content.find_first_not_of(" \t\r\n") == std::string_view::npos) return Dialect::empty;
  if (is_lfs_pointer(content)) return Dialect::lfs_pointer;
  return is_unity(beginning) ? Dialect::unity : Dialect::plain;
}

ReadResult read(std::string_view text, const Limits& limits) {
  constexpr Position kBeginning{1, 1};
  switch (detect_dialect(text)) {
    case Dialect::unity:
      return read_unity(text, limits);
    case Dialect::plain:
      return read_plain(text, limits);
    case Dialect::lfs_pointer:
      return SyntaxError{kBeginning, "a Git LFS pointer, not the file itself; run 'git lfs pull'"};
    case Dialect::binary:
      if (auto fault = find_text_fault(text)) return *fault;
      if (text.size() >= kZeroFileBytesMin && text.find_first_not_of('\0') == text.npos) {
        return SyntaxError{kBeginning, "this file contains nothing but " +
                                           std::to_string(text.size()) + " zero bytes; restore it"};
      }
      return SyntaxError{kBeginning,
                         "a binary file; set Unity's asset serialization mode to 'Force Text'"};
    case Dialect::foreign_text:
      if (auto fault = find_text_fault(text)) return *fault;
      break;
    case Dialect::empty:
      break;
  }
  return SyntaxError{kBeginning, "the file is empty"};
}

}  // namespace muster::yaml
