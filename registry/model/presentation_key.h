// The numbers of a presentation's key.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

/// The class whose keys these are.
inline constexpr std::string_view kPresentationClass = "PresentationRegistry";

/// True for the key paths that are numbers: `platformFlags`, `type`, `variation`.
bool is_key_number(std::string_view key_path);

/// The largest value of such a number, as the catalog stores it.
std::uint32_t key_number_max(std::string_view key_path);

/// The number that a registry writes at such a key path; 0 for empty text. Platform flags of -1 are
/// Unity's "Everything": all bits. Nullopt for what is no number, or out of range.
std::optional<std::uint32_t> key_number(std::string_view key_path, std::string_view text);

/// True when two entries with these values at their class's key paths answer to one key. Platform
/// flags are a set: they are the same when any platform sees both.
bool is_same_key(const std::vector<std::string>& key_paths, const std::vector<std::string>& a,
                 const std::vector<std::string>& b);

}  // namespace muster
