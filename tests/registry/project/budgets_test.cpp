#include "registry/project/budgets.h"

#include <catch2/catch.hpp>

#include "tests/support/config_text.h"

namespace muster {
namespace {

Result<ProjectConfig> budgets_of(const std::string& text) {
  return testing::config_with("budgets:" + text);
}

TEST_CASE("Budgets have a subject, a target and a size", "[registry][budgets]") {
  const auto config = budgets_of(
      "\n- {target: client, bytes: 300 MiB}\n"
      "- {bundle: \"Assets/Prefabs/**\", bytes: 2MB}\n"
      "- {kind: [PNG, tga], target: server, bytes: 4096}\n"
      "- {kind: wav, bytes: 0}\n");
  REQUIRE(config.has_value());
  const std::vector<Budget>& budgets = config.value().budgets;
  REQUIRE(budgets.size() == 4);
  CHECK(budgets[0].targets == TargetSet(Target::client));
  CHECK(budgets[0].bytes == 300ULL * 1024 * 1024);
  CHECK(budgets[0].position.line == 3);
  CHECK(budgets[1].bundle == "Assets/Prefabs/**");
  CHECK(budgets[1].targets == TargetSet::both());
  CHECK(budgets[1].bytes == 2000000);
  CHECK(budgets[2].kinds == std::vector<std::string>{"png", "tga"});
  CHECK(budgets[3].kinds == std::vector<std::string>{"wav"});
  CHECK(budgets_of("\n").value().budgets.empty());
  CHECK(budgets_of(" []\n").value().budgets.empty());
}

TEST_CASE("An invalid budget is refused with its line", "[registry][budgets]") {
  const auto [text, location, reason] = GENERATE(table<std::string, std::string, std::string>({
      {" 300 MiB\n", "muster.yaml:2:10", "a value instead of a list"},
      {"\n- 300 MiB\n", "muster.yaml:3:3", "not a mapping"},
      {"\n- {target: client}\n", "muster.yaml:3:3", "without a size"},
      {"\n- {bytes: lots}\n", "muster.yaml:3:11", "not a number"},
      {"\n- {bytes: 1.5 MiB}\n", "muster.yaml:3:11", "a fraction"},
      {"\n- {bytes: -1}\n", "muster.yaml:3:11", "a negative number"},
      {"\n- {bytes: 99999999999999 GiB}\n", "muster.yaml:3:11", "more than the maximum"},
      {"\n- {bytes: [1]}\n", "muster.yaml:3:11", "a list instead of a value"},
      {"\n- {bytes: 1, size: 2}\n", "muster.yaml:3:20", "an unknown key"},
      {"\n- {bytes: 1, target: all}\n", "muster.yaml:3:22", "an unknown target"},
      {"\n- {bytes: 1, kind: .png}\n", "muster.yaml:3:20", "an invalid extension"},
      {"\n- {bytes: 1, kind: []}\n", "muster.yaml:3:20", "an empty list of kinds"},
      {"\n- {bytes: 1, kind: png, bundle: shared}\n", "muster.yaml:3:3", "two subjects"},
      {"\n- {bytes: 1, bundle: \"*/*/*/*/*/*/*/*/*\"}\n", "muster.yaml:3:3", "too many stars"},
  }));
  CAPTURE(text, reason);
  const auto config = budgets_of(text);
  REQUIRE_FALSE(config.has_value());
  CHECK(config.error().code == ErrorCode::malformed);
  CHECK_THAT(config.error().message, Catch::StartsWith(location));
}

TEST_CASE("Patterns match paths as documented", "[registry][budgets]") {
  const auto [path, pattern, fits] = GENERATE(table<std::string, std::string, bool>({
      {"a/b.prefab", "a/b.prefab", true},
      {"a/b.prefab", "a/*.prefab", true},
      {"a/b.prefab", "*", false},
      {"a/b.prefab", "**", true},
      {"a/b.prefab", "a/**/b.prefab", true},
      {"a/x/y/b.prefab", "a/**/b.prefab", true},
      {"a/x/y/b.prefab", "a/*/b.prefab", false},
      {"a/x/y/b.prefab", "**/y/*", true},
      {"a/aab", "a/*ab", true},
      {"a/x/ab", "**/a*/x", false},
      {"a/ab/x", "**/a*/x", true},
      {"q/ab/ac/x", "**/a*/x", true},
      {"", "*", true},
      {"", "a", false},
      {"a", "", false},
  }));
  CAPTURE(path, pattern);
  CHECK(fits_pattern(path, pattern) == fits);
}

}  // namespace
}  // namespace muster
