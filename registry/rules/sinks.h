// Findings for people and for machines.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "registry/rules/finding.h"
#include "registry/vocabulary/file_system.h"

namespace muster {

enum class FindingFormat : std::uint8_t { text, json, sarif, junit, github };

/// Reads a format's name. Fails with `invalid_argument`.
Result<FindingFormat> finding_format_from(std::string_view name);

/// Counts by severity.
struct FindingCounts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t notes = 0;
};
FindingCounts count(std::span<const Finding> findings);

struct SinkOptions {
  bool color = false;               ///< Text only.
  std::string_view project_name{};  ///< For reports that name what was checked.
  std::string_view version{};       ///< Of this tool.
  /// SARIF only: the project that the findings are of, or null. See `format_findings`.
  const FileSystem* files = nullptr;
};

/// Writes findings in a format; the text is complete and ends with a newline. SARIF is 2.1.0 with a
/// fingerprint per finding that survives moves within a file, and at most 5,000 results (GitHub
/// stores no more); a note says how many were left out. Columns are bytes everywhere but in SARIF,
/// which knows no such thing: there they are code points, counted in the file's line, and left out
/// where that cannot be read.
std::string format_findings(std::span<const Finding> findings, FindingFormat format,
                            const SinkOptions& options);

/// The long explanation of one rule, for `--explain`.
std::string explain_rule(const Rule& rule);

/// Known findings that a project has accepted for now: counts per rule and file, so that moving
/// lines does not bring them back.
class Baseline {
 public:
  /// Reads a baseline file's text. Fails with `malformed`.
  static Result<Baseline> parse(std::string_view text);
  /// The baseline that accepts exactly these findings.
  static Baseline of(std::span<const Finding> findings);
  std::string format() const;
  /// Removes accepted findings: for each rule and file as many as the baseline counts.
  std::vector<Finding> remove_known(std::vector<Finding> findings) const;

 private:
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;
};

}  // namespace muster
