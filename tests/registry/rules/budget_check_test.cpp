#include "registry/rules/budget_check.h"

#include <catch2/catch.hpp>

namespace muster {
namespace {

Budget budget(std::uint64_t bytes, std::string bundle, std::vector<std::string> kinds,
              TargetSet targets = TargetSet::both()) {
  return {std::move(bundle), std::move(kinds), targets, bytes, {7, 3}};
}

std::vector<std::string> exceeded(Budget one) {
  ProjectConfig config;
  config.budgets = {std::move(one)};
  const std::vector<TargetSizes> sizes = {
      {Target::client,
       {{"bundles/a", "Assets/A.prefab", 100},
        {"bundles/b", "Assets/B.prefab", 200},
        {"shared/c", "", 300}},
       {{"png", 250}, {"wav", 50}, {"prefab", 10}}},
      {Target::server, {{"bundles/a", "Assets/A.prefab", 90}}, {{"prefab", 10}}}};
  Findings findings;
  check_budgets(config, sizes, findings);
  std::vector<std::string> messages;
  for (const Finding& finding : findings.drain_sorted()) {
    CHECK(finding.rule == kBudgetRule);
    CHECK_FALSE(finding.identity.empty());
    CHECK(finding.message.starts_with(finding.identity + ":"));
    CHECK(finding.location.path.text() == "muster.yaml");
    CHECK(finding.location.position == config.budgets.front().position);
    messages.push_back(finding.message);
  }
  return messages;
}

using Messages = std::vector<std::string>;

TEST_CASE("Budgets limit sums, bundles and kinds", "[registry][budgets]") {
  CHECK(exceeded(budget(600, "", {})).empty());
  CHECK(exceeded(budget(599, "", {})) ==
        Messages{"the bundles of the client: 600 bytes, which is 1 byte more than the budget of "
                 "599 bytes"});
  CHECK(exceeded(budget(80, "", {}, Target::server)).size() == 1);
  CHECK(exceeded(budget(80, "", {})).size() == 2);
  CHECK(exceeded(budget(100, "Assets/*.prefab", {})) ==
        Messages{"the client's bundle of 'Assets/B.prefab': 200 bytes, which is 100 bytes more "
                 "than the budget of 100 bytes"});
  CHECK(exceeded(budget(95, "Assets/A.prefab", {})).size() == 1);
  CHECK(exceeded(budget(1, "shared", {})) ==
        Messages{"the client's bundle 'shared/c' that several share: 300 bytes, which is 299 "
                 "bytes more than the budget of 1 byte"});
  CHECK(exceeded(budget(299, "", {"png", "wav"})).size() == 1);
  CHECK(exceeded(budget(300, "", {"png", "wav"})).empty());
  CHECK(exceeded(budget(0, "", {"ogg"})).empty());
}

TEST_CASE(
    "The budget of a prefab's bundle applies to each variant; the total budget applies to their "
    "sum",
    "[registry][budgets][variant]") {
  const std::vector<TargetSizes> sizes = {{Target::client,
                                           {{"bundles/a", "Assets/A.prefab", 100},
                                            {"variants/b", "Assets/A.prefab", 90, "quality=low"},
                                            {"shared/c", "", 300},
                                            {"variants/d", "", 200, "quality=low"}},
                                           {}}};
  const auto uses = [&](Budget one) {
    std::vector<std::string> found;
    for (const BudgetUse& use : measure_budgets({std::move(one)}, sizes)) {
      found.push_back(use.what + ": " + std::to_string(use.bytes));
    }
    return found;
  };
  CHECK(uses(budget(1, "Assets/**", {})) ==
        Messages{"the client's bundle of 'Assets/A.prefab': 100",
                 "the client's bundle of 'Assets/A.prefab' for quality=low: 90"});
  CHECK(uses(budget(1, "shared", {})) ==
        Messages{"the client's bundle 'shared/c' that several share: 300",
                 "the client's bundle 'variants/d' that several share: 200"});
  CHECK(uses(budget(1, "", {})) == Messages{"the bundles of the client: 690"});
}

}  // namespace
}  // namespace muster
