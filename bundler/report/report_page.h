// The overview of a build as a page for browsers.
#pragma once

#include <string>

#include "bundler/report/build_overview.h"

namespace muster {

/// Makes one self-contained page from the files in `page/` and the overview as JSON. The page uses
/// text of the project only as data, never as markup.
std::string report_page(const Overview& overview);

}  // namespace muster
