// Writes findings as SARIF.
#pragma once

#include <span>
#include <string>

#include "registry/rules/sinks.h"

namespace muster {

/// Writes findings as SARIF 2.1.0, for GitHub's code scanning:
///
/// - Each result has a fingerprint (`muster/v1`: rule, file and message or `identity`, with a
///   number for equal ones) that does not change when it moves within a file.
/// - With a baseline, each result is `new` or `unchanged`, and the latter are suppressed: GitHub
///   closes an alert whose result is missing, and opens it again with the next change.
/// - At most 5,000 results (GitHub stores no more): new before known, severe before minor, then in
///   order. A note contains the number of omitted ones.
/// - Columns are code points in the file's line, omitted if the file cannot be read.
std::string format_sarif(std::span<const Finding> findings, const SinkOptions& options);

}  // namespace muster
