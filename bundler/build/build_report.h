// Reports on a build, for programs (`build.json`) and for users (the summary that `muster build`
// prints).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bundler/build/incremental_build.h"
#include "bundler/build/target_build.h"
#include "bundler/incremental/build_state.h"

namespace muster {

/// The text of `build.json`, which bundler/report/README.md documents. All builds of the same
/// content have the same report, so that signatures and patches apply to all of them. `previous` is
/// the text of the old report, or empty. If this build did not build a target, the part of the
/// target is copied from `previous`.
std::string build_report_json(const Project& project, const std::vector<TargetBuild>& builds,
                              const BuildOptions& options, std::string_view version,
                              std::string_view previous);

/// The text of `.muster-times.json`: data that differs between builds of the same content, for
/// example times and the list of bundles that were kept from an earlier build.
std::string build_times_json(const Project& project, const std::vector<TargetBuild>& builds);

/// A report without its signature and without data that differs between builds of the same content.
/// The results are equal for equal outputs. If `text` is not a report, returns it unchanged.
std::string lasting_report(std::string_view text);
/// Like the first `lasting_report`, but only with the parts of some targets.
std::string lasting_report(std::string_view text, const std::vector<std::string>& targets);
/// The packing settings of a target in a report.
struct ReportedPacking {
  int level = 0;
  std::string compression;  ///< The compression rules, as returned by `CompressionRules::text`.
};
/// The packing settings of a target; no value if the report does not contain them.
std::optional<ReportedPacking> packing_in_report(std::string_view text, Target target);

/// The totals of the bundles of a target.
BuildTotals totals_of(const TargetBuild& build);

/// The summary of a build for users.
std::string build_summary_text(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed);

/// The summary of a build as JSON, with its times.
std::string build_summary_json(const Project& project, const std::vector<TargetBuild>& builds,
                               Duration elapsed, bool explains = false);

/// Returns a text for users. The text lists the packed bundles with the reasons why they were
/// packed, and the removed bundles.
std::string explanation_text(const Project& project, const std::vector<TargetBuild>& builds);

/// The summaries of a build that did nothing, because its output was up to date.
std::string up_to_date_text(const UpToDate& found, TargetSet targets, Duration elapsed);
std::string up_to_date_json(const UpToDate& found, TargetSet targets, Duration elapsed);

}  // namespace muster
