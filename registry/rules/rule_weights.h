// What a project makes of the rules: `rules` in muster.yaml.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "registry/rules/finding.h"

namespace muster {

/// The severity that a rule has for some paths.
struct RuleWeight {
  std::string rule;
  std::string pattern;               ///< Of paths (`*`, `**`); `**` for all.
  std::optional<Severity> severity;  ///< Nothing: the findings are left out.
  yaml::Position position{};         ///< Where the pattern stands in muster.yaml.
};

/// Reads `rules: {ID: off}` and `rules: {ID: {"Assets/Plugins/**": off, "**": warning}}`: of
/// several patterns the first that fits counts. Fails with `malformed`, naming the line of
/// muster.yaml, for what is no rule, severity or pattern.
Result<std::vector<RuleWeight>> read_rule_weights(const ProjectConfig& config);

/// Gives findings their severity, and takes out what is off. What blocks a build stays an error: a
/// build refuses it whatever is said of it.
void weigh(const std::vector<RuleWeight>& weights, std::vector<Finding>& findings);

/// The rule whose id is most like this text, for messages; empty when none is.
std::string rule_like(std::string_view text);

}  // namespace muster
