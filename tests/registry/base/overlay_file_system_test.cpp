#include "registry/base/overlay_file_system.h"

#include <catch2/catch.hpp>

#include "registry/base/memory_file_system.h"

namespace muster {
namespace {

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

std::string names_in(const FileReader& files, std::string_view folder) {
  const auto entries = files.list(path(folder));
  if (!entries) return std::string(to_string(entries.error().code));
  std::string names;
  for (const DirectoryEntry& entry : entries.value()) {
    names += (names.empty() ? "" : " ") + entry.name;
    if (entry.kind == FileKind::folder) names += "/";
  }
  return names;
}

std::string text_of(const FileReader& files, std::string_view name) {
  ByteVector buffer;
  const auto bytes = read_whole(files, path(name), 1000, buffer);
  return bytes ? std::string(as_text(bytes.value())) : std::string(to_string(bytes.error().code));
}

TEST_CASE("An overlay shows the result of changes without changing the underlying files",
          "[registry][files]") {
  MemoryFileSystem disk;
  disk.add("a/one.txt", "one");
  disk.add("a/two.txt", "two");
  disk.add("b/three.txt", "three");
  const auto before = disk.files();
  OverlayFileSystem files(disk);
  CHECK(names_in(files, "") == "a/ b/");

  REQUIRE(write_atomically(files, path("a/two.txt"), as_bytes("new")).has_value());
  REQUIRE(write_atomically(files, path("a/c/four.txt"), as_bytes("four")).has_value());
  REQUIRE(commit_move(files, path("a/one.txt"), path("a/One.txt")).has_value());
  REQUIRE(files.remove(path("b")).has_value());
  CHECK(names_in(files, "a") == "One.txt c/ two.txt");
  CHECK(names_in(files, "a/c") == "four.txt");
  CHECK(names_in(files, "") == "a/");
  CHECK(names_in(files, "b") == "not_found");
  CHECK(text_of(files, "a/One.txt") == "one");
  CHECK(text_of(files, "a/one.txt") == "not_found");
  CHECK(text_of(files, "a/two.txt") == "new");
  CHECK(text_of(files, "b/three.txt") == "not_found");
  CHECK(files.stat(path("a/c")).value().kind == FileKind::folder);
  CHECK(files.stat(path("a/two.txt")).value().size_bytes == 3);
  CHECK_FALSE(files.stat(path("b/three.txt")).has_value());

  REQUIRE(files.write(path("b/three.txt"), as_bytes("again")).has_value());
  CHECK(names_in(files, "b") == "three.txt");
  CHECK(text_of(files, "b/three.txt") == "again");
  CHECK(disk.files() == before);
}

TEST_CASE("An overlay moves only files that exist", "[registry][files]") {
  MemoryFileSystem disk;
  disk.add("a/one.txt", "one");
  OverlayFileSystem files(disk);
  CHECK(commit_move(files, path("a"), path("b")).error().code == ErrorCode::invalid_argument);
  CHECK(commit_move(files, path("x"), path("b")).error().code == ErrorCode::not_found);
  ByteVector buffer;
  CHECK(as_text(files.read(path("a/one.txt"), 1, 1, buffer).value()) == "n");
  REQUIRE(files.write(path("a/one.txt"), as_bytes("other")).has_value());
  CHECK(as_text(files.read(path("a/one.txt"), 3, 9, buffer).value()) == "er");
  CHECK(files.read(path("a/one.txt"), 9, 9, buffer).value().empty());
}

}  // namespace
}  // namespace muster
