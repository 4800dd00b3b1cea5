#include "registry/rules/rule_weights.h"

#include <algorithm>
#include <utility>

#include "registry/project/budgets.h"
#include "registry/project/config_keys.h"

namespace muster {
namespace {

using yaml::Children;
using yaml::kNoNode;
using yaml::NodeIndex;
using yaml::NodeKind;

/// The maximum number of stars in a pattern, as in budgets.
constexpr std::ptrdiff_t kRuleStarsMax = 8;

Result<std::optional<Severity>> read_severity(const yaml::Tree& tree, NodeIndex node) {
  const std::string_view text = tree.scalar(node);
  // In YAML 1.1 `off` means false, so some tools write `false`.
  if (text == "off" || text == "false") return std::optional<Severity>();
  for (const Severity severity : {Severity::note, Severity::warning, Severity::error}) {
    if (text == to_string(severity)) return std::optional(severity);
  }
  return refuse_config(tree, node, "a rule is off, note, warning or error");
}

Result<void> read_rule(const yaml::Tree& tree, NodeIndex node, std::vector<RuleWeight>& weights) {
  const std::string id(tree.at(node).key);
  if (find_rule(id) == nullptr) {
    const std::string like = rule_like(id);
    return refuse_config(tree, node,
                         "there is no rule '" + id + "'" +
                             (like.empty() ? "; 'muster validate --explain all' lists them"
                                           : "; did you mean '" + like + "'?"));
  }
  if (tree.at(node).kind == NodeKind::scalar) {
    const auto severity = read_severity(tree, node);
    if (!severity) return fail(severity.error());
    weights.push_back({id, "**", severity.value(), tree.at(node).position});
    return {};
  }
  if (tree.at(node).kind != NodeKind::mapping) {
    return refuse_config(tree, node,
                         "a rule has a severity, or a mapping from paths to severities");
  }
  for (const NodeIndex item : Children(tree, node)) {
    const std::string pattern(tree.at(item).key);
    if (std::ranges::count(pattern, '*') > kRuleStarsMax) {
      return refuse_config(tree, item, "a pattern can have at most 8 stars");
    }
    const auto severity = read_severity(tree, item);
    if (!severity) return fail(severity.error());
    weights.push_back({id, pattern, severity.value(), tree.at(item).position});
  }
  return {};
}

// The similarity of two texts: the number of equal letters at the start and at the end.
std::size_t likeness(std::string_view one, std::string_view other) {
  const auto front = static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
  std::size_t back = 0;
  while (back < std::min(one.size(), other.size()) - front &&
         one[one.size() - 1 - back] == other[other.size() - 1 - back]) {
    ++back;
  }
  return front + back;
}

}  // namespace

std::string rule_like(std::string_view text) {
  std::string_view best;
  std::size_t best_likeness = 0;
  for (const Rule& rule : all_rules()) {
    const std::size_t found = likeness(text, rule.id);
    const std::size_t longer = std::max(text.size(), rule.id.size());
    if (found <= best_likeness || found + 1 + longer / 4 < longer) continue;
    best = rule.id;
    best_likeness = found;
  }
  return std::string(best);
}

Result<std::vector<RuleWeight>> read_rule_weights(const ProjectConfig& config) {
  std::vector<RuleWeight> weights;
  if (!config.source) return weights;
  const yaml::Tree& tree = config.source->tree;
  const NodeIndex rules = tree.find(config.source->root, "rules");
  if (rules == kNoNode) return weights;
  const bool is_null = tree.at(rules).kind == NodeKind::scalar && tree.scalar(rules).empty();
  if (is_null) return weights;
  if (tree.at(rules).kind != NodeKind::mapping) {
    return refuse_config(tree, rules, "'rules' must be a mapping from rules to severities");
  }
  for (const NodeIndex node : Children(tree, rules)) {
    if (auto good = read_rule(tree, node, weights); !good) return fail(good.error());
  }
  return weights;
}

void weigh(const std::vector<RuleWeight>& weights, std::vector<Finding>& findings) {
  const auto severity_at = [&](const Finding& finding,
                               const AssetPath& path) -> std::optional<Severity> {
    const auto weight = std::ranges::find_if(weights, [&](const RuleWeight& one) {
      return one.rule == finding.rule &&
             (one.pattern == "**" || fits_pattern(path.text(), one.pattern));
    });
    return weight == weights.end() ? finding.severity : weight->severity;
  };
  std::erase_if(findings, [&](Finding& finding) {
    if (finding.blocks_build) return false;
    std::vector<AssetPath> paths = finding.paths;
    if (paths.empty()) paths.push_back(finding.location.path);
    // A finding for several files gets the highest severity of these files. std::nullopt is lower
    // than every severity.
    std::optional<Severity> severity_max;
    for (const AssetPath& path : paths)
      severity_max = std::max(severity_max, severity_at(finding, path));
    if (!severity_max) return true;
    finding.severity = *severity_max;
    return false;
  });
}

}  // namespace muster
