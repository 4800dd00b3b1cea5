// A build of one target must not change the other target, even if the other target contains links
// into the built target.
#include <filesystem>
#include <map>

#include <catch2/catch.hpp>

#include "bundler/plan/output_names.h"
#include "registry/base/disk_file_system.h"
#include "tests/support/incremental_builds.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/unity_project.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

using testing::Settings;
using testing::UnityProject;

/// Two crates that are equal for client and server, and an asset that both use.
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

using Contents = std::map<std::string, std::string>;

/// Returns the files below a folder, including the targets of links.
Contents files_in(const FileReader& files, const AssetPath& folder) {
  Contents found;
  const auto entries = files.list(folder);
  REQUIRE(entries.has_value());
  for (const DirectoryEntry& entry : entries.value()) {
    const AssetPath path = folder.child(entry.name);
    if (entry.kind == FileKind::folder) {
      for (auto& [name, text] : files_in(files, path)) found[entry.name + "/" + name] = text;
    } else if (entry.kind == FileKind::file) {
      ByteVector buffer;
      const auto bytes = read_whole(files, path, 1 << 20, buffer);
      REQUIRE(bytes.has_value());
      found[entry.name] = as_text(bytes.value());
    }
  }
  return found;
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

/// An output on a disk, built for both targets.
struct BuiltCrates {
  BuiltCrates() { REQUIRE(testing::build(project.files, files, files, Settings{}).is_built); }
  fs::path on_disk(const AssetPath& path) const { return fs::path(files.root()) / path.text(); }

  TemporaryFolder folder;
  DiskFileSystem files = DiskFileSystem::open(folder.path()).value();
  UnityProject project = project_of_crates();
};

TEST_CASE("A build of one target does not change the other target that has links into it",
          "[flow][incremental][sys-12]") {
  const Target built = GENERATE(Target::client, Target::server);
  const bool is_by_folder = GENERATE(false, true);
  BuiltCrates crates;
  DiskFileSystem& files = crates.files;

  const AssetPath twin = AssetPath().child(folder_of(built));
  const AssetPath left =
      AssetPath().child(folder_of(built == Target::client ? Target::server : Target::client));
  for (const std::string kind : {"bundles", "shared"}) {
    REQUIRE(files_in(files, left.child(kind)) == files_in(files, twin.child(kind)));
    const fs::path folder = crates.on_disk(left.child(kind));
    const fs::path target = crates.on_disk(twin.child(kind));
    is_by_folder ? link_folder(folder, target) : link_files(folder, target);
  }
  const Contents before = files_in(files, left);

  change_all(crates.project);
  const Settings alone{.options = {.targets = built, .level = 1, .jobs = 1}};
  REQUIRE(testing::build(crates.project.files, files, files, alone).packed == 3);
  CHECK(files_in(files, left) == before);
  CHECK(files_in(files, twin.child("bundles")) != files_in(files, left.child("bundles")));

  // A build is refused if the other target contains a link out of the output, or to a missing file.
  if (is_by_folder) return;
  link_files(crates.on_disk(left.child("shared")), crates.on_disk(twin.child("shared")));
  const fs::path link = crates.on_disk(left) / "bundles/link";
  for (const char* const target : {"/etc/passwd", "../nowhere"}) {
    fs::remove(link);
    fs::create_symlink(target, link);
    change_all(crates.project);
    CHECK_FALSE(testing::build(crates.project.files, files, files, alone).is_built);
    CHECK(fs::is_symlink(link));
  }
}

TEST_CASE("A target that is a link is refused before any file is replaced",
          "[flow][incremental][sys-12]") {
  BuiltCrates crates;
  DiskFileSystem& files = crates.files;
  const AssetPath client = AssetPath().child("client");
  const Contents before = files_in(files, client);
  link_folder(crates.on_disk(AssetPath().child("server")), crates.on_disk(client));
  change_all(crates.project);
  CHECK_FALSE(testing::build(crates.project.files, files, files, Settings{}).is_built);
  CHECK(files_in(files, client) == before);
  CHECK(OutputFolder::needs_recovery(files).value() == false);
  fs::create_directory(fs::path(files.root()) / ".muster-publish");  // an interrupted publication
  CHECK_FALSE(testing::build(crates.project.files, files, files, Settings{}).is_built);
  CHECK(files_in(files, client) == before);
}

}  // namespace
}  // namespace muster
