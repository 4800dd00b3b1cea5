#include "registry/base/escaped_text.h"

#include <algorithm>

#include "registry/base/utf8.h"

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void append_spelled(std::string& text, unsigned char byte) {
  text += "\\x";
  text += kDigits[byte >> 4U];
  text += kDigits[byte & 15U];
}

// True for the control characters U+0080 to U+009F. In UTF-8 such a character is the byte C2 and
// one more byte.
bool is_second_control(std::string_view character) {
  return character.size() == 2 && static_cast<unsigned char>(character[0]) == 0xC2 &&
         static_cast<unsigned char>(character[1]) <= 0x9F;
}

}  // namespace

std::string escaped_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = utf8_character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(size, 1));
    const auto byte = static_cast<unsigned char>(character.back());
    if (character == "\n") {
      shown += "\\n";
    } else if (character == "\t") {
      shown += "\\t";
    } else if (size == 0 || byte < 0x20 || byte == 0x7F || is_second_control(character)) {
      append_spelled(shown, byte);
    } else {
      shown += character;
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string printable(Bytes bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const std::byte byte : bytes) text.push_back(printable(std::to_integer<char>(byte)));
  return text;
}

}  // namespace muster
