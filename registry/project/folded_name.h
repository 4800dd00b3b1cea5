// Finds names that are equal on disks that ignore case or normalise letters.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// A UTF-8 name in the form in which Windows and macOS compare it, for all scripts: case folded by
/// Unicode's rules, in canonical decomposition (NFD). Invalid bytes are unchanged. Only for
/// comparison, never for a name on disk.
std::string folded_name(std::string_view name);

/// Only the canonical decomposition (NFD): equal for two names that differ only in the composition
/// of letters, like on macOS or in a normalising checkout.
std::string decomposed_name(std::string_view name);

}  // namespace muster
