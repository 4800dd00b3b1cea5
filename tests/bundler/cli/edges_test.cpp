#include "bundler/cli/edges.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

TEST_CASE("Two builds do not write into one folder at the same time", "[bundler][cli]") {
  const TemporaryFolder folder;
  auto first = LockedOutput::open(folder.path());
  REQUIRE(first.has_value());
  const auto second = LockedOutput::open(folder.path());
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::busy);
  first.value().reset();
  CHECK(LockedOutput::open(folder.path()).has_value());
}

TEST_CASE("A folder that was created for a build is removed if nothing was published",
          "[bundler][cli][sys-12]") {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/deep/out";
  const std::string end = GENERATE("", "/");
  {
    const auto output = LockedOutput::open(out + end);
    REQUIRE(output.has_value());
    REQUIRE(output.value()->folder().stage(path("client/a"), as_bytes("x")).has_value());
    CHECK_FALSE(LockedOutput::open(out).has_value());
    CHECK(fs::exists(out + "/.muster-staging/client/a"));
  }
  CHECK_FALSE(fs::exists(folder.path() + "/deep"));
  {
    const auto output = LockedOutput::open(out + end);
    REQUIRE(output.value()->folder().stage(path("client/a"), as_bytes("x")).has_value());
    REQUIRE(output.value()->folder().publish().has_value());
  }
  CHECK(fs::exists(out + "/client/a"));
}

TEST_CASE("A folder that existed before a build is not removed, even if it is empty",
          "[bundler][cli]") {
  const TemporaryFolder folder;
  CHECK(LockedOutput::open(folder.path()).has_value());
  CHECK(fs::exists(folder.path()));
}

TEST_CASE("The project of a folder is the nearest parent folder that is certainly a project",
          "[bundler][cli]") {
  const TemporaryFolder folder;
  const std::string at = folder.path() + "/game/Assets/Plugin/Assets/Icons";
  folder.put("game/Assets/Plugin/Assets/Icons/a.png", "x");
  const auto same = [&](const std::string& found, const std::string& wanted) {
    return resolved(found).value() == resolved(folder.path() + wanted).value();
  };
  CHECK(same(project_above(at), "/game/Assets/Plugin"));
  SECTION("a parent folder has the settings of an editor") {
    folder.put("game/ProjectSettings/ProjectVersion.txt", "x");
    CHECK(same(project_above(at), "/game"));
  }
  SECTION("a parent folder has muster.yaml") {
    folder.put("game/muster.yaml", "version: 1\n");
    CHECK(same(project_above(at), "/game"));
    folder.put("game/Assets/Plugin/muster.yaml", "version: 1\n");
    CHECK(same(project_above(at), "/game/Assets/Plugin"));
  }
}

TEST_CASE("A folder of foreign files gets no lock file", "[bundler][cli]") {
  const TemporaryFolder folder;
  folder.put("thesis.txt", "ten years");
  const auto output = LockedOutput::open(folder.path());
  REQUIRE_FALSE(output.has_value());
  CHECK(output.error().code == ErrorCode::already_exists);
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-lock"));
}

TEST_CASE("Only an interrupted output is repaired, and only by one process", "[bundler][cli]") {
  const TemporaryFolder folder;
  CHECK(recover_output(folder.path()).has_value());
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-lock"));
  folder.put(".muster-publish/parts", "");
  {
    const auto lock = FolderLock::acquire(folder.path(), std::string(OutputFolder::kLockName));
    CHECK(recover_output(folder.path()).error().code == ErrorCode::busy);
    CHECK(fs::exists(folder.path() + "/.muster-publish"));
  }
  CHECK(recover_output(folder.path()).has_value());
  CHECK_FALSE(fs::exists(folder.path() + "/.muster-publish"));
}

TEST_CASE("A file is found relative to its folder", "[bundler][cli]") {
  const TemporaryFolder folder;
  folder.put("a/b.txt", "hello");
  const auto file = open_folder_of(folder.path() + "/a/b.txt");
  REQUIRE(file.has_value());
  ByteVector buffer;
  CHECK(as_text(read_whole(*file.value().folder, file.value().name, 9, buffer).value()) == "hello");
  CHECK(open_folder_of(folder.path() + "/a/").error().code == ErrorCode::invalid_argument);
  CHECK(open_folder_of(folder.path() + "/x/b").error().code == ErrorCode::not_found);
}

TEST_CASE("A file that is named through a link is replaced at its real path", "[bundler][cli]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("real/report.txt", "before");
  fs::create_directory(base / "links");
  fs::create_symlink(base / "real/report.txt", base / "links/absolute");
  fs::create_symlink("../real/report.txt", base / "links/relative");
  fs::create_symlink("../real/new.txt", base / "links/broken");
  for (const std::string name : {"absolute", "relative", "broken"}) {
    CAPTURE(name);
    const std::string link = (base / "links" / name).string();
    REQUIRE(write_named_file(link, as_bytes(name)).has_value());
    CHECK(fs::is_symlink(link));
    const auto file = open_folder_of(link);
    REQUIRE(file.has_value());
    ByteVector buffer;
    CHECK(as_text(read_whole(*file.value().folder, file.value().name, 99, buffer).value()) == name);
  }
  CHECK(fs::exists(base / "real/new.txt"));
  CHECK(write_named_file("/dev/null", as_bytes("x")).has_value());
  CHECK(write_named_file("/dev/full", as_bytes("x")).error().code == ErrorCode::no_space);
  CHECK(write_named_file(folder.path() + "/links", as_bytes("x")).error().code == ErrorCode::io);
}

TEST_CASE("The existing part of a path that does not exist yet is resolved", "[bundler][cli]") {
  const TemporaryFolder folder;
  const std::string& base = folder.path();
  const std::string real = fs::canonical(base).string();
  folder.put("a/b/c", "");
  fs::create_directory_symlink(base + "/a/b", base + "/link");
  const auto [path, expected] = GENERATE(table<std::string, std::string>({
      {"", ""},
      {"/.//", ""},
      {"/link/", "/a/b"},
      {"/link/x/y", "/a/b/x/y"},
      {"/link/..", "/a"},            // The kernel resolves the link first.
      {"/new/../a/x", "/a/x"},       // A missing folder is not a link.
      {"/new/../link/x", "/a/b/x"},  // A later part is a link.
      {"/new/deep/../../link/..", "/a"},
      {"/link/../../new", "/new"},
  }));
  CAPTURE(path);
  const auto found = resolved(base + path);
  REQUIRE(found.has_value());
  CHECK(found.value() == real + expected);
  CHECK(resolved("/../..").value() == "/");
  CHECK(resolved("new").value() == fs::current_path().string() + "/new");
  CHECK(resolved("").error().code == ErrorCode::invalid_argument);
}

TEST_CASE(
    "The folders of an output are created at the resolved path, and no other folders are created",
    "[bundler][cli]") {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/new/../a/b/../out";
  {
    const auto output = LockedOutput::open(out);
    REQUIRE(output.has_value());
    CHECK(fs::exists(folder.path() + "/a/out"));
    CHECK_FALSE(fs::exists(folder.path() + "/new"));
    CHECK_FALSE(fs::exists(folder.path() + "/a/b"));
    folder.put("a/note.txt", "somebody's");
  }
  CHECK_FALSE(fs::exists(folder.path() + "/a/out"));
  CHECK(fs::exists(folder.path() + "/a/note.txt"));
  CHECK_FALSE(LockedOutput::open(folder.path() + "/x/y/" + std::string(300, 'z')).has_value());
  CHECK_FALSE(fs::exists(folder.path() + "/x"));
}

}  // namespace
}  // namespace muster::cli
