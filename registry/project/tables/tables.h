// Tables that scripts have generated from public sources, as texts in the program.
#pragma once

#include <string_view>

namespace muster {

/// `unicode_names.txt`: how file systems fold names.
std::string_view unicode_names_table();

/// `package_guids.txt`: the guids that public packages have.
std::string_view package_guids_table();

}  // namespace muster
