// https://learn.microsoft.com/windows/win32/fileio/naming-a-file
#include "registry/project/portable_name.h"

#include <algorithm>
#include <array>

#include "registry/base/asset_path.h"
#include "registry/base/utf8.h"

namespace muster {
namespace {

constexpr std::array<std::string_view, 7> kDevices = {"aux",     "clock$", "con", "conin$",
                                                      "conout$", "nul",    "prn"};
// The characters after `com` and `lpt` in reserved names: digits, and the three superscript digits
// of Latin-1.
constexpr std::array<std::string_view, 12> kDeviceNumbers = {
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "\xC2\xB9", "\xC2\xB2", "\xC2\xB3"};

bool is_device(std::string_view stem) {
  while (stem.ends_with(' ')) stem.remove_suffix(1);
  const std::string lower = lower_ascii(stem);
  if (std::ranges::find(kDevices, lower) != kDevices.end()) return true;
  if (!lower.starts_with("com") && !lower.starts_with("lpt")) return false;
  const std::string_view number = std::string_view(lower).substr(3);
  return std::ranges::find(kDeviceNumbers, number) != kDeviceNumbers.end();
}

}  // namespace

std::string unportable_reason(std::string_view name) {
  if (find_invalid_utf8(name) != std::string_view::npos) {
    return "it is not UTF-8, which macOS requires";
  }
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20) return "Windows allows no control characters";
    if (std::string_view("<>:\"|?*\\").find(c) != std::string_view::npos) {
      return std::string("Windows allows no '") + c + "' in a name";
    }
  }
  if (name.ends_with('.')) return "Windows allows no '.' at the end of a name";
  if (name.ends_with(' ')) return "Windows allows no blank at the end of a name";
  const std::string_view stem = name.substr(0, name.find('.'));
  if (is_device(stem)) return "'" + std::string(stem) + "' is a device on Windows";
  return {};
}

}  // namespace muster
