// The generated tables, which the build embeds in the program as texts.
#pragma once

#include <string_view>

namespace muster {

/// `unicode_names.txt`: the folded and decomposed forms of characters.
std::string_view unicode_names_table();

/// `package_guids.txt`: the guids of assets in public packages.
std::string_view package_guids_table();

}  // namespace muster
