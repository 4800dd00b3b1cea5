// Tests stamps and links of files on the disk and in memory.
#include "registry/base/file_stamp.h"

#include <filesystem>
#include <memory>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

struct Twin {
  explicit Twin(bool is_disk) {
    if (is_disk) {
      auto opened = std::make_unique<DiskFileSystem>(DiskFileSystem::open(folder.path()).value());
      stamps = opened.get();
      links = opened.get();
      files = std::move(opened);
    } else {
      auto made = std::make_unique<MemoryFileSystem>();
      stamps = made.get();
      links = made.get();
      files = std::move(made);
    }
  }
  void put(std::string_view path, std::string_view text) const {
    REQUIRE(files->write(path_of(path), as_bytes(text)).has_value());
  }
  FileStamp stamp(std::string_view path) const { return stamp_of(*stamps, path_of(path)); }

  TemporaryFolder folder;
  std::unique_ptr<FileSystem> files;
  const FileStamps* stamps = nullptr;
  FileLinks* links = nullptr;
};

TEST_CASE("A stamp has the kind, the size and the identity of a file", "[registry][file_system]") {
  const Twin twin(GENERATE(false, true));
  twin.put("a/one", "123");
  twin.put("a/two", "12345");
  const FileStamp one = twin.stamp("a/one");
  CHECK(one.exists);
  CHECK(one.kind == FileKind::file);
  CHECK(one.size_bytes == 3);
  CHECK(twin.stamp("a").kind == FileKind::folder);
  CHECK(twin.stamp("").kind == FileKind::folder);
  CHECK_FALSE(twin.stamp("a/three").exists);
  CHECK_FALSE(twin.stamp("nowhere/three").exists);
  CHECK(twin.stamp("a/one") == one);
  CHECK(twin.stamp("a/two").identity != one.identity);

  const std::vector<std::string_view> names{"two", "", "three", "one"};
  std::vector<FileStamp> stamps(names.size());
  twin.stamps->stamps_in(path_of("a"), names, stamps);
  CHECK(stamps[0] == twin.stamp("a/two"));
  CHECK(stamps[1] == twin.stamp("a"));
  CHECK_FALSE(stamps[2].exists);
  CHECK(stamps[3] == one);
}

TEST_CASE("A hard link is another name of the same file", "[registry][file_system]") {
  const Twin twin(GENERATE(false, true));
  twin.put("old/file", "123");
  const FileStamp before = twin.stamp("old/file");
  const std::vector<std::string> names = {"none", "file"};
  const auto link = [&] {
    return twin.links->link_all(path_of("old"), path_of("new/deep"), names);
  };
  CHECK(link() == std::vector<bool>{false, true});
  const FileStamp linked = twin.stamp("new/deep/file");
  CHECK(linked.identity == before.identity);
  CHECK(linked.modified_ns == before.modified_ns);
  CHECK(linked.size_bytes == 3);
  CHECK(link() == std::vector<bool>{false, false});
  CHECK(twin.links->link_all(path_of("nowhere"), path_of("new"), names) ==
        std::vector<bool>{false, false});
  CHECK(twin.links->link_all(path_of("old"), path_of("new"), {}).empty());
  REQUIRE(twin.files->remove(path_of("old")).has_value());
  CHECK(twin.stamp("new/deep/file").modified_ns == before.modified_ns);
}

TEST_CASE("A stamp is settled if every later change of the file is certain to change the stamp",
          "[registry][file_system]") {
  constexpr std::int64_t kSecond = 1'000'000'000;
  FileStamp fine{.exists = true, .changed_ns = 100 * kSecond + 1};
  CHECK_FALSE(is_settled(fine, fine.changed_ns));
  CHECK_FALSE(is_settled(fine, fine.changed_ns - kSecond));
  CHECK(is_settled(fine, fine.changed_ns + kSecond / 10));
  FileStamp coarse{.exists = true, .changed_ns = 100 * kSecond};
  CHECK_FALSE(is_settled(coarse, coarse.changed_ns + kSecond));
  CHECK(is_settled(coarse, coarse.changed_ns + 3 * kSecond));
}

TEST_CASE("The stamp of a symbolic link changes with the link and with its target",
          "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("one", "123");
  folder.put("two", "12345");
  const fs::path root = folder.path();
  fs::create_symlink("one", root / "link");
  fs::create_symlink("nowhere", root / "broken");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const auto stamp = [&] { return stamp_of(files.value(), path_of("link")); };
  const FileStamp before = stamp();
  CHECK(before.kind == FileKind::file);
  CHECK(before.size_bytes == 3);
  CHECK(stamp_of(files.value(), path_of("broken")).exists);
  CHECK(stamp_of(files.value(), path_of("broken")).kind == FileKind::broken_link);
  folder.put("one", "1234");
  const FileStamp edited = stamp();
  CHECK(edited != before);
  fs::remove(root / "link");
  fs::create_symlink("two", root / "link");
  CHECK(stamp() != edited);
  CHECK(stamp().size_bytes == 5);
  CHECK(files.value().now_ns() >= stamp().changed_ns - 1'000'000'000);
}

TEST_CASE("The stamp of a link that leaves the folder reveals nothing about its target",
          "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("inside/sub/one", "123");
  folder.put("outside/one", "12345");
  const fs::path root = folder.path();
  fs::create_symlink("../outside", root / "inside/link");
  const auto files = DiskFileSystem::open(folder.path() + "/inside");
  REQUIRE(files.has_value());
  const FileStamp before = stamp_of(files.value(), path_of("link"));
  CHECK(before.kind == FileKind::outside_link);
  folder.put("outside/two", "1");
  CHECK(stamp_of(files.value(), path_of("link")) == before);
  fs::create_symlink("../../outside/one", root / "inside/sub/link");
  const std::vector<std::string_view> names{"one", "link"};
  std::vector<FileStamp> stamps(names.size());
  files.value().stamps_in(path_of("sub"), names, stamps);
  CHECK(stamps[0].kind == FileKind::file);
  CHECK(stamps[1].kind == FileKind::outside_link);
  CHECK(stamps[1] == stamp_of(files.value(), path_of("sub/link")));
}

TEST_CASE("Linking a symbolic link creates a hard link to its target", "[registry][disk]") {
  const TemporaryFolder folder;
  folder.put("one", "123");
  folder.put("old/file", "12345");
  const fs::path root = folder.path();
  fs::create_symlink("../one", root / "old/link");
  auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const std::vector<std::string> names = {"file", "link"};
  CHECK(files.value().link_all(path_of("old"), path_of("new/deep"), names) ==
        std::vector<bool>{true, true});
  CHECK(fs::is_regular_file(fs::symlink_status(root / "new/deep/link")));
  CHECK(stamp_of(files.value(), path_of("new/deep/link")).size_bytes == 3);
}

}  // namespace
}  // namespace muster
