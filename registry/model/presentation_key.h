// The numbers in a presentation's key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The class with these keys.
inline constexpr std::string_view kPresentationClass = "PresentationRegistry";

/// True for the key paths that are numbers: `platformFlags`, `type`, `variation`.
bool is_key_number(std::string_view key_path);

/// The maximum of such a number in the catalog.
std::uint32_t key_number_max(std::string_view key_path);

/// The number that a registry writes at such a key path; 0 for empty text. Platform flags of -1 are
/// Unity's "Everything": all bits. Nullopt for a text that is no number, or out of range.
std::optional<std::uint32_t> key_number(std::string_view key_path, std::string_view text);

/// True if two entries with these values at their class's key paths have the same key. Platform
/// flags are a set: they match if any platform is in both.
bool is_same_key(const std::vector<std::string>& key_paths, const std::vector<std::string>& a,
                 const std::vector<std::string>& b);

}  // namespace muster
