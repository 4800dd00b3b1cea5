// Stores the findings that a project accepts.
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

/// The accepted findings of a project. Only the number of findings is stored, for each rule and
/// file. A finding that moves to another line stays accepted. With a baseline, a project with many
/// old findings can use `muster validate` to detect new ones. The file is sorted JSON with one line
/// per count, so that its diff shows the accepted findings:
///
///     {"version": 1, "known": {"missing-meta": {"Assets/Old.png": 1}}}
///
/// A baseline from a check with certain variants names the variants: `"variants":
/// ["platform=linux"]`. Only a check with the same variants can detect unused counts.
class Baseline {
 public:
  /// Parses a baseline file. Fails with `malformed` or `unsupported_version`.
  static Result<Baseline> parse(std::string_view text);
  /// The baseline that accepts exactly these findings. `variants` are the variants of the check
  /// (`AXIS=VALUE`, in any order).
  static Baseline of(std::span<const Finding> findings, std::vector<std::string> variants = {});
  std::string format() const;

  /// Sets `Finding::is_known` for accepted findings. If a file has more findings of a rule than the
  /// count, the first findings by position are accepted. So a reported finding may be older than an
  /// accepted finding, but equal input gives an equal result.
  void mark_known(std::span<Finding> findings) const;

  /// A copy of the baseline in which each count is reduced to the number of findings. Counts of
  /// rules for which `is_checked` returns false are kept.
  Baseline pruned(std::span<const Finding> findings,
                  const std::function<bool(std::string_view rule)>& is_checked) const;
  /// The number of findings that the baseline accepts.
  std::size_t total() const;
  /// The variants of the check, sorted. The list is empty for a check of the whole project.
  const std::vector<std::string>& variants() const { return variants_; }

 private:
  std::vector<std::string> variants_;
  std::map<std::pair<std::string, std::string>, std::size_t> counts_;
};

}  // namespace muster
