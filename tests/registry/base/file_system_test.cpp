// Runs the same tests with the memory file system and the disk file system, so that other tests can
// use the memory file system.
#include "registry/base/file_system.h"

#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/temporary_folder.h"

using namespace muster;

namespace {

AssetPath path_of(std::string_view text) { return AssetPath::parse(text).value(); }

class Twin {
 public:
  explicit Twin(bool is_disk) {
    if (is_disk) {
      files_ = std::make_unique<DiskFileSystem>(DiskFileSystem::open(folder_.path()).value());
    } else {
      files_ = std::make_unique<MemoryFileSystem>();
    }
  }
  FileSystem& files() { return *files_; }

  void put(std::string_view path, std::string_view text) {
    REQUIRE(files_->write(path_of(path), as_bytes(text)).has_value());
  }
  std::string get(std::string_view path) {
    ByteVector buffer;
    const auto bytes = read_whole(*files_, path_of(path), 1000, buffer);
    return bytes ? std::string(as_text(bytes.value())) : std::string(to_string(bytes.error().code));
  }
  std::string names(std::string_view folder) {
    const auto entries = files_->list(path_of(folder));
    if (!entries) return std::string(to_string(entries.error().code));
    std::string result;
    for (const DirectoryEntry& entry : entries.value()) {
      result += entry.name + (entry.kind == FileKind::folder ? "/ " : " ");
    }
    return result;
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<FileSystem> files_;
};

}  // namespace

TEST_CASE("A file system returns the written content", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("a/b/c.txt", "hello");
  CHECK(twin.get("a/b/c.txt") == "hello");
  twin.put("a/b/c.txt", "");
  CHECK(twin.get("a/b/c.txt").empty());
  CHECK(twin.get("a/b/d.txt") == to_string(ErrorCode::not_found));
}

TEST_CASE("A file system lists a folder in the order of name bytes", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  for (const auto* path : {"b", "a/x", "B", "\xC3\xA9", "a.b", ".hidden", "a-b/c/d"}) {
    twin.put(path, "1");
  }
  CHECK(twin.names("") == ".hidden B a/ a-b/ a.b b \xC3\xA9 ");
  CHECK(twin.names("a-b") == "c/ ");
  CHECK(twin.names("missing") == to_string(ErrorCode::not_found));
}

TEST_CASE("A file system describes files and folders", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("a/b", "12345");
  const auto file = twin.files().stat(path_of("a/b"));
  REQUIRE(file.has_value());
  CHECK(file.value().kind == FileKind::file);
  CHECK(file.value().size_bytes == 5);
  CHECK_FALSE(file.value().is_link);
  const auto folder = twin.files().stat(path_of("a"));
  REQUIRE(folder.has_value());
  CHECK(folder.value().kind == FileKind::folder);
  CHECK(folder.value().identity != file.value().identity);
  CHECK(twin.files().stat(AssetPath()).value().kind == FileKind::folder);
  CHECK(twin.files().stat(path_of("c")).error().code == ErrorCode::not_found);
}

TEST_CASE("A file system reads a part of a file", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("f", "0123456789");
  const auto [offset, count, expected] = GENERATE(table<std::uint64_t, std::uint64_t, std::string>(
      {{0, 3, "012"}, {8, 10, "89"}, {10, 1, ""}, {99, 1, ""}, {4, 0, ""}}));
  ByteVector buffer;
  const auto bytes = twin.files().read(path_of("f"), offset, count, buffer);
  REQUIRE(bytes.has_value());
  CHECK(as_text(bytes.value()) == expected);
}

TEST_CASE("One buffer can be used for many files", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("long", std::string(200'000, 'x'));
  twin.put("short", "y");
  ByteVector buffer;
  REQUIRE(read_whole(twin.files(), path_of("long"), 1'000'000, buffer).value().size() == 200'000);
  const std::size_t grown = buffer.size();
  CHECK(as_text(read_whole(twin.files(), path_of("short"), 1'000'000, buffer).value()) == "y");
  CHECK(buffer.size() == grown);
}

TEST_CASE("Reading a whole file has a size limit", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("f", "12345");
  ByteVector buffer;
  CHECK(read_whole(twin.files(), path_of("f"), 5, buffer).has_value());
  const auto refused = read_whole(twin.files(), path_of("f"), 4, buffer);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::limit_exceeded);
}

TEST_CASE("A commit replaces a file or folder and moves the old folder to the source path",
          "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("staging/a", "new a");
  twin.put("staging/b/c", "new c");
  REQUIRE(commit_move(twin.files(), path_of("staging"), path_of("out/build")).has_value());
  CHECK(twin.get("out/build/b/c") == "new c");
  CHECK_FALSE(twin.files().stat(path_of("staging")).has_value());

  twin.put("staging/a", "newer a");
  REQUIRE(commit_move(twin.files(), path_of("staging"), path_of("out/build")).has_value());
  CHECK(twin.get("out/build/a") == "newer a");
  CHECK(twin.get("out/build/b/c") == to_string(ErrorCode::not_found));
  CHECK(twin.get("staging/b/c") == "new c");
  CHECK(twin.names("out") == "build/ ");

  CHECK(commit_move(twin.files(), path_of("missing"), path_of("x")).error().code ==
        ErrorCode::not_found);
  CHECK(commit_move(twin.files(), path_of("missing"), path_of("out/build")).error().code ==
        ErrorCode::not_found);
  CHECK(twin.get("out/build/a") == "newer a");
}

TEST_CASE("Several moves are committed in order, up to the first failure",
          "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("client/a", "old client");
  for (const auto* path : {"new/client/a", "new/server/a", "new/report"}) twin.put(path, path);
  const auto move = [](std::string_view from, std::string_view to) {
    return Move{path_of(from), path_of(to)};
  };
  const auto client = twin.files().stat(path_of("new/client")).value().identity;
  const std::vector<Move> moves = {move("new/client", "client"), move("new/server", "deep/server"),
                                   move("missing", "x"), move("new/report", "report")};
  CHECK(twin.files().commit(moves).error().code == ErrorCode::not_found);
  CHECK(twin.get("client/a") == "new/client/a");
  CHECK(twin.get("new/client/a") == "old client");
  CHECK(twin.get("deep/server/a") == "new/server/a");
  CHECK_FALSE(twin.files().stat(path_of("report")).has_value());
  CHECK(twin.files().commit({}).has_value());
  CHECK(twin.files().stat(path_of("client")).value().identity == client);
  CHECK(twin.files().stat(path_of("new/client")).value().identity != client);
}

TEST_CASE("An atomic write leaves no other file", "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  for (const auto* text : {"first", "second"}) {
    REQUIRE(write_atomically(twin.files(), path_of("a/f"), as_bytes(text)).has_value());
    CHECK(twin.get("a/f") == text);
    CHECK(twin.names("a") == "f ");
  }
}

TEST_CASE("Removing a path removes a file, or a folder with its contents",
          "[registry][file_system]") {
  Twin twin(GENERATE(false, true));
  twin.put("a/b/c", "1");
  twin.put("a/b/d/e", "2");
  twin.put("ab", "3");
  REQUIRE(twin.files().remove(path_of("a/b/c")).has_value());
  CHECK(twin.names("a/b") == "d/ ");
  REQUIRE(twin.files().remove(path_of("a")).has_value());
  CHECK(twin.names("") == "ab ");
  CHECK(twin.files().remove(path_of("a")).has_value());
  CHECK(twin.files().remove(path_of("x/y/z")).has_value());
}
