#include "registry/model/presentation_key.h"

#include <charconv>
#include <limits>

namespace muster {
namespace {

constexpr std::string_view kPlatforms = "platformFlags";
constexpr std::string_view kType = "type";
constexpr std::string_view kVariation = "variation";

}  // namespace

bool is_key_number(std::string_view key_path) {
  return key_path == kPlatforms || key_path == kType || key_path == kVariation;
}

std::uint32_t key_number_max(std::string_view key_path) {
  return key_path == kType ? std::numeric_limits<std::uint32_t>::max()
                           : std::numeric_limits<std::uint16_t>::max();
}

std::optional<std::uint32_t> key_number(std::string_view key_path, std::string_view text) {
  if (text.empty()) return 0;
  if (key_path == kPlatforms && text == "-1") return key_number_max(key_path);
  std::uint32_t value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || value > key_number_max(key_path)) return std::nullopt;
  return value;
}

bool is_same_key(const std::vector<std::string>& key_paths, const std::vector<std::string>& a,
                 const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < key_paths.size(); ++i) {
    if (key_paths[i] == kPlatforms) {
      const std::uint32_t left = key_number(kPlatforms, a[i]).value_or(0);
      const std::uint32_t right = key_number(kPlatforms, b[i]).value_or(0);
      if (left != right && (left & right) == 0) return false;
    } else if (a[i] != b[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace muster
