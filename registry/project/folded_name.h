// Normalises names, to find names that are equal on some file systems.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// The form of a UTF-8 name that Windows and macOS compare: case folded by Unicode's rules, in
/// canonical decomposition (NFD). Invalid bytes are unchanged. The result is only for comparison,
/// not for a name on the disk.
std::string folded_name(std::string_view name);

/// The canonical decomposition (NFD) of a name, without case folding. Two names that differ only in
/// Unicode composition have the same result.
std::string decomposed_name(std::string_view name);

}  // namespace muster
