// Tests packages outside the project's folder.
#include "registry/project/packages.h"

#include <catch2/catch.hpp>

#include "registry/base/mounted_file_system.h"
#include "registry/model/project.h"
#include "registry/rules/validate.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::UnityProject;

constexpr std::string_view kImage = "fe87c0e1cc204ed48ad3b37840f39efc";  // UnityEngine.UI.Image
constexpr std::string_view kLit = "933532a4fcc9baf4fa0491de14d08ed7";    // Lit.shader

Guid parsed(std::string_view text) { return Guid::parse(text).value(); }

TEST_CASE("The table knows common packages, their classes and their content",
          "[registry][packages]") {
  const auto image = find_package_asset(parsed(kImage));
  REQUIRE(image.has_value());
  CHECK(image->name == "Image");
  CHECK(image->package == "com.unity.ugui");
  CHECK(image->is_script);
  const auto shader = find_package_asset(parsed(kLit));
  REQUIRE(shader.has_value());
  CHECK(shader->name == "Lit.shader");
  CHECK_FALSE(shader->is_script);
  CHECK_FALSE(find_package_asset(parsed("b3047ac91fd85e26c49a7f10e8d26b35")).has_value());
}

TEST_CASE("Local packages and folders above the project are found with their paths",
          "[registry][packages]") {
  MemoryFileSystem files;
  files.add("Packages/manifest.json",
            R"({"dependencies": {"com.a.shared": "file:../../shared", "com.b.inner": "file:inner",
               "com.c.archive": "file:../c.tgz", "com.d.near": "file:../Local/d",
               "com.e.absolute": "file:/opt/e", "com.unity.ugui": "1.0.0"}})");
  files.add("muster.yaml", "version: 1\nfolders: [Assets, ../shared, ../../art/./trees]\n");
  std::vector<std::string> found;
  for (const OutsideFolder& folder : outside_folders(files)) {
    found.push_back(folder.at.text() + " " + folder.disk_path);
  }
  CHECK(found == std::vector<std::string>{
                     "Packages/com.a.shared ../shared", "Packages/com.d.near Local/d",
                     "Packages/com.e.absolute /opt/e", "Packages/trees ../../art/trees"});
  CHECK(path_of_outside(files, "../shared")->text() == "Packages/com.a.shared");
  CHECK_FALSE(path_of_outside(files, "Assets/../Other").has_value());
}

TEST_CASE("A mounted package is content of the project", "[registry][packages]") {
  auto base = std::make_unique<MemoryFileSystem>();
  base->add("Assets/a.txt", "x");
  base->add("Packages/manifest.json", "{}");
  auto shared = std::make_unique<MemoryFileSystem>();
  shared->add("Art/s.png", "png");
  std::vector<MountedFileSystem::Part> mounts;
  mounts.push_back({AssetPath::parse("Packages/com.a.shared").value(), std::move(shared), nullptr});
  const MountedFileSystem files({AssetPath(), std::move(base), nullptr}, std::move(mounts));
  ByteVector buffer;
  const AssetPath picture = AssetPath::parse("Packages/com.a.shared/Art/s.png").value();
  const auto bytes = files.read(picture, 0, 100, buffer);
  REQUIRE(bytes.has_value());
  CHECK(as_text(bytes.value()) == "png");
  const auto listed = files.list(AssetPath::parse("Packages").value());
  REQUIRE(listed.has_value());
  REQUIRE(listed.value().size() == 2);
  CHECK(listed.value()[0].name == "com.a.shared");
  CHECK(listed.value()[0].kind == FileKind::folder);
  CHECK(files.stat(AssetPath::parse("Packages/com.a.shared/Art").value()).has_value());
  CHECK_FALSE(files.stat(AssetPath::parse("Packages/com.a.shared/none").value()).has_value());
}

TEST_CASE(
    "Code of known packages gives no finding, and missing content gives one finding per package",
    "[registry][packages]") {
  UnityProject project;
  const Guid card = project.prefab("Assets/Card.prefab", {{parsed(kImage), "  m_Color: 1"}});
  const Guid tree =
      project.asset("Assets/Tree.asset", parsed("b3047ac91fd85e26c49a7f10e8d26b35"),
                    "  shader: {fileID: 4800000, guid: " + std::string(kLit) + ", type: 3}");
  project.files.add("Library/PackageCache/com.studio.lib@1.0.0/Runtime/Thing.cs.meta",
                    "guid: b3047ac91fd85e26c49a7f10e8d26b35\n");
  project.asset("Assets/List.asset", parsed("bbb281ee3bf0b054c82ac2347e9e782c"),
                "  m_SerializeEntries:\n  - m_GUID: " + card.to_string() +
                    "\n  - m_GUID: " + tree.to_string());
  const auto open = Project::open(project.files, 1, {});
  REQUIRE(open.has_value());
  std::vector<std::string> found;
  for (const Finding& finding : validate(*open.value(), {})) {
    found.push_back(std::string(to_string(finding.severity)) + " " + finding.message);
  }
  CHECK(found == std::vector<std::string>{
                     "note built assets refer to 1 asset of package "
                     "com.unity.render-pipelines.universal, which no bundle contains: Lit.shader"});
}

TEST_CASE("A package that no manifest lists is a warning", "[registry][packages]") {
  UnityProject project;
  project.prefab("Assets/Card.prefab", {{parsed(kImage), "  m_Color: 1"}});
  project.files.add("Packages/manifest.json", R"({"dependencies": {"com.x": "file:../../gone"}})");
  project.files.add("Packages/packages-lock.json", R"({"dependencies": {"com.x": {}}})");
  const auto open = Project::open(project.files, 1, {});
  REQUIRE(open.has_value());
  std::vector<std::string> found;
  for (const Finding& finding : validate(*open.value(), {})) {
    if (finding.severity == Severity::warning) found.push_back(finding.message);
  }
  CHECK(found == std::vector<std::string>{
                     "neither manifest nor lock names package com.unity.ugui, but 1 file uses it: "
                     "Image",
                     "package com.x should be in '../gone', which does not exist"});
}

TEST_CASE("Unreadable packages give one note if a guid has no asset", "[registry][packages]") {
  const auto [reason, version, guid, is_cached, is_noted] =
      GENERATE(table<std::string, std::string, std::string, bool, bool>({
          {"a repository", "https://example.invalid/x.git#1", "b3047ac91fd85e26c49a7f10e8d26b35",
           false, true},
          {"an archive", "file:../x-1.0.0.tgz", "b3047ac91fd85e26c49a7f10e8d26b35", false, true},
          {"a version", "1.0.0", "b3047ac91fd85e26c49a7f10e8d26b35", false, false},
          {"a repository that the cache has", "git@example.invalid:x.git",
           "b3047ac91fd85e26c49a7f10e8d26b35", true, false},
          {"nothing is missing", "git@example.invalid:x.git", "fe87c0e1cc204ed48ad3b37840f39efc",
           false, false},
      }));
  CAPTURE(reason);
  UnityProject project;
  project.prefab("Assets/Card.prefab", {{parsed(guid), "  m_Color: 1"}});
  project.files.add("Packages/manifest.json",
                    "{\"dependencies\": {\"com.x\": \"" + version + "\"}}");
  if (is_cached) project.files.add("Library/PackageCache/com.x@1/package.json", "{}");
  const auto open = Project::open(project.files, 1, {});
  REQUIRE(open.has_value());
  std::vector<Finding> found = validate(*open.value(), {});
  std::erase_if(found, [](const Finding& finding) {
    return finding.location.path.text() != "Packages/manifest.json";
  });
  REQUIRE(found.size() == (is_noted ? 1U : 0U));
  if (!is_noted) return;
  CHECK(found[0].severity == Severity::note);
  CHECK(found[0].message ==
        "1 package cannot be read, and may contain guids that have no asset here: com.x; opening "
        "the project fills Library/PackageCache");
}

}  // namespace
}  // namespace muster
