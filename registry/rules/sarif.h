// Writes findings as SARIF.
#pragma once

#include <span>
#include <string>

#include "registry/rules/sinks.h"

namespace muster {

/// Writes findings as SARIF 2.1.0, for GitHub's code scanning:
///
/// - Each result has a fingerprint that does not change when the finding moves within a file
///   (`muster/v1`: rule, file and message or `identity`, with a number for equal fingerprints).
/// - With a baseline, each result is `new` or `unchanged`. Unchanged results are listed as
///   suppressed, because GitHub would close an alert whose result is missing, and would open it
///   again with the next change.
/// - At most 5,000 results are written, because GitHub stores no more. New results are preferred to
///   known results, and severe results to minor results. A note contains the number of omitted
///   results.
/// - Columns count code points in the file's line. Columns are omitted if the file cannot be read.
std::string format_sarif(std::span<const Finding> findings, const SinkOptions& options);

}  // namespace muster
