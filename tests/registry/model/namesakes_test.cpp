// Tests classes of other games that have the same names as registry classes.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/model/unread.h"
#include "registry/rules/validate.h"
#include "tests/support/open_project.h"

namespace muster {
namespace {

using testing::open;
using testing::UnityProject;

constexpr const char* kPath = "Assets/Shop/Items.asset";

bool is_namesake(const Project& project) {
  const auto& namesakes = project.model().namesakes;
  const bool is_reported = std::ranges::any_of(validate(project, {}), [](const Finding& finding) {
    return finding.rule == "namesake-class" && finding.severity == Severity::note &&
           !finding.blocks_build && finding.location.path.text() == kPath;
  });
  CHECK(is_reported == !namesakes.empty());
  CHECK(namesakes.empty() == !project.model().registries.empty());
  return !namesakes.empty();
}

TEST_CASE("An asset without any registry field is not a registry, and prepare does not change it",
          "[registry][registries][rules][sys-1]") {
  const auto [fields, is_other, reason] = GENERATE(table<std::string, bool, std::string>({
      {"  entries: []\n", false, "an empty registry"},
      {"  entries:\n", false, "one that another tool emptied"},
      {"  entries:\n  - {fileID: 0}\n", false, "free slots only"},
      {"  entries:\n  - name: a\n  - prefab1P:\n      guid: \n", false, "one valid item"},
      {"  entries:\n  - {fileID: 1, guid: 00000000000000000000000000000123, type: 2}\n", false,
       "its only asset is removed"},
      {"  items:\n  - name: Sword\n", true, "a list with another name"},
      {"  entries:\n  - name: Sword\n    price: 3\n", true, "items with other keys"},
      {"  entries:\n  - Sword\n", true, "texts as items"},
      {"  entries: 5\n", true, "no list at all"},
      {"", true, "no field, in a game without item definitions"},
  }));
  CAPTURE(fields, reason);
  UnityProject project;
  project.asset(kPath, project.script("ItemRegistry", "ScriptableObject"), fields);
  const auto before = project.files.files();
  const auto opened = open(project);
  CHECK(is_namesake(*opened) == is_other);
  if (!is_other) return;
  CHECK(unread_notes(*opened).empty());
  const auto plan = plan_prepare(*opened);
  REQUIRE(plan.has_value());
  CHECK(plan.value().registries.empty());
  REQUIRE(apply_prepare(project.files, plan.value()).has_value());
  CHECK(project.files.files() == before);
}

TEST_CASE("An asset that a root lists is a registry with any content", "[registry][registries]") {
  UnityProject project;
  const Guid items =
      project.asset(kPath, project.script("ItemRegistry"), "  items:\n  - name: Sword\n");
  project.asset("Assets/Root.asset", project.script("AssetRegistryRoot"),
                "  serverBuild: 0\n  assetRegistries:\n  - " + UnityProject::strong(items) + "\n");
  const auto opened = open(project);
  CHECK_FALSE(is_namesake(*opened));
  CHECK(std::ranges::any_of(validate(*opened, {}),
                            [](const Finding& finding) { return finding.blocks_build; }));
}

TEST_CASE(
    "An asset without valid entries is a registry only if the game has the class that it lists",
    "[registry][registries]") {
  const std::string script = GENERATE("ItemTypeDefinition", "HeroTypeAsset");
  const std::string fields =
      GENERATE("", "  entires:\n  - prefabServer:\n", "  entries:\n  - swrod: 1\n",
               "  entries:\n  - {fileID: 11400000, guid: SWORD, type: 2}\n");
  CAPTURE(script, fields);
  UnityProject project;
  project.script(script, "ScriptableObject");
  const Guid sword = project.asset("Assets/Sword.asset", project.script("Sword"), "");
  std::string text = fields;
  if (const auto at = text.find("SWORD"); at != std::string::npos) {
    text.replace(at, 5, sword.to_string());
  }
  project.asset(kPath, project.script("ItemRegistry"), text);
  CHECK(is_namesake(*open(project)) == (script == "HeroTypeAsset"));
}

}  // namespace
}  // namespace muster
