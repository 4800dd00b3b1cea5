// Every project of tests/golden/bad_content gives exactly the findings that stand in its
// expected.txt.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "registry/vocabulary/disk_file_system.h"

namespace muster {
namespace {

std::multiset<std::string> expected_findings(const std::filesystem::path& project) {
  std::multiset<std::string> lines;
  std::ifstream file(project / "expected.txt");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.insert(line);
  }
  return lines;
}

std::multiset<std::string> actual_findings(const std::string& path) {
  const auto files = DiskFileSystem::open(path);
  REQUIRE(files.has_value());
  const auto project = Project::open(files.value(), 2, {});
  REQUIRE(project.has_value());
  std::multiset<std::string> lines;
  for (const Finding& finding : validate(*project.value(), {})) {
    if (finding.severity == Severity::note) continue;
    std::string line = std::string(to_string(finding.severity)) + " " + std::string(finding.rule) +
                       " " + finding.location.path.text();
    if (finding.location.position.line > 0) {
      line += ":" + std::to_string(finding.location.position.line);
    }
    lines.insert(line);
  }
  return lines;
}

TEST_CASE("Each broken project gives exactly the findings it was made for",
          "[registry][rules][sys-1]") {
  std::set<std::filesystem::path> projects;
  for (const auto& entry :
       std::filesystem::directory_iterator(MUSTER_SOURCE_DIR "/tests/golden/bad_content")) {
    if (entry.is_directory()) projects.insert(entry.path());
  }
  REQUIRE(projects.size() > 30);
  for (const std::filesystem::path& project : projects) {
    CAPTURE(project.filename().string());
    CHECK(actual_findings(project.string()) == expected_findings(project));
  }
}

TEST_CASE("The sample game has no findings at all", "[registry][rules]") {
  CHECK(actual_findings(MUSTER_SOURCE_DIR "/content/arena").empty());
}

TEST_CASE("Rules are sorted by id, so that each is found", "[registry][rules]") {
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(find_rule(rule.id) == &rule);
    CHECK_FALSE(rule.help.empty());
  }
  CHECK(find_rule("no-such-rule") == nullptr);
}

}  // namespace
}  // namespace muster
