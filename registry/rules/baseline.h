// The findings that a project accepts for now.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "registry/rules/finding.h"

namespace muster {

/// Known findings, as counts per rule and file. A finding that moves to another line stays known.
/// With a baseline, a project with a thousand old findings can use `muster validate` at once. The
/// file is sorted JSON with one line per count, so that its diff shows the accepted findings:
///
///     {"version": 1, "known": {"missing-meta": {"Assets/Old.png": 1}}}
///
/// A baseline for a build of certain variants contains them: `"variants": ["platform=linux"]`. A
/// check of other variants has other findings, so it cannot detect unused counts of this baseline.
class Baseline {
 public:
  /// Parses a baseline file. Fails with `malformed` or `unsupported_version`.
  static Result<Baseline> parse(std::string_view text);
  /// The baseline that accepts exactly these findings, from a check of a build for these variants
  /// (`AXIS=VALUE`, in any order).
  static Baseline of(std::span<const Finding> findings, std::vector<std::string> variants = {});
  std::string format() const;

  /// Sets `is_known` for accepted findings: for each rule and file the first ones, up to the count.
  /// Beyond the count, the last ones by position are reported. They need not be the new findings,
  /// but the choice is the same each time.
  void mark_known(std::span<Finding> findings) const;

  /// The same baseline without fixed findings: each count is at most the number of findings. Counts
  /// of rules for which `is_checked` is false are kept, because these rules were not checked.
  Baseline pruned(std::span<const Finding> findings,
                  const std::function<bool(std::string_view rule)>& is_checked) const;
  /// The number of findings that it accepts.
  std::size_t total() const;
  /// Sorted; empty for a check of the whole project.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::string> variants_;
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;
};

}  // namespace muster
