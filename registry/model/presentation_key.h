// Parses the numbers in the key of a `PresentationRegistry` entry.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The registry class whose entries have these keys.
inline constexpr std::string_view kPresentationClass = "PresentationRegistry";

/// True for the key paths that are numbers: `platformFlags`, `type`, `variation`.
bool is_key_number(std::string_view key_path);

/// The maximum number that the catalog can store for a key path.
std::uint32_t key_number_max(std::string_view key_path);

/// Parses the text of a number at a key path; an empty text means 0. Platform flags of -1 (Unity's
/// "Everything") set all bits. The result is nullopt if the text is not a number, or if the number
/// is out of range.
std::optional<std::uint32_t> key_number(std::string_view key_path, std::string_view text);

/// True if `a` and `b`, the values of two entries at the class's key paths, are the same key.
/// Platform flags match if they have at least one platform in common.
bool is_same_key(const std::vector<std::string>& key_paths, const std::vector<std::string>& a,
                 const std::vector<std::string>& b);

}  // namespace muster
