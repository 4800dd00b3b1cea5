// Which names are one name on disks that do not tell case, or spellings of an accent, apart.
#pragma once

#include <string>
#include <string_view>

namespace muster {

/// A UTF-8 name as Windows and macOS compare it: letters in lower case, accented letters as a
/// letter and its mark. Knows Latin (ASCII, Latin-1, Extended-A), Greek and Cyrillic; other
/// characters, and bytes that are no UTF-8, stay as they are. Only for comparison: never a name on
/// disk.
std::string folded_name(std::string_view name);

}  // namespace muster
