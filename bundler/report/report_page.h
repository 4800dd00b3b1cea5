// A build's overview for browsers.
#pragma once

#include <string>

#include "bundler/report/build_overview.h"

namespace muster {

/// One self-contained page, made of the files in `page/` and the overview as JSON. Content of a
/// project is data there, never markup.
std::string report_page(const Overview& overview);

}  // namespace muster
