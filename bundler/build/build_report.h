// What a build did, for machines (`build.json`) and for people (the table at its end).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/build/target_build.h"
#include "bundler/incremental/build_state.h"

namespace muster {

/// The text of `build.json`: sorted and deterministic, so that every build of one content has the
/// same, and what signs or patches it holds for all of them; documented in
/// bundler/report/README.md. Targets that this build did not touch are taken over from `previous`
/// (the old text, or empty).
std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous);

/// The text of `.muster-times.json`: what belongs to this one build alone, such as times and what
/// it kept of an earlier one.
std::string build_times_json(const Project& project, const std::vector<TargetBuild>& builds);

/// A report without what it tells of its build alone, and without its signature: what reports of
/// equal outputs have in common. As it is when it is no report.
std::string lasting_report(std::string_view text);
/// The same, of some targets alone.
std::string lasting_report(std::string_view text, const std::vector<std::string>& targets);
/// How a report says that a target was packed.
struct ReportedPacking {
  int level = 0;
  std::string compression;  ///< As `CompressionRules::text` has it.
};
/// Nothing when it does not say.
std::optional<ReportedPacking> packing_in_report(std::string_view text, Target target);

/// The sums of a target's bundles.
BuildTotals totals_of(const TargetBuild& build);

/// The summary for people.
std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed);

/// The summary for machines of one build, with its times.
std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed, bool explains = false);

/// For people: of each bundle, whether it was packed, and why; and which went.
std::string explanation_text(const Project& project, const std::vector<TargetBuild>& builds);

/// The same of a build that found nothing to do.
std::string up_to_date_text(const UpToDate& found, TargetSet targets, Duration elapsed);
std::string up_to_date_json(const UpToDate& found, TargetSet targets, Duration elapsed);

}  // namespace muster
