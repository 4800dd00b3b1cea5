// Tests that builds notice a change of a link's target, which does not change the folder of the
// link.
#include <filesystem>

#include <catch2/catch.hpp>

#include "bundler/incremental/input_check.h"
#include "bundler/incremental/recorded_files.h"
#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

// The folders that a build's state records.
std::vector<StateFolder> remembered(const RecordedFiles& seen) {
  std::vector<StateFolder> folders;
  for (const RecordedInput& input : seen.inputs()) {
    if (folders.empty() || folders.back().path != input.path.parent()) {
      folders.push_back({input.path.parent(), {}});
    }
    folders.back().inputs.push_back({.name = std::string(input.path.name()),
                                     .stamp = input.stamp,
                                     .use = input.use,
                                     .is_settled = true,
                                     .hash = input.hash});
  }
  return folders;
}

TEST_CASE("A build runs again when a broken link gets a target", "[bundler][state][sys-12]") {
  const TemporaryFolder folder;
  folder.put("content/one", "1");
  folder.put("parts/one", "1");
  fs::create_symlink("../parts/more", folder.path() + "/content/more");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const RecordedFiles seen(files.value(), files.value());
  REQUIRE(seen.list(path_of("content")).has_value());
  auto inputs = remembered(seen);
  CHECK(check_inputs(inputs, files.value(), files.value(), 1).changed.empty());
  folder.put("parts/more/two", "2");
  CHECK(check_inputs(inputs, files.value(), files.value(), 1).changed ==
        std::vector{path_of("content/more")});
}

TEST_CASE("A build runs again when a folder above its content has moved out of the project",
          "[bundler][state][sys-12]") {
  const TemporaryFolder folder;
  folder.put("project/game/content/one", "1");
  const fs::path root = folder.path();
  const auto files = DiskFileSystem::open(folder.path() + "/project");
  REQUIRE(files.has_value());
  const RecordedFiles seen(files.value(), files.value());
  REQUIRE(seen.stat(path_of("game")).has_value());
  ByteVector buffer;
  REQUIRE(seen.read(path_of("game/content/one"), 0, 100, buffer).has_value());
  auto inputs = remembered(seen);
  CHECK(check_inputs(inputs, files.value(), files.value(), 1).changed.empty());
  fs::rename(root / "project/game", root / "game");
  fs::create_symlink("../game", root / "project/game");
  CHECK(check_inputs(inputs, files.value(), files.value(), 1).changed ==
        std::vector{path_of("game")});
}

/// Replaces a folder directly after another folder was listed.
class PutAfterList final : public FileReader {
 public:
  PutAfterList(const FileReader& files, fs::path from, fs::path to)
      : files_(files), from_(std::move(from)), to_(std::move(to)) {}

  Result<FileInfo> stat(const AssetPath& path) const override { return files_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    auto entries = files_.list(folder);
    if (fs::exists(from_)) fs::rename(from_, to_);
    return entries;
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    return files_.read(path, offset, max_bytes, buffer);
  }

 private:
  const FileReader& files_;
  fs::path from_;
  fs::path to_;
};

TEST_CASE("A link target that appears between a folder's list and its stamps is detected",
          "[bundler][state][sys-12]") {
  const TemporaryFolder folder;
  folder.put("content/one", "1");
  folder.put("later/two", "2");
  const fs::path root = folder.path();
  fs::create_symlink("../more", root / "content/more");
  const auto files = DiskFileSystem::open(folder.path());
  REQUIRE(files.has_value());
  const PutAfterList changing(files.value(), root / "later", root / "more");
  const RecordedFiles seen(changing, files.value());
  REQUIRE(seen.list(path_of("content")).has_value());
  CHECK(seen.torn() == std::vector{path_of("content")});
  const RecordedFiles again(changing, files.value());
  REQUIRE(again.list(path_of("content")).has_value());
  CHECK_FALSE(again.is_torn());
}

TEST_CASE("A partly read file counts as changed until its stamp is certain to detect a change",
          "[bundler][state][sys-12]") {
  MemoryFileSystem files;
  files.add("content/large", std::string(100, 'x'));
  const RecordedFiles seen(files, files);
  ByteVector buffer;
  REQUIRE(seen.read(path_of("content/large"), 0, 10, buffer).has_value());
  auto inputs = remembered(seen);
  CHECK(check_inputs(inputs, files, files, 1).changed.empty());
  inputs.front().inputs.front().is_settled = false;
  CHECK(check_inputs(inputs, files, files, 1).changed == std::vector{path_of("content/large")});
}

}  // namespace
}  // namespace muster
