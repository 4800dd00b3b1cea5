// The severities of rules that a project sets: `rules` in muster.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/rules/finding.h"

namespace muster {

/// The severity of a rule for some paths.
struct RuleWeight {
  std::string rule;
  std::string pattern;  ///< The pattern for the paths, as in `fits_pattern`; `**` for all paths.
  std::optional<Severity> severity;  ///< The new severity; nullopt removes the findings.
  yaml::Position position{};         ///< The position of the pattern in muster.yaml.
};

/// Parses `rules: {ID: off}` and `rules: {ID: {"Assets/Plugins/**": off, "**": warning}}`. If
/// several patterns match a path, the first one applies. Fails with `malformed` for an unknown
/// rule, an unknown severity or an invalid pattern, naming the line of muster.yaml.
Result<std::vector<RuleWeight>> read_rule_weights(const ProjectConfig& config);

/// Sets the severity of findings, and removes findings with the severity `off`. A finding that
/// blocks a build stays an error, because settings do not affect it.
void weigh(const std::vector<RuleWeight>& weights, std::vector<Finding>& findings);

/// The rule id that is most similar to this text, for messages; empty if no id is similar.
std::string rule_like(std::string_view text);

}  // namespace muster
