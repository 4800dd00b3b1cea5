#include "bundler/cli/edges.h"

#include <filesystem>

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

namespace muster::cli {
namespace {

namespace fs = std::filesystem;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

TEST_CASE("Two builds do not write into one folder at once", "[bundler][cli]") {
  const TemporaryFolder folder;
  auto first = LockedOutput::open(folder.path());
  REQUIRE(first.has_value());
  const auto second = LockedOutput::open(folder.path());
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::busy);
  first.value().reset();
  CHECK(LockedOutput::open(folder.path()).has_value());
}

TEST_CASE("A folder that was created for a build goes when nothing was published",
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
  CHECK_FALSE(fs::exists(out));
  {
    const auto output = LockedOutput::open(out + end);
    REQUIRE(output.value()->folder().stage(path("client/a"), as_bytes("x")).has_value());
    REQUIRE(output.value()->folder().publish().has_value());
  }
  CHECK(fs::exists(out + "/client/a"));
}

TEST_CASE("A folder that was there stays, also an empty one", "[bundler][cli]") {
  const TemporaryFolder folder;
  CHECK(LockedOutput::open(folder.path()).has_value());
  CHECK(fs::exists(folder.path()));
}

TEST_CASE("Somebody's documents get no lock file", "[bundler][cli]") {
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

TEST_CASE("A file is found through its folder", "[bundler][cli]") {
  const TemporaryFolder folder;
  folder.put("a/b.txt", "hello");
  const auto place = open_folder_of(folder.path() + "/a/b.txt");
  REQUIRE(place.has_value());
  ByteVector buffer;
  CHECK(as_text(read_whole(*place.value().folder, place.value().name, 9, buffer).value()) ==
        "hello");
  CHECK(open_folder_of(folder.path() + "/a/").error().code == ErrorCode::invalid_argument);
  CHECK(open_folder_of(folder.path() + "/x/b").error().code == ErrorCode::not_found);
}

TEST_CASE("A path that does not exist yet is resolved as far as it does", "[bundler][cli]") {
  const TemporaryFolder folder;
  const std::string real = resolved(folder.path());
  folder.put("a/b", "");
  fs::create_directory_symlink(folder.path() + "/a", folder.path() + "/link");
  CHECK(resolved(folder.path() + "/link/") == real + "/a");
  CHECK(resolved(folder.path() + "/link/x/y") == real + "/a/x/y");
}

}  // namespace
}  // namespace muster::cli
