// Findings that a project has accepted for now.
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

/// Known findings, as counts per rule and file, so that moving lines does not bring them back: a
/// project with a thousand old findings can start today. The file is JSON, sorted, one line per
/// count, so that a diff of it reads as what was accepted:
///
///     {"version": 1, "known": {"missing-meta": {"Assets/Old.png": 1}}}
///
/// One of a look at a build for certain variants says so: `"variants": ["platform=linux"]`. Such a
/// look finds other things, so it cannot tell what a baseline of another accepts in vain.
class Baseline {
 public:
  /// Reads a baseline file's text. Fails with `malformed` or `unsupported_version`.
  static Result<Baseline> parse(std::string_view text);
  /// The baseline that accepts exactly these findings, of a look at a build for these variants
  /// (`AXIS=VALUE`, in any order).
  static Baseline of(std::span<const Finding> findings, std::vector<std::string> variants = {});
  std::string format() const;

  /// Sets `is_known` of what is accepted: for each rule and file as many findings as are counted,
  /// the first ones in the order given. So of more than the count, the last by position are told:
  /// which of them is the new one nobody can tell, but it is the same ones each time.
  void mark_known(std::span<Finding> findings) const;

  /// The same without what is no longer there: each count at most as high as there are findings.
  /// Counts of rules for which `is_checked` is false stay: nobody looked.
  Baseline pruned(std::span<const Finding> findings,
                  const std::function<bool(std::string_view rule)>& is_checked) const;
  /// How many findings it accepts.
  std::size_t total() const;
  /// Sorted; empty for a look at the whole project.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::string> variants_;
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;
};

}  // namespace muster
