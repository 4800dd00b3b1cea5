// Writes findings for users and for machines.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "registry/base/file_system.h"
#include "registry/rules/finding.h"

namespace muster {

enum class FindingFormat : std::uint8_t { text, json, sarif, junit, github };

/// Parses a format's name. Fails with `invalid_argument`.
Result<FindingFormat> finding_format_from(std::string_view name);

/// The number of findings by severity. Does not count findings that a baseline accepts.
struct FindingCounts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};
FindingCounts count(std::span<const Finding> findings);

struct SinkOptions {
  bool color = false;  ///< Text only: whether to write terminal colours.
  /// JUnit only: findings of at least this severity are failures.
  Severity failing = Severity::error;
  bool lists_all = false;           ///< Text only: lists every `Finding::is_repeated`.
  std::string_view project_name{};  ///< The name of the project, for formats that contain it.
  std::string_view version{};       ///< The version of Muster.
  /// SARIF and GitHub only: the project's folder in its repository, for example `games/one`. The
  /// prefix is empty if the project is the root of its repository.
  std::string_view path_prefix{};
  /// SARIF only: the files of the project, for counting columns; may be null.
  const FileReader* files = nullptr;
  bool has_baseline = false;  ///< SARIF only: whether results are marked as new or unchanged.
};

/// Returns a whole document with the findings, which ends with a newline. SARIF marks the findings
/// that a baseline accepts (`sarif.h`); all other formats omit these findings. Columns count bytes,
/// except in SARIF.
std::string format_findings(std::span<const Finding> findings, FindingFormat format,
                            const SinkOptions& options);

/// The long explanation of one rule, for `--explain`.
std::string explain_rule(const Rule& rule);

}  // namespace muster
