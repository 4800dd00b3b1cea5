// Which names are one name on disks that fold case and spellings of a letter.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// A UTF-8 name as Windows and macOS compare it, in all scripts: letters folded as Unicode folds
/// case, and in canonical decomposition (NFD). Bytes that are no UTF-8 stay as they are. Only for
/// comparison: never a name on disk.
std::string folded_name(std::string_view name);

/// The canonical decomposition (NFD) alone: equal for two names that differ only in how their
/// letters are composed, as a normalising checkout and macOS have them.
std::string decomposed_name(std::string_view name);

}  // namespace muster
