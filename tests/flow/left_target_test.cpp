// Tests when bundles can be reused after builds of one target, and from outputs without a state.
#include <catch2/catch.hpp>

#include "tests/support/incremental_builds.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

using testing::build;
using testing::differences;
using testing::Settings;
using testing::UnityProject;

/// A project with a prefab whose bundle members differ between client and server, and a large file
/// whose level depends on its extension.
UnityProject project_of_data() {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\ncompression: {kinds: {dat: 19}}\nclasses:\n"
                    "  CrateRegistry:\n    entries: entries\n    references:\n"
                    "    - {path: crate, strength: strong, targets: [client, server]}\n");
  const Guid health = project.script("Health");
  const Guid paint = project.file("Assets/Paint.mat",
                                  "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n  m_Name: Paint\n");
  std::string text;
  for (int i = 0; i < 40000; ++i) text += static_cast<char>('a' + (i * i) % 23);
  const Guid data = project.file("Assets/Big.dat", text);
  // The server omits the material, so that client and server have no equal bundle.
  const Guid box = project.prefab(
      "Assets/Box.prefab", {{health, "  data: " + UnityProject::strong(data) +
                                         "\n  paint: " + UnityProject::strong(paint) + "\n"}});
  project.file("Assets/crates.yaml", "class: CrateRegistry\nentries:\n- type_id: 0\n  crate: " +
                                         UnityProject::strong(box) + "\n");
  return project;
}

TEST_CASE("A bundle is not reused after its file was renamed", "[flow][incremental][sys-12]") {
  UnityProject project = project_of_data();
  const Settings client{.options = {.targets = Target::client, .level = 1, .jobs = 1}};
  const Settings server{.options = {.targets = Target::server, .level = 1, .jobs = 1}};
  MemoryFileSystem output;
  REQUIRE(build(project.files, output, output, Settings{}).is_built);
  SECTION("the file is packed differently under the new name") {
    project.move("Assets/Big.dat", "Assets/Big.bin");
  }
  SECTION("the file is packed the same way under the new name") {
    project.move("Assets/Big.dat", "Assets/Large.dat");
  }
  REQUIRE(build(project.files, output, output, client).is_built);
  REQUIRE(build(project.files, output, output, server).is_built);
  MemoryFileSystem clean;
  REQUIRE(build(project.files, clean, clean, client).is_built);
  REQUIRE(build(project.files, clean, clean, server).is_built);
  CHECK(differences(output, clean).empty());
}

TEST_CASE("The catalog of an output without a state gives the names of its files",
          "[flow][incremental][sys-12]") {
  UnityProject project = project_of_data();
  MemoryFileSystem output;
  REQUIRE(build(project.files, output, output, Settings{}).is_built);
  REQUIRE(output.remove(AssetPath().child(kStateName)).has_value());
  SECTION("the renamed file is packed differently") {
    project.move("Assets/Big.dat", "Assets/Big.bin");
  }
  SECTION("the renamed file is packed the same way") {
    project.move("Assets/Big.dat", "Assets/Large.dat");
  }
  REQUIRE(build(project.files, output, output, Settings{}).is_built);
  MemoryFileSystem clean;
  REQUIRE(build(project.files, clean, clean, Settings{}).is_built);
  CHECK(differences(output, clean).empty());
}

}  // namespace
}  // namespace muster
