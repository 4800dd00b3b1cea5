// The files in `page/` as texts. CMake generates the definitions of these functions.
#pragma once

#include <string>

namespace muster::page_files {

std::string report_html();
std::string report_css();
std::string report_js();

}  // namespace muster::page_files
