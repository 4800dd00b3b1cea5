// Incremental builds in memory, with the same steps as `muster build`.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "bundler/build/build_report.h"
#include "bundler/build/incremental_build.h"
#include "bundler/cook/value_check.h"
#include "bundler/incremental/build_fact_cache.h"
#include "registry/base/memory_file_system.h"
#include "registry/rules/sinks.h"
#include "registry/rules/validate.h"

namespace muster::testing {

inline constexpr std::string_view kTool = "a build of muster";

struct Outcome {
  bool is_built = false;
  bool was_up_to_date = false;
  std::size_t packed = 0;            ///< The number of packed bundles.
  std::vector<BuildReason> reasons;  ///< The reasons for each packed or removed bundle.
  std::size_t reused_blocks = 0;
  std::string findings;  ///< All findings of the checks before the build.
  /// The number of assets whose stored results of an earlier build are used.
  std::size_t known_assets = 0;
};

struct Settings {
  BuildOptions options{.level = 1, .jobs = 1};
  std::string tool{kTool};
  std::vector<VariantWish> variants{};
  bool is_forced = false;
  bool skips_check = false;  ///< True to build without the check for changes.
  const MemoryFileSystem* previous = nullptr;
  /// The stamps of the previous output, if they are not the stamps of `previous`.
  const MemoryFileSystem* previous_stamps = nullptr;
  BuildCache* cache = nullptr;
};

/// Returns the findings that `muster build` reports before it builds.
inline std::string findings_of(const Project& project,
                               const std::vector<ComponentDescription>& components,
                               TargetSet targets) {
  const auto check = [&](const Project&, const std::set<AssetNumber>& built, Findings& findings) {
    check_values(project, components, built, 1, findings);
  };
  return format_findings(
      validate(project, {.targets = targets, .with_sidecars = false, .further = check}),
      FindingFormat::text, {});
}

inline Outcome build(const FileReader& project, const FileStamps& project_stamps,
                     FileSystem& output, const FileStamps& output_stamps,
                     const Settings& settings) {
  Outcome outcome;
  const BuildWish wish{.targets = settings.options.targets,
                       .terms = {settings.tool, settings.options.layout, settings.options.level},
                       .variants = settings.variants};
  if (!settings.is_forced && !settings.skips_check) {
    auto found = find_up_to_date(output, output_stamps, project, project_stamps, wish, 1);
    if (found) {
      if (found->check.has_new_stamps) {
        auto folder = OutputFolder::open_for_build(output);
        if (folder) {
          (void)refresh_state(folder.value(), found->state).has_value();
        }
      }
      outcome.is_built = outcome.was_up_to_date = true;
      return outcome;
    }
  }
  const RecordedFiles recorded(project, project_stamps);
  BuildFactCache fact_cache(recorded, settings.is_forced ? std::nullopt : read_state(output),
                            settings.tool);
  const auto opened = Project::open(recorded, 1, {}, {}, settings.variants, &fact_cache);
  // An edit may have removed the variant axes.
  if (!opened && !settings.variants.empty()) return outcome;
  REQUIRE(opened.has_value());
  const auto components = load_components(recorded, opened.value()->config());
  REQUIRE(components.has_value());
  fact_cache.know_assets(*opened.value(), components.value(), 1);
  outcome.known_assets = fact_cache.known_assets(1).size();
  outcome.findings = findings_of(*opened.value(), components.value(), settings.options.targets);
  auto folder = OutputFolder::open_for_build(output);
  if (!folder) UNSCOPED_INFO(folder.error().message);
  if (!folder) return outcome;
  SilentReporter reporter;
  const ManualClock clock;
  std::optional<PreviousOutput> previous;
  if (settings.previous != nullptr) {
    const MemoryFileSystem* const stamps = settings.previous_stamps;
    previous.emplace(PreviousOutput{*settings.previous, stamps ? *stamps : *settings.previous});
  }
  std::vector<CookProblem> problems;
  const auto builds = build_project({.project = *opened.value(),
                                     .components = components.value(),
                                     .options = settings.options,
                                     .version = "test",
                                     .tool = settings.tool,
                                     .output = folder.value(),
                                     .reporter = reporter,
                                     .clock = clock,
                                     .inputs = &recorded,
                                     .fact_cache = &fact_cache,
                                     .output_stamps = &output_stamps,
                                     .is_forced = settings.is_forced,
                                     .previous = previous,
                                     .cache = settings.cache},
                                    problems);
  const Result<void> published = builds ? folder.value().publish() : fail(builds.error());
  if (!published) UNSCOPED_INFO(published.error().message);
  if (!published) return outcome;
  outcome.is_built = true;
  for (const TargetBuild& target : builds.value()) {
    outcome.reused_blocks += target.reused_blocks;
    std::ranges::copy(target.gone, std::back_inserter(outcome.reasons));
    for (const BuiltBundle& bundle : target.bundles) {
      if (bundle.is_kept || bundle.is_cached) continue;
      ++outcome.packed;
      std::ranges::copy(bundle.reasons, std::back_inserter(outcome.reasons));
    }
  }
  return outcome;
}

inline Outcome build(const MemoryFileSystem& project, FileSystem& output,
                     const FileStamps& output_stamps, const Settings& settings) {
  return build(project, project, output, output_stamps, settings);
}

/// The files of an output except muster's dot files.
inline std::map<std::string, ByteVector> visible(const MemoryFileSystem& output) {
  std::map<std::string, ByteVector> files;
  for (const auto& [path, bytes] : output.files()) {
    if (path.text().starts_with('.')) continue;
    files[path.text()] = bytes;
    if (path.text() != OutputFolder::kReportName) continue;
    const std::string report = lasting_report(as_text(bytes));
    const Bytes lasting = as_bytes(report);
    files[path.text()].assign(lasting.begin(), lasting.end());
  }
  return files;
}

inline std::vector<std::string> differences(const MemoryFileSystem& a, const MemoryFileSystem& b) {
  const auto left = visible(a);
  const auto right = visible(b);
  std::vector<std::string> names;
  for (const auto& [path, bytes] : left) {
    const auto other = right.find(path);
    if (other == right.end() || other->second != bytes) names.push_back(path);
  }
  for (const auto& [path, bytes] : right) {
    if (!left.contains(path)) names.push_back(path);
  }
  return names;
}

}  // namespace muster::testing
