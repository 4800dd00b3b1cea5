#include "registry/vocabulary/shown_text.h"

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void append_spelled(std::string& text, unsigned char byte) {
  text += "\\x";
  text += kDigits[byte >> 4U];
  text += kDigits[byte & 15U];
}

// The control characters behind ASCII are U+0080 to U+009F, in UTF-8 a byte C2 and the number.
bool is_second_control(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]) == 0xC2 && at + 1 < text.size() &&
         static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
         static_cast<unsigned char>(text[at + 1]) <= 0x9F;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      shown += "\\n";
    } else if (c == '\t') {
      shown += "\\t";
    } else if (byte < 0x20 || byte == 0x7F) {
      append_spelled(shown, byte);
    } else if (is_second_control(text, at)) {
      append_spelled(shown, static_cast<unsigned char>(text[++at]));
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace muster
