#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

TEST_CASE("Prefabs that multiply at each level are refused before they exhaust the memory",
          "[registry][project]") {
  UnityProject project;
  Guid inner = project.prefab("Assets/p0.prefab", {{project.script("ReplicatedEntity"), ""}});
  for (int level = 1; level <= 10; ++level) {
    std::string text = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n";
    for (int copy = 0; copy < 20; ++copy) {
      text += "--- !u!1001 &" + std::to_string(1000 + copy) +
              "\nPrefabInstance:\n  m_Modification:\n    m_TransformParent: {fileID: 0}\n"
              "    m_Modifications: []\n  m_SourcePrefab: {fileID: 100100000, guid: " +
              inner.to_string() + ", type: 3}\n";
    }
    inner = project.file("Assets/p" + std::to_string(level) + ".prefab", text);
  }
  project.asset(
      "Assets/R.asset", project.script("ReplicatedEntityRegistry"),
      "  entries:\n  - prefab:\n      guid: " + inner.to_string() + "\n    factory: {fileID: 0}\n");
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  const auto findings = validate(*opened.value(), {});
  CHECK(std::ranges::any_of(findings, [](const Finding& finding) {
    return finding.rule == "prefab-cycle" && finding.blocks_build;
  }));
}

}  // namespace
}  // namespace muster
