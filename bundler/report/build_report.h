// What a build did, for machines (`build.json`) and for people (the table at its end).
#pragma once

#include <string>
#include <vector>

#include "bundler/pack/target_build.h"

namespace muster {

/// The text of `build.json`: deterministic, sorted; documented in bundler/report/README.md. Targets
/// that this build did not touch are taken over from `previous` (the old text, or empty).
std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous);

/// The summary for people.
std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed);

/// The summary for machines: `build.json` does not repeat from build to build what only the moment
/// knows (times), this does.
std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed);

}  // namespace muster
