#include "registry/base/disk_file_system.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/temporary_folder.h"

using namespace muster;
namespace fs = std::filesystem;

namespace {

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

FileKind kind_of(const FileReader& files, std::string_view path) {
  const auto info = files.stat(path_of(path));
  REQUIRE(info.has_value());
  CHECK(info.value().is_link);
  return info.value().kind;
}

}  // namespace

TEST_CASE("A link inside the folder is treated like its target", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path root = fs::path(folder.path()) / "project";
  folder.put("project/real/file", "1");
  folder.put("project-other/secret", "2");
  fs::create_symlink("real/file", root / "to_file");
  fs::create_symlink("real", root / "to_folder");
  fs::create_symlink(root / "real", root / "absolute");
  fs::create_symlink("..", root / "to_outside");
  fs::create_symlink("../project-other", root / "to_namesake");
  fs::create_symlink("/etc/passwd", root / "to_system");
  fs::create_symlink("nowhere", root / "broken");
  fs::create_symlink("circle_b", root / "circle_a");
  fs::create_symlink("circle_a", root / "circle_b");
  fs::create_symlink(".", root / "to_root");
  const auto files = DiskFileSystem::open(root.string());
  REQUIRE(files.has_value());
  CHECK(kind_of(files.value(), "to_file") == FileKind::file);
  CHECK(kind_of(files.value(), "to_folder") == FileKind::folder);
  CHECK(kind_of(files.value(), "absolute") == FileKind::folder);
  CHECK(kind_of(files.value(), "to_root") == FileKind::folder);
  CHECK(kind_of(files.value(), "to_outside") == FileKind::outside_link);
  CHECK(kind_of(files.value(), "to_namesake") == FileKind::outside_link);
  CHECK(kind_of(files.value(), "to_system") == FileKind::outside_link);
  CHECK(kind_of(files.value(), "broken") == FileKind::broken_link);
  CHECK(kind_of(files.value(), "circle_a") == FileKind::broken_link);
  const auto entries = files.value().list(AssetPath());
  REQUIRE(entries.has_value());
  for (const DirectoryEntry& entry : entries.value()) {
    CAPTURE(entry.name);
    CHECK(entry.is_link == (entry.name != "real"));
  }
}

TEST_CASE("A cycle of folders is detected by identity", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("a/file", "1");
  fs::create_symlink("..", fs::path(folder.path()) / "a/up");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const auto root = files.value().stat(AssetPath());
  const auto again = files.value().stat(path_of("a/up"));
  REQUIRE(again.has_value());
  CHECK(again.value().kind == FileKind::folder);
  CHECK(again.value().identity == root.value().identity);
  CHECK(files.value().stat(path_of("a")).value().identity != root.value().identity);
}

TEST_CASE("Removing does not follow links", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("kept/file", "1");
  folder.put("root/gone/file", "2");
  fs::create_symlink("../../kept", base / "root/gone/link");
  auto files = DiskFileSystem::open((base / "root").string());
  REQUIRE(files.value().remove(path_of("gone")).has_value());
  CHECK(fs::exists(base / "kept/file"));
  CHECK_FALSE(fs::exists(base / "root/gone"));
  CHECK(files.value().remove(AssetPath()).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("A write through a link that leads outside is refused", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("outside", "untouched");
  fs::create_directory(base / "root");
  fs::create_symlink("../outside", base / "root/link");
  auto files = DiskFileSystem::open((base / "root").string());
  CHECK_FALSE(files.value().write(path_of("link"), as_bytes("x")).has_value());
  CHECK(fs::file_size(base / "outside") == 9);
}

TEST_CASE("Reading and listing follow links only inside the folder", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("root/real/file", "inside");
  folder.put("root-other/file", "secret");
  fs::create_symlink("real/file", base / "root/relative");
  fs::create_symlink(base / "root/real/file", base / "root/absolute");
  fs::create_symlink("../real/file", base / "root/real/upwards");
  fs::create_symlink(base / "root/real", base / "root/absolute_folder");
  fs::create_symlink("../root-other/file", base / "root/out");
  fs::create_symlink(base / "root-other/file", base / "root/absolute_out");
  fs::create_symlink("../root-other", base / "root/out_folder");
  auto files = DiskFileSystem::open((base / "root").string());
  REQUIRE(files.has_value());
  ByteVector buffer;
  for (const char* name : {"relative", "absolute", "real/upwards", "absolute_folder/file"}) {
    CAPTURE(name);
    const auto bytes = files.value().read(path_of(name), 0, 99, buffer);
    REQUIRE(bytes.has_value());
    CHECK(as_text(bytes.value()) == "inside");
  }
  CHECK(files.value().list(path_of("absolute_folder")).value().size() == 2);
  for (const char* name : {"out", "absolute_out", "out_folder/file"}) {
    CAPTURE(name);
    CHECK(files.value().read(path_of(name), 0, 99, buffer).error().code ==
          ErrorCode::permission_denied);
  }
  CHECK(files.value().list(path_of("out_folder")).error().code == ErrorCode::permission_denied);
}

TEST_CASE("A write through an inside link replaces the whole target", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("real/file", "before");
  fs::create_symlink(base / "real/file", base / "absolute");
  fs::create_symlink("real/file", base / "relative");
  auto files = DiskFileSystem::open(folder.path());
  ByteVector buffer;
  for (const char* name : {"absolute", "relative"}) {
    CAPTURE(name);
    fs::create_hard_link(base / "real/file", base / "kept");
    REQUIRE(write_atomically(files.value(), path_of(name), as_bytes(name)).has_value());
    CHECK(fs::is_symlink(base / name));
    CHECK(as_text(read_whole(files.value(), path_of("kept"), 99, buffer).value()) ==
          (std::string_view(name) == "absolute" ? "before" : "absolute"));
    fs::remove(base / "kept");
    CHECK(std::distance(fs::directory_iterator(base / "real"), {}) == 1);
    CHECK(as_text(read_whole(files.value(), path_of("real/file"), 99, buffer).value()) == name);
  }
}

TEST_CASE("No file is created, moved or removed through a folder link that leads outside",
          "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("other/file", "secret");
  folder.put("root/mine", "mine");
  fs::create_symlink("../other", base / "root/out");
  auto files = DiskFileSystem::open((base / "root").string());
  const auto is_refused = [](const auto& result) {
    return !result.has_value() && result.error().code == ErrorCode::permission_denied;
  };
  CHECK(is_refused(files.value().write(path_of("out/new/file"), as_bytes("x"))));
  CHECK(is_refused(files.value().remove(path_of("out/file"))));
  CHECK(is_refused(commit_move(files.value(), path_of("mine"), path_of("out/file"))));
  CHECK(is_refused(commit_move(files.value(), path_of("out/file"), path_of("taken"))));
  CHECK(fs::file_size(base / "other/file") == 6);
  CHECK(fs::exists(base / "root/mine"));
  CHECK(std::distance(fs::directory_iterator(base / "other"), {}) == 1);
}

TEST_CASE("A file with the longest allowed name can be replaced", "[registry][disk]") {
  const TemporaryFolder folder;
  auto files = DiskFileSystem::open(folder.path());
  const AssetPath path = path_of(std::string(255, 'n'));
  REQUIRE(write_atomically(files.value(), path, as_bytes("1")).has_value());
  REQUIRE(write_atomically(files.value(), path, as_bytes("2")).has_value());
  CHECK(files.value().list(AssetPath()).value().size() == 1);
}

TEST_CASE("A path from the user may go through links", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base = fs::canonical(folder.path());
  folder.put("real/file", "1");
  fs::create_symlink(base / "real", base / "folder");
  fs::create_symlink("../nowhere", base / "real/broken");
  const auto file = find_target((base / "folder/../real/file").string());
  REQUIRE(file.has_value());
  CHECK(file.value().real_path == (base / "real/file").string());
  CHECK(file.value().kind == FileKind::file);
  CHECK(find_target((base / "folder").string()).value().real_path == (base / "real").string());
  CHECK(find_target((base / "real/broken").string()).value().kind == FileKind::broken_link);
  CHECK(find_target((base / "missing").string()).error().code == ErrorCode::not_found);
  CHECK(find_target("/dev/null").value().kind == FileKind::other);
  CHECK(write_through("/dev/full", as_bytes("x")).error().code == ErrorCode::no_space);
  REQUIRE(write_through((base / "real/broken").string(), as_bytes("x")).has_value());
  CHECK(fs::exists(base / "nowhere"));
}

TEST_CASE("A pipe in a project does not block, and does not count as a file", "[registry][disk]") {
  const TemporaryFolder folder;
  REQUIRE(::mkfifo((folder.path() + "/pipe").c_str(), 0666) == 0);
  const auto files = DiskFileSystem::open(folder.path());
  CHECK(files.value().list(AssetPath()).value().at(0).kind == FileKind::other);
  ByteVector buffer;
  const auto bytes = files.value().read(path_of("pipe"), 0, 10, buffer);
  CHECK((!bytes.has_value() || bytes.value().empty()));
}

TEST_CASE("Reading a file allocates the size of the file and no more", "[registry][disk]") {
  const std::size_t size = GENERATE(1U, 100U, 65535U, 65536U, 65537U, 1'000'000U);
  const std::uint64_t limit = GENERATE(1ULL, 65536ULL, 1ULL << 30U);
  CAPTURE(size, limit);
  const TemporaryFolder folder;
  folder.put("file", std::string(size, 'a'));
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  ByteVector buffer;
  for (const std::uint64_t offset : {0ULL, 1ULL, 70'000ULL}) {
    const std::uint64_t rest = size - std::min<std::uint64_t>(size, offset);
    const auto bytes = files.value().read(path_of("file"), offset, limit, buffer);
    REQUIRE(bytes.has_value());
    CHECK(bytes.value().size() == std::min(rest, limit));
    CHECK(buffer.size() <= std::min<std::uint64_t>(size + 1, limit));
  }
}

TEST_CASE("The folder of a project may be renamed while the project is open", "[registry][disk]") {
  const TemporaryFolder folder;
  const fs::path base(folder.path());
  folder.put("before/f", "1");
  const auto files = DiskFileSystem::open((base / "before").string());
  REQUIRE(files.has_value());
  fs::rename(base / "before", base / "after");
  ByteVector buffer;
  CHECK(as_text(read_whole(files.value(), path_of("f"), 10, buffer).value()) == "1");
}

TEST_CASE("Opening a missing folder fails, or creates the folder on request", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("file", "1");
  CHECK(DiskFileSystem::open(folder.path() + "/missing").error().code == ErrorCode::not_found);
  CHECK(DiskFileSystem::open(folder.path() + "/file").error().code == ErrorCode::not_found);
  const auto made = DiskFileSystem::open_or_create(folder.path() + "/a/b/c");
  REQUIRE(made.has_value());
  CHECK(fs::is_directory(folder.path() + "/a/b/c"));
  CHECK(DiskFileSystem::open_or_create(folder.path() + "/a/b/c/").has_value());
  std::vector<std::string> created;
  CHECK(DiskFileSystem::open_or_create(folder.path() + "/a/x/y", &created).has_value());
  CHECK(created == std::vector<std::string>{folder.path() + "/a/x", folder.path() + "/a/x/y"});
  CHECK(remove_empty_folder(folder.path() + "/a/x").error().code == ErrorCode::already_exists);
  CHECK(remove_empty_folder(folder.path() + "/a/x/y").has_value());
}

TEST_CASE("Only one process can lock a folder at a time", "[registry][disk]") {
  const TemporaryFolder folder;
  {
    auto lock = FolderLock::acquire(folder.path(), ".lock");
    REQUIRE(lock.has_value());
    const FolderLock moved = std::move(lock).value();
    const auto second = FolderLock::acquire(folder.path(), ".lock");
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == ErrorCode::busy);
    CHECK(FolderLock::acquire(folder.path(), ".other").has_value());
  }
  CHECK(FolderLock::acquire(folder.path(), ".lock").has_value());
  CHECK(FolderLock::acquire(folder.path() + "/missing", ".lock").error().code ==
        ErrorCode::not_found);
}
