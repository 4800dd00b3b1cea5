// If the main object of a file is truncated, the scanner can still find a script, because other
// objects of the file mention their own scripts. So this code searches only the text of the main
// object.
#include "registry/project/cut_object.h"

#include <algorithm>

#include "registry/base/guid.h"

namespace muster {
namespace {

// False if the text has the key `guid:` and the guid is not complete.
bool has_whole_guid(std::string_view text) {
  constexpr std::string_view kGuid = "guid:";
  const std::size_t guid = text.find(kGuid);
  if (guid == std::string_view::npos) return text.find("fileID:") != std::string_view::npos;
  text = text.substr(guid + kGuid.size());
  text = text.substr(std::min(text.find_first_not_of(" \r\n'\""), text.size()));
  return Guid::parse_any_case(text.substr(0, text.find_first_of(", \r\n'\""))).has_value();
}

// The lines after `m_Script:` that are indented deeper. Other tools write a reference as a block. A
// last line without a line end is left out, because its guid may be truncated.
std::string_view block_behind(std::string_view text) {
  std::size_t end = text.find('\n');
  if (end == std::string_view::npos || text.substr(0, end).find_first_not_of(" \r") < end)
    return {};
  const std::size_t begin = ++end;
  while (text.substr(end).starts_with("   ")) {
    const std::size_t next = text.find('\n', end);
    if (next == std::string_view::npos) break;
    end = next + 1;
  }
  return text.substr(begin, end - begin);
}

// Whether a complete reference follows `m_Script:`. Unity writes a long reference in several lines.
bool is_whole_reference(std::string_view text) {
  if (const std::string_view block = block_behind(text);
      !block.empty() && block.find('{') == std::string_view::npos) {
    return block.find("fileID:") != std::string_view::npos && has_whole_guid(block);
  }
  const std::size_t end = text.find('}');
  if (end == std::string_view::npos) return false;
  text = text.substr(0, end);
  const std::size_t begin = text.find_first_not_of(" \r\n");
  if (begin == std::string_view::npos || text[begin] != '{') return false;
  text = text.substr(begin + 1);
  // The closing brace belongs to another value.
  if (text.find('{') != std::string_view::npos) return false;
  return has_whole_guid(text);
}

}  // namespace

bool is_main_object_cut(std::string_view text) {
  constexpr std::string_view kHead = "--- !u!114 &11400000";
  constexpr std::string_view kScript = "\n  m_Script:";
  std::size_t at = text.find("&11400000");
  constexpr std::size_t kBefore = kHead.find('&');
  if (at == std::string_view::npos || at < kBefore) return false;
  at -= kBefore;
  if (!text.substr(at).starts_with(kHead) || (at > 0 && text[at - 1] != '\n')) return false;
  text = text.substr(at + kHead.size());
  if (!text.empty() && text[0] != '\r' && text[0] != '\n') return false;  // A different number.
  text = text.substr(0, text.find("\n--- "));
  const std::size_t script = text.find(kScript);
  return script == std::string_view::npos ||
         !is_whole_reference(text.substr(script + kScript.size()));
}

}  // namespace muster
