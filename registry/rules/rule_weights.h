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
  std::string pattern;               ///< A pattern of paths (`*`, `**`); `**` for all.
  std::optional<Severity> severity;  ///< Nullopt: the findings are removed.
  yaml::Position position{};         ///< The position of the pattern in muster.yaml.
};

/// Parses `rules: {ID: off}` and `rules: {ID: {"Assets/Plugins/**": off, "**": warning}}`; of
/// several patterns the first matching one is used. Fails with `malformed`, naming the line of
/// muster.yaml, for an unknown rule or severity or an invalid pattern.
Result<std::vector<RuleWeight>> read_rule_weights(const ProjectConfig& config);

/// Sets the severity of findings, and removes those that are off. A finding that blocks a build
/// stays an error, because builds refuse it regardless of settings.
void weigh(const std::vector<RuleWeight>& weights, std::vector<Finding>& findings);

/// The rule id most similar to this text, for messages; empty if none is similar.
std::string rule_like(std::string_view text);

}  // namespace muster
