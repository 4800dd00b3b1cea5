// Tests that an error of one target is not reported for the other target.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

bool has_errors(const UnityProject& project, TargetSet targets) {
  const auto opened = Project::open(project.files, 1, {});
  REQUIRE(opened.has_value());
  const auto findings = validate(*opened.value(), {.targets = targets});
  return std::ranges::any_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::error; });
}

TEST_CASE("Errors of a registry and a root of the server are not reported for the client",
          "[registry][rules]") {
  UnityProject project;
  const Guid missing = Guid::parse("0123456789abcdef0123456789abcde0").value();
  const Guid script = project.script("ReplicatedEntityRegistry");
  const Guid root = project.script("AssetRegistryRoot", "ScriptableObject");
  const auto list = [](const Guid& guid) { return "  - " + UnityProject::strong(guid) + "\n"; };
  const bool in_root = GENERATE(false, true);
  const std::string broken =
      "  entries:\n  - prefab:\n" + UnityProject::words(missing, 6) + "    factory: {fileID: 0}\n";
  const Guid client = project.asset("Assets/C.asset", script, "  entries: []\n");
  const Guid server = project.asset("Assets/S.asset", script, in_root ? "  entries: []\n" : broken);
  project.asset("Assets/Client.asset", root,
                "  serverBuild: 0\n  assetRegistries:\n" + list(client));
  project.asset(
      "Assets/Server.asset", root,
      "  serverBuild: 1\n  assetRegistries:\n" + list(server) + (in_root ? list(missing) : ""));
  CHECK(has_errors(project, TargetSet::both()));
  CHECK(has_errors(project, Target::server));
  CHECK_FALSE(has_errors(project, Target::client));
}

}  // namespace
}  // namespace muster
