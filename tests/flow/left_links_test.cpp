// Of a target that is left alone, links may lead into the one that is built.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include <catch2/catch.hpp>

#include "registry/vocabulary/disk_file_system.h"
#include "tests/support/incremental_builds.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

using testing::Settings;
using testing::UnityProject;

/// Two crates that both sides have alike, and what they share.
UnityProject project_of_crates() {
  UnityProject project;
  project.files.add("muster.yaml",
                    "version: 1\nfolders: [Assets]\nclasses:\n  CrateRegistry:\n"
                    "    entries: entries\n    references:\n"
                    "    - {path: crate, strength: strong, targets: [client, server]}\n");
  const Guid data = project.file("Assets/Big.dat", std::string(5000, 'x'));
  std::string entries;
  for (const std::string name : {"Box", "Tin"}) {
    const Guid crate = project.file(
        "Assets/" + name + ".yaml",
        "class: Prefab\nroot: {name: " + name + "}\nuses: [" + UnityProject::strong(data) + "]\n");
    entries += "- {type_id: " + std::to_string(name == "Tin") +
               ", crate: " + UnityProject::strong(crate) + "}\n";
  }
  project.file("Assets/crates.yaml", "class: CrateRegistry\nentries:\n" + entries);
  return project;
}

void change_all(UnityProject& project) {
  for (const char* const path : {"Assets/Big.dat", "Assets/Box.yaml", "Assets/Tin.yaml"}) {
    const std::string text(as_text(project.files.files().at(AssetPath::parse(path).value())));
    project.files.add(path, text + "more: 1\n");
  }
}

std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (const auto& entry : fs::recursive_directory_iterator(folder, options)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    files[entry.path().lexically_relative(folder)] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return files;
}

void link_files(const fs::path& folder, const fs::path& twin) {
  for (const auto& entry : fs::directory_iterator(twin)) {
    const fs::path path = folder / entry.path().filename();
    fs::remove(path);
    fs::create_symlink(fs::relative(entry.path(), folder), path);
  }
}

void link_folder(const fs::path& folder, const fs::path& twin) {
  fs::remove_all(folder);
  fs::create_directory_symlink(fs::relative(twin, folder.parent_path()), folder);
}

TEST_CASE("A target that a build leaves alone is what it was, though it is links into the other",
          "[flow][incremental][sys-12]") {
  const Target built = GENERATE(Target::client, Target::server);
  const bool is_by_folder = GENERATE(false, true);
  const TemporaryFolder folder;
  auto output = DiskFileSystem::open(folder.path());
  REQUIRE(output.has_value());
  DiskFileSystem& files = output.value();
  UnityProject project = project_of_crates();
  REQUIRE(testing::build(project.files, files, files, Settings{}).is_built);

  const fs::path root = folder.path();
  const fs::path twin = root / folder_of(built);
  const fs::path left = root / folder_of(built == Target::client ? Target::server : Target::client);
  for (const char* const kind : {"bundles", "shared"}) {
    REQUIRE(files_in(left / kind) == files_in(twin / kind));
    is_by_folder ? link_folder(left / kind, twin / kind) : link_files(left / kind, twin / kind);
  }
  const auto before = files_in(left);
  if (!is_by_folder) {
    fs::create_symlink("/nowhere", left / "bundles/broken");
    fs::create_symlink("/etc/passwd", left / "bundles/outside");
  }

  change_all(project);
  const Settings alone{.options = {.targets = built, .level = 1, .jobs = 1}};
  REQUIRE(testing::build(project.files, files, files, alone).packed == 3);
  CHECK(files_in(left) == before);
  CHECK(files_in(twin / "bundles") != files_in(left / "bundles"));
}

}  // namespace
}  // namespace muster
