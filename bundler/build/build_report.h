// Reports on a build, for machines (`build.json`) and for users (the table at its end).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/build/target_build.h"
#include "bundler/incremental/build_state.h"

namespace muster {

/// The text of `build.json`: sorted and deterministic, so that all builds of the same content have
/// the same report, and signatures and patches apply to all of them. Documented in
/// bundler/report/README.md. The parts of targets that were not built now are copied from
/// `previous` (the old text, or empty).
std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous);

/// The text of `.muster-times.json`: the data of this build alone, such as times and the parts kept
/// from an earlier build.
std::string build_times_json(const Project& project, const std::vector<TargetBuild>& builds);

/// A report without the data of its build alone and without its signature: the part that reports of
/// equal outputs share. Returns other texts unchanged.
std::string lasting_report(std::string_view text);
/// The same, for some targets only.
std::string lasting_report(std::string_view text, const std::vector<std::string>& targets);
/// The packing settings of a target in a report.
struct ReportedPacking {
  int level = 0;
  std::string compression;  ///< As returned by `CompressionRules::text`.
};
/// Nothing if the report does not contain them.
std::optional<ReportedPacking> packing_in_report(std::string_view text, Target target);

/// The sums of a target's bundles.
BuildTotals totals_of(const TargetBuild& build);

/// The summary for users.
std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed);

/// The machine-readable summary of one build, with its times.
std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed, bool explains = false);

/// For users: whether each bundle was packed, and why, and which ones were removed.
std::string explanation_text(const Project& project, const std::vector<TargetBuild>& builds);

/// The same for a build that had nothing to do.
std::string up_to_date_text(const UpToDate& found, TargetSet targets, Duration elapsed);
std::string up_to_date_json(const UpToDate& found, TargetSet targets, Duration elapsed);

}  // namespace muster
