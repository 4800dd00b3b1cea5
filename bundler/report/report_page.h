// A build's overview for browsers.
#pragma once

#include <string>

#include "bundler/report/build_overview.h"

namespace muster {

/// One page that needs nothing else, made of the files in `page/` and the overview as JSON. What
/// comes from a project is data there, and never markup.
std::string report_page(const Overview& overview);

}  // namespace muster
