// Findings as SARIF.
#pragma once

#include <span>
#include <string>

#include "registry/rules/sinks.h"

namespace muster {

/// Writes findings as SARIF 2.1.0, as GitHub's code scanning takes it:
///
/// - Each result has a fingerprint (`muster/v1`: rule, file and message or `identity`, with a
/// number
///   for those that are alike) that survives moves within a file.
/// - With a baseline, each result says whether it is `new` or `unchanged`, and the latter are
///   suppressed: GitHub closes an alert whose result is left out, and opens it again with the next
///   change.
/// - At most 5,000 results (GitHub stores no more): new before known, grave before slight, and
///   then in order; a note tells how many were left out.
/// - Columns are code points, counted in the file's line, and left out where that cannot be read.
std::string format_sarif(std::span<const Finding> findings, const SinkOptions& options);

}  // namespace muster
