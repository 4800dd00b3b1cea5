// Tests that an unreadable file that may be a root or registry stops the build. Otherwise a build
// without content could succeed.
#include <algorithm>

#include <catch2/catch.hpp>

#include "registry/model/unread.h"
#include "registry/rules/validate.h"
#include "tests/support/refusing_file_system.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::RefusingFileSystem;
using testing::UnityProject;

constexpr const char* kRoot = "Assets/Roots/Server.asset";

// A project with one root for each side. Each root has one empty registry.
UnityProject project_with_roots() {
  UnityProject project;
  const Guid root = project.script("AssetRegistryRoot", "ScriptableObject");
  const Guid list = project.asset("Assets/R.asset", project.script("ReplicatedEntityRegistry"),
                                  "  entries: []\n");
  for (const auto& [path, flag] : {std::pair("Assets/Client.asset", "0"), {kRoot, "1"}}) {
    project.asset(path, root,
                  std::string("  serverBuild: ") + flag + "\n  assetRegistries:\n  - " +
                      UnityProject::strong(list) + "\n");
  }
  return project;
}

// The rules of the findings that stop a build, and whether `list` and `prepare` print a note.
std::pair<std::set<std::string>, bool> stops_of(const FileReader& files) {
  const auto opened = Project::open(files, 1, {});
  REQUIRE(opened.has_value());
  std::set<std::string> rules;
  for (const Finding& finding : validate(*opened.value(), {})) {
    if (!finding.blocks_build) continue;
    CHECK(finding.severity == Severity::error);
    rules.emplace(finding.rule);
  }
  return {rules, !unread_notes(*opened.value()).empty()};
}

using Stops = std::pair<std::set<std::string>, bool>;

TEST_CASE("A refused file or folder that may be a root or registry stops the build",
          "[registry][rules]") {
  const auto [path, reason] = GENERATE(table<std::string, std::string>(
      {{kRoot, "the root itself"},
       {std::string(kRoot) + ".meta", "its sidecar: it is no asset then"},
       {"Assets/Roots", "the folder of the root"},
       {"Assets/Scripts", "the folder of the scripts"},
       {"Assets/Scripts/AssetRegistryRoot.cs.meta", "the sidecar of its script"},
       {"Assets/Scripts/VehicleRegistry.cs", "a script that may derive from a registry's"}}));
  CAPTURE(path, reason);
  UnityProject project = project_with_roots();
  const Guid vehicles = project.script("VehicleRegistry", "ReplicatedEntityRegistry");
  project.asset("Assets/V.asset", vehicles, "  entries: []\n");
  CHECK(stops_of(project.files) == Stops{{}, false});
  RefusingFileSystem files(project.files);
  files.refused.insert(path);
  CHECK(stops_of(files) == Stops{{"unreadable-file"}, true});
}

TEST_CASE("An asset that is too large stops the build unless its head shows another kind",
          "[registry][rules]") {
  const std::string head = "%YAML 1.1\n%TAG !u! tag:unity3d.com,2011:\n--- !u!";
  const auto [text, stops, reason] = GENERATE_COPY(table<std::string, bool, std::string>(
      {{std::string(100'000, 'a'), true, "not YAML"},
       {head + "114 &11400000\nMonoBehaviour:\n  m_Name: " + std::string(100'000, 'a'), true,
        "no script in the head"},
       {head + "43 &4300000\nMesh:\n  m_Name: " + std::string(100'000, 'a'), false, "a mesh"},
       {head +
            "114 &11400000\nMonoBehaviour:\n  m_Script: {fileID: 11500000, guid: "
            "3f0a9c1d7e5b4a2f8c6d0e1b2a3f4c5d, type: 3}\n  m_Name: " +
            std::string(100'000, 'a'),
        false, "the script of another asset"}}));
  CAPTURE(reason);
  UnityProject project = project_with_roots();
  project.file("Assets/Large.asset", text);
  RefusingFileSystem files(project.files);
  files.huge.insert("Assets/Large.asset");
  CHECK(stops_of(files) == (stops ? Stops{{"file-too-large"}, true} : Stops{{}, false}));
}

TEST_CASE("An asset that is cut before its script is known stops the build", "[registry][rules]") {
  UnityProject project = project_with_roots();
  ByteVector buffer;
  const auto whole = project.files.read(AssetPath::parse(kRoot).value(), 0, 1 << 20, buffer);
  REQUIRE(whole.has_value());
  const std::string text(as_text(whole.value()));
  const std::size_t known = text.find("type: 3}");
  REQUIRE(known != std::string::npos);
  for (std::size_t size = 0; size < known; ++size) {
    CAPTURE(size, text.substr(0, size));
    UnityProject cut = project;
    cut.files.add(kRoot, text.substr(0, size));
    const auto [rules, is_reported] = stops_of(cut.files);
    CHECK_FALSE(rules.empty());
    CHECK(is_reported);
  }
}

TEST_CASE("A guid that a registry's script shares with another asset stops the build",
          "[registry][rules]") {
  const auto [name, stops, reason] = GENERATE(table<std::string, bool, std::string>(
      {{"ReplicatedEntityRegistry", true, "the script of a registry"},
       {"AssetRegistryRoot", true, "the script of a root"},
       {"Unused", false, "a script without assets"}}));
  CAPTURE(name, reason);
  UnityProject project = project_with_roots();
  project.script("Unused");
  const std::string meta = "Assets/Scripts/" + name + ".cs.meta";
  ByteVector buffer;
  const auto text = project.files.read(AssetPath::parse(meta).value(), 0, 1 << 10, buffer);
  REQUIRE(text.has_value());
  // The index keeps the first of two files with one guid.
  project.files.add("Assets/A.txt", "text");
  project.files.add("Assets/A.txt.meta", std::string(as_text(text.value())));
  CHECK(stops_of(project.files).first ==
        (stops ? std::set<std::string>{"duplicate-guid"} : std::set<std::string>{}));
}

TEST_CASE("Unreadable files do not stop a project without registries", "[registry][rules]") {
  UnityProject project;
  project.file("Assets/Empty.asset", "");
  CHECK(stops_of(project.files) == Stops{{}, false});
}

}  // namespace
}  // namespace muster
