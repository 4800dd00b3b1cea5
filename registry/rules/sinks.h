// Findings for people and for machines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "registry/base/file_system.h"
#include "registry/rules/finding.h"

namespace muster {

enum class FindingFormat : std::uint8_t { text, json, sarif, junit, github };

/// Reads a format's name. Fails with `invalid_argument`.
Result<FindingFormat> finding_format_from(std::string_view name);

/// Counts by severity, of what a baseline does not know.
struct FindingCounts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};
FindingCounts count(std::span<const Finding> findings);

struct SinkOptions {
  bool color = false;                  ///< Text only.
  Severity failing = Severity::error;  ///< JUnit only: what is at least this is a failure.
  bool lists_all = false;              ///< Text only: lists every `Finding::is_repeated`.
  std::string_view project_name{};     ///< For reports that name what was checked.
  std::string_view version{};          ///< Of this tool.
  /// SARIF and GitHub only: the project's folder in its repository, `games/one`; empty for the
  /// root.
  std::string_view path_prefix{};
  /// SARIF only: the project that the findings are of, or null. Columns are counted in its files.
  const FileReader* files = nullptr;
  bool has_baseline = false;  ///< SARIF only: whether each result says if it is new.
};

/// Writes findings in a format; the text is complete and ends with a newline. What a baseline knows
/// is left out, but for SARIF, which says so of it (`sarif.h`). Columns are bytes everywhere but
/// there.
std::string format_findings(std::span<const Finding> findings, FindingFormat format,
                            const SinkOptions& options);

/// The long explanation of one rule, for `--explain`.
std::string explain_rule(const Rule& rule);

}  // namespace muster
