// Tests the severities that a project's settings give to rules.
#include "registry/rules/rule_weights.h"

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"
#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

Result<std::vector<RuleWeight>> weights_of(const std::string& rules) {
  MemoryFileSystem files;
  files.add("Assets/.keep", "");
  files.add("muster.yaml", "version: 1\nrules:" + rules);
  const auto config = load_config(files);
  REQUIRE(config.has_value());
  return read_rule_weights(config.value());
}

Finding finding_at(std::string_view rule, std::string_view path) {
  Findings findings;
  findings.add(rule, {AssetPath::parse(path).value(), {}}, "wrong");
  return findings.drain_sorted().front();
}

TEST_CASE("Rules can be disabled and get severities, also by path", "[registry][rules]") {
  const auto weights = weights_of(
      "\n  missing-meta: off\n  orphan-meta: error\n"
      "  placeholder-guid: {\"Assets/Plugins/**\": off, \"**\": note}\n");
  REQUIRE(weights.has_value());
  std::vector<Finding> findings = {
      finding_at("missing-meta", "Assets/a.txt"), finding_at("orphan-meta", "Assets/a.txt.meta"),
      finding_at("placeholder-guid", "Assets/Plugins/x/b.txt"),
      finding_at("placeholder-guid", "Assets/c.txt"), finding_at("duplicate-guid", "Assets/d.txt")};
  weigh(weights.value(), findings);
  REQUIRE(findings.size() == 3);
  CHECK(findings[0].severity == Severity::error);
  CHECK(findings[1].location.path.text() == "Assets/c.txt");
  CHECK(findings[1].severity == Severity::note);
  CHECK(findings[2].severity == Severity::error);
}

TEST_CASE("A finding of several files has the highest severity of its files", "[registry][rules]") {
  Finding finding = finding_at("unresolved-reference", "Assets/a.prefab");
  finding.paths = {AssetPath::parse("Assets/a.prefab").value(),
                   AssetPath::parse("Assets/b.prefab").value()};
  const auto weighed = [&](const std::string& rules) {
    const auto weights = weights_of(rules);
    REQUIRE(weights.has_value());
    std::vector<Finding> findings = {finding};
    weigh(weights.value(), findings);
    return findings;
  };
  const auto first_off = weighed(" {unresolved-reference: {Assets/a.prefab: off}}\n");
  REQUIRE(first_off.size() == 1);
  CHECK(first_off.front().severity == Severity::warning);
  const auto second = weighed(" {unresolved-reference: {Assets/b.prefab: error}}\n");
  CHECK(second.front().severity == Severity::error);
  CHECK(weighed(" {unresolved-reference: {\"Assets/*.prefab\": off}}\n").empty());
}

TEST_CASE("A path of a rule may match files that are not assets", "[registry][rules]") {
  testing::UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nrules:\n  orphan-meta: {\"Assets/Old/**\": note}\n"
                    "  missing-meta: {\"Assets/*.txt\": note, \"Assets/*.text\": note}\n");
  project.files.add("Assets/Old/gone.txt.meta", "guid: 5f0e1d2c3b4a59687786a5b4c3d2e1f0\n");
  project.files.add("Assets/new.txt", "text");
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  std::vector<Finding> found = validate(*opened.value(), {});
  std::erase_if(found, [](const Finding& finding) { return finding.rule != "unmatched-path"; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].location.position.line == 4);
}

TEST_CASE("A finding that blocks a build stays an error, for any configured severity",
          "[registry][rules]") {
  const auto weights = weights_of(" {duplicate-guid: off}\n");
  REQUIRE(weights.has_value());
  std::vector<Finding> findings = {finding_at("duplicate-guid", "Assets/d.txt")};
  findings.front().blocks_build = true;
  weigh(weights.value(), findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings.front().severity == Severity::error);
}

TEST_CASE("An unknown rule or severity is refused with its line", "[registry][rules]") {
  const auto [rules, message] = GENERATE(table<std::string, std::string>({
      {" {mising-meta: off}\n",
       "muster.yaml:2:8: there is no rule 'mising-meta'; did you mean 'missing-meta'?"},
      {" {missing-meta: fatal}\n", "muster.yaml:2:22: a rule is off, note, warning or error"},
      {" [missing-meta]\n", "muster.yaml:2:7: 'rules' must be a mapping from rules to severities"},
  }));
  const auto weights = weights_of(rules);
  REQUIRE_FALSE(weights.has_value());
  CHECK(weights.error().code == ErrorCode::malformed);
  CHECK(weights.error().message.substr(0, 13) == message.substr(0, 13));
  CHECK(weights.error().message.substr(weights.error().message.find(": ")) ==
        message.substr(message.find(": ")));
}

}  // namespace
}  // namespace muster
