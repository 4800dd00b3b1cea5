#include "registry/project/asset_index.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "registry/project/folded_name.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using Kind = IndexProblem::Kind;

constexpr std::string_view kFirst = "4f8a1c35d9e24b7093c6a5e8127fd0b1";
constexpr std::string_view kSecond = "b17d90e2c35f4a68817e4d20c9a3f65b";

std::string meta(std::string_view guid, std::string_view more = {}) {
  return "fileFormatVersion: 2\nguid: " + std::string(guid) + "\n" + std::string(more);
}

AssetIndex index_of(const FileReader& files, const std::vector<std::string>& folders = {"Assets"},
                    unsigned jobs = 1) {
  ProjectConfig config;
  for (const std::string& folder : folders) {
    config.folders.push_back(AssetPath::parse(folder).value());
  }
  auto index = build_asset_index(files, config, jobs, {});
  REQUIRE(index.has_value());
  return std::move(index).value();
}

std::set<std::pair<Kind, std::string>> problems_of(const AssetIndex& index) {
  std::set<std::pair<Kind, std::string>> found;
  for (const IndexProblem& problem : index.problems()) {
    found.emplace(problem.kind, problem.path.text());
  }
  CHECK(found.size() == index.problems().size());
  return found;
}

AssetNumber find(const AssetIndex& index, const std::string& path) {
  return index.find(AssetPath::parse(path).value());
}

TEST_CASE("Assets are found by guid and by path", "[registry][index]") {
  MemoryFileSystem files;
  files.add("Assets/b.txt", "");
  files.add("Assets/b.txt.meta", meta(kFirst));
  files.add("Assets/Folder/deep.txt", "");
  files.add("Assets/Folder/deep.txt.meta", meta("11aa5e3f0c7d48b6923e8f01d45c7ba2"));
  files.add("Assets/Folder.meta", meta(kSecond, "folderAsset: yes\n"));
  const AssetIndex index = index_of(files);
  CHECK(problems_of(index).empty());
  REQUIRE(index.assets().size() == 3);
  CHECK(std::ranges::is_sorted(index.assets(), {}, &Asset::path));
  CHECK(index.at(index.find(Guid::parse(kFirst).value())).path.text() == "Assets/b.txt");
  CHECK(index.at(find(index, "Assets/Folder")).is_folder);
  CHECK_FALSE(index.at(find(index, "Assets/Folder/deep.txt")).is_folder);
  CHECK(find(index, "Assets/b.txt.meta") == kNoAsset);
  CHECK(find(index, "Assets/c.txt") == kNoAsset);
  CHECK(index.find(Guid()) == kNoAsset);
}

TEST_CASE("Files that Unity ignores are ignored", "[registry][index]") {
  const std::string name =
      GENERATE(".hidden", ".git", "Samples~", "cvs", "CVS", "note.tmp", "NOTE.TMP", "~", ".");
  CAPTURE(name);
  CHECK(is_ignored_name(name));
  if (name == ".") return;
  MemoryFileSystem files;
  files.add("Assets/" + name + "/a.txt", "");
  files.add("Assets/" + name + "/a.txt.meta", meta(kFirst));
  const AssetIndex index = index_of(files);
  CHECK(index.assets().empty());
  CHECK(problems_of(index).empty());
}

TEST_CASE("Generated folders of the editor are ignored, but only at the top of a project",
          "[registry][index]") {
  MemoryFileSystem files;
  for (const char* folder : {"Library", "Temp", "obj", "Logs", "UserSettings"}) {
    files.add(std::string(folder) + "/a.txt", "");
    files.add(std::string(folder) + "/a.txt.meta", meta(kFirst));
  }
  files.add("Game/Library/b.txt", "");
  files.add("Game/Library/b.txt.meta", meta(kSecond));
  ProjectConfig config;
  config.folders = {AssetPath()};
  const auto index = build_asset_index(files, config, 1, {});
  REQUIRE(index.has_value());
  REQUIRE(index.value().assets().size() == 1);
  CHECK(index.value().assets()[0].path.text() == "Game/Library/b.txt");
}

TEST_CASE("A long sidecar is read completely", "[registry][index]") {
  MemoryFileSystem files;
  const std::string filler = "  spriteID: 0\n";
  std::string longer = "fileFormatVersion: 2\n";
  while (longer.size() < 20'000) longer += filler;
  files.add("Assets/a.png", "");
  files.add("Assets/a.png.meta", longer + "guid: " + std::string(kFirst) + "\n");
  files.add("Assets/b.png", "");
  files.add("Assets/b.png.meta", meta(kSecond) + longer + "<<<<<<< HEAD\n");
  const AssetIndex index = index_of(files);
  CHECK(index.find(Guid::parse(kFirst).value()) != kNoAsset);
  CHECK(problems_of(index).contains({Kind::merge_conflict, "Assets/b.png.meta"}));
}

TEST_CASE("The index records whether a sidecar contains references", "[registry][index]") {
  const std::string other(kSecond);
  const auto [more, mentions] = GENERATE_COPY(table<std::string, bool>(
      {{"TextureImporter:\n  maxTextureSize: 64\n", false},
       {"ModelImporter:\n  material: {fileID: 2100000, guid: " + other + ", type: 2}\n", true},
       {"ScriptedImporter:\n  look: \"{\\\"guid\\\":\\\"" + other + "\\\"}\"\n", true},
       {std::string(20'000, '#') + "\n  look: {fileID: 1, guid: " + other + ", type: 2}\n",
        true}}));
  CAPTURE(more);
  MemoryFileSystem files;
  files.add("Assets/a.png", "");
  files.add("Assets/a.png.meta", meta(kFirst, more));
  const AssetIndex index = index_of(files);
  REQUIRE(index.assets().size() == 1);
  CHECK(index.at(0).has_mentions_in_meta == mentions);
}

TEST_CASE("Names that are only similar to ignored names are not ignored", "[registry][index]") {
  const std::string name = GENERATE("a.b", "~a", "tmp", "cvs2", "x.tmp2", "Library", "Temp");
  CAPTURE(name);
  CHECK_FALSE(is_ignored_name(name));
}

TEST_CASE("Files directly in Packages need no sidecar; files inside a package do",
          "[registry][index]") {
  MemoryFileSystem files;
  files.add("Packages/manifest.json", "{}");
  files.add("Packages/com.own.tool/package.json", "{}");
  files.add("Packages/com.own.tool/package.json.meta", meta(kFirst));
  files.add("Packages/com.own.tool/Runtime/a.cs", "");
  files.add("Packages/com.own.tool/Runtime/a.cs.meta", meta(kSecond));
  const AssetIndex index = index_of(files, {"Packages"});
  CHECK(index.assets().size() == 2);
  CHECK(problems_of(index) == std::set<std::pair<Kind, std::string>>{
                                  {Kind::missing_meta, "Packages/com.own.tool/Runtime"}});
}

TEST_CASE("Each fault of a sidecar is reported as one problem", "[registry][index]") {
  MemoryFileSystem files;
  files.add("Assets/bare.txt", "");
  files.add("Assets/lost.txt.meta", meta("c0ffd00d5e7a41b2986f3d2a71e8450b"));
  files.add("Assets/one.txt", "");
  files.add("Assets/one.txt.meta", meta(kFirst));
  files.add("Assets/two.txt", "");
  files.add("Assets/two.txt.meta", meta(kFirst));
  files.add("Assets/bad.txt", "");
  files.add("Assets/bad.txt.meta", meta("123"));
  files.add("Assets/big.txt", "");
  files.add("Assets/big.txt.meta", meta("AB7D90E2C35F4A68817E4D20C9A3F65C"));
  files.add("Assets/typed.txt", "");
  files.add("Assets/typed.txt.meta", meta("11111111111111111111111111111111"));
  files.add("Assets/torn.txt", "");
  files.add("Assets/torn.txt.meta", "<<<<<<< HEAD\n" + meta(kSecond));
  files.add("Assets/far.txt", "");
  files.add("Assets/far.txt.meta", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
  const AssetIndex index = index_of(files);
  CHECK(problems_of(index) ==
        std::set<std::pair<Kind, std::string>>{{Kind::missing_meta, "Assets/bare.txt"},
                                               {Kind::orphan_meta, "Assets/lost.txt.meta"},
                                               {Kind::duplicate_guid, "Assets/two.txt"},
                                               {Kind::malformed_guid, "Assets/bad.txt.meta"},
                                               {Kind::upper_case_guid, "Assets/big.txt.meta"},
                                               {Kind::placeholder_guid, "Assets/typed.txt.meta"},
                                               {Kind::merge_conflict, "Assets/torn.txt.meta"},
                                               {Kind::lfs_pointer, "Assets/far.txt.meta"}});
  for (const IndexProblem& problem : index.problems()) {
    if (problem.kind != Kind::duplicate_guid) continue;
    CHECK(problem.other.text() == "Assets/one.txt");
    CHECK(problem.guid == Guid::parse(kFirst).value());
  }
  CHECK(index.at(index.find(Guid::parse(kFirst).value())).path.text() == "Assets/one.txt");
}

TEST_CASE("Names that differ only in case clash; sidecars are ignored", "[registry][index]") {
  MemoryFileSystem files;
  for (const std::string name : {"Crate.mat", "crate.mat"}) {
    files.add("Assets/" + name, "");
    files.add("Assets/" + name + ".meta", meta(name == "Crate.mat" ? kFirst : kSecond));
  }
  const AssetIndex index = index_of(files);
  CHECK(problems_of(index) ==
        std::set<std::pair<Kind, std::string>>{{Kind::case_clash, "Assets/crate.mat"}});
}

TEST_CASE("Names clash if a file system treats them as equal", "[registry][index]") {
  const auto [one, other, clash] = GENERATE(table<std::string, std::string, bool>({
      {"\u00C9tage.mat", "\u00E9tage.mat", true},
      {"\u00E9tage.mat", "e\u0301tage.mat", true},
      {"\u00C9tage.mat", "e\u0301tage.mat", true},
      {"\u0160koda", "\u0161KODA", true},
      {"\u0393\u03AC\u03C4\u03B1", "\u03B3\u0386\u03A4\u0391", true},
      {"\u0401\u0416.mat", "\u0435\u0308\u0436.mat", true},
      {"\u0439", "\u0418\u0306", true},
      {"\u00E9tage.mat", "\u00E8tage.mat", false},
      {"\u00E9tage.mat", "etage.mat", false},
      {"\u00D7", "\u00F7", false},
      {"\xC9tage", "\xE9tage", false},
  }));
  CAPTURE(one, other);
  CHECK((folded_name(one) == folded_name(other)) == clash);
  MemoryFileSystem files;
  files.add("Assets/" + one, "");
  files.add("Assets/" + other, "");
  const AssetIndex index = index_of(files);
  const auto problems = problems_of(index);
  CHECK(std::ranges::any_of(problems, [](const auto& problem) {
          return problem.first == Kind::case_clash;
        }) == clash);
}

TEST_CASE("Folders that contain each other are visited once", "[registry][index]") {
  MemoryFileSystem files;
  files.add("Assets/Sub/a.txt", "");
  files.add("Assets/Sub/a.txt.meta", meta(kFirst));
  files.add("Assets/Sub.meta", meta(kSecond, "folderAsset: yes\n"));
  const auto folders = GENERATE(std::vector<std::string>{"Assets", "Assets/Sub"},
                                std::vector<std::string>{"Assets/Sub", "Assets"},
                                std::vector<std::string>{"Assets", "Assets"});
  const AssetIndex index = index_of(files, folders);
  CHECK(index.assets().size() == 2);
  CHECK(problems_of(index).empty());
}

TEST_CASE("Links are followed inside the project, and a cycle of links ends the walk",
          "[registry][index]") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  folder.put("Assets/Real/a.txt", "");
  folder.put("Assets/Real/a.txt.meta", meta(kFirst));
  folder.put("Assets/Real.meta", meta(kSecond, "folderAsset: yes\n"));
  folder.put("Shared/b.txt", "");
  folder.put("Shared/b.txt.meta", meta("11aa5e3f0c7d48b6923e8f01d45c7ba2"));
  elsewhere.put("c.txt", "");
  const std::filesystem::path assets = std::filesystem::path(folder.path()) / "Assets";
  std::filesystem::create_directory_symlink("..", assets / "Real" / "Up");
  std::filesystem::create_directory_symlink(".", assets / "Real" / "Same");
  std::filesystem::create_directory_symlink("../Shared", assets / "Linked");
  std::filesystem::create_directory_symlink(elsewhere.path(), assets / "Outside");
  std::filesystem::create_symlink("nowhere", assets / "Broken");
  std::filesystem::create_symlink("Round", assets / "Round");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const AssetIndex index = index_of(files.value());
  CHECK(find(index, "Assets/Linked/b.txt") != kNoAsset);
  CHECK(index.assets().size() == 3);
  const auto problems = problems_of(index);
  CHECK(problems.contains({Kind::link_circle, "Assets/Real/Up"}));
  CHECK(problems.contains({Kind::link_circle, "Assets/Real/Same"}));
  CHECK(problems.contains({Kind::outside_link, "Assets/Outside"}));
  CHECK(problems.contains({Kind::outside_link, "Assets/Broken"}));
  CHECK(problems.contains({Kind::outside_link, "Assets/Round"}));
}

TEST_CASE("A link that leads outside the project is not an asset, with or without a sidecar",
          "[registry][index]") {
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  elsewhere.put("registry.asset", "secret");
  elsewhere.put("inner/d.txt", "");
  elsewhere.put("inner/d.txt.meta", meta(kSecond));
  folder.put("Assets/registry.asset.meta", meta(kFirst));
  const std::filesystem::path assets = std::filesystem::path(folder.path()) / "Assets";
  const std::filesystem::path outside(elsewhere.path());
  std::filesystem::create_symlink(outside / "registry.asset", assets / "registry.asset");
  std::filesystem::create_directory_symlink(outside, assets / "Link");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const AssetIndex index = index_of(files.value(), {"Assets"});
  CHECK(index.assets().empty());
  CHECK(problems_of(index) ==
        std::set<std::pair<Kind, std::string>>{{Kind::outside_link, "Assets/Link"},
                                               {Kind::outside_link, "Assets/registry.asset"}});
  const AssetIndex through = index_of(files.value(), {"Assets/Link/inner"});
  CHECK(through.assets().empty());
  CHECK(problems_of(through).contains({Kind::outside_link, "Assets/Link/inner"}));
}

TEST_CASE("A sidecar of a file that Unity ignores is neither an asset nor an orphan",
          "[registry][index]") {
  MemoryFileSystem files;
  files.add("Assets/Samples~/a.txt", "");
  files.add("Assets/Samples~.meta", meta(kFirst, "folderAsset: yes\n"));
  files.add("Assets/b.tmp", "");
  files.add("Assets/b.tmp.meta", meta(kSecond));
  const AssetIndex index = index_of(files);
  CHECK(index.assets().empty());
  CHECK(index.problems().empty());
}

TEST_CASE("The index does not depend on the number of threads", "[registry][index]") {
  const auto files = DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena");
  REQUIRE(files.has_value());
  const AssetIndex one = index_of(files.value(), {"Assets", "plain"}, 1);
  const AssetIndex many = index_of(files.value(), {"Assets", "plain"}, 5);
  REQUIRE(one.assets().size() == many.assets().size());
  for (AssetNumber i = 0; i < one.assets().size(); ++i) {
    CHECK((one.at(i).path == many.at(i).path && one.at(i).guid == many.at(i).guid));
  }
}

TEST_CASE("A request to stop ends the walk", "[registry][index]") {
  MemoryFileSystem files;
  files.add("Assets/a.txt", "");
  files.add("Assets/a.txt.meta", meta(kFirst));
  ProjectConfig config;
  config.folders = {AssetPath::parse("Assets").value()};
  std::stop_source stop;
  stop.request_stop();
  const auto index = build_asset_index(files, config, 1, stop.get_token());
  REQUIRE_FALSE(index.has_value());
  CHECK(index.error().code == ErrorCode::cancelled);
}

}  // namespace
}  // namespace muster
