// Checks that each project of tests/golden/bad_content gives exactly its expected findings.
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "bundler/cook/value_check.h"
#include "bundler/dictionaries/committed_dictionaries.h"
#include "registry/base/disk_file_system.h"
#include "registry/rules/validate.h"
#include "tests/support/text_project.h"

namespace muster {
namespace {

std::multiset<std::string> lines_of(std::string_view text) {
  std::multiset<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end != 0) lines.emplace(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

std::multiset<std::string> actual_findings(const FileReader& files) {
  const auto project = Project::open(files, 2, {});
  REQUIRE(project.has_value());
  std::multiset<std::string> lines;
  const auto components = load_components(files, project.value()->config());
  const auto check = [&](const Project& checked, const std::set<AssetNumber>& built,
                         Findings& findings) {
    if (components) check_values(checked, components.value(), built, 2, findings);
    check_committed(checked, findings);
  };
  for (const Finding& finding : validate(*project.value(), {.further = check})) {
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

TEST_CASE("Each broken project gives exactly its expected findings", "[registry][rules][sys-1]") {
  const std::string folder = MUSTER_SOURCE_DIR "/tests/golden/bad_content";
  const auto files = DiskFileSystem::open(folder);
  REQUIRE(files.has_value());
  const auto entries = files.value().list({});
  REQUIRE(entries.has_value());
  std::size_t projects = 0;
  for (const DirectoryEntry& entry : entries.value()) {
    if (!entry.name.ends_with(".txt")) continue;
    ++projects;
    CAPTURE(entry.name);
    const testing::TextProject project = testing::read_text_project(folder + "/" + entry.name);
    CHECK(actual_findings(project.files) == lines_of(project.expected));
  }
  CHECK(projects > 100);
}

TEST_CASE("The sample game has no findings", "[registry][rules]") {
  const auto files = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena");
  REQUIRE(files.has_value());
  CHECK(actual_findings(files.value()).empty());
}

TEST_CASE("Rules are sorted by id, so that each can be found", "[registry][rules]") {
  for (const Rule& rule : all_rules()) {
    CAPTURE(rule.id);
    CHECK(find_rule(rule.id) == &rule);
    CHECK_FALSE(rule.help.empty());
  }
  CHECK(find_rule("no-such-rule") == nullptr);
}

}  // namespace
}  // namespace muster
