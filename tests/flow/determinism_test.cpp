// Equal projects give equal bytes, for any number of threads and any order of the disk.
#include <algorithm>
#include <random>

#include <catch2/catch.hpp>

#include "registry/base/disk_file_system.h"
#include "tests/support/arena_build.h"
#include "tests/support/memory_copy.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

using testing::build_to_memory;

/// Lists the entries of folders in a random order.
class ShuffledFileSystem final : public FileReader {
 public:
  ShuffledFileSystem(const FileReader& inner, std::uint32_t seed) : inner_(inner), seed_(seed) {}

  Result<FileInfo> stat(const AssetPath& path) const override { return inner_.stat(path); }
  Result<std::vector<DirectoryEntry>> list(const AssetPath& folder) const override {
    auto entries = inner_.list(folder);
    std::mt19937 random(seed_ ^ static_cast<std::uint32_t>(std::hash<AssetPath>{}(folder)));
    if (entries) std::ranges::shuffle(entries.value(), random);
    return entries;
  }
  Result<Bytes> read(const AssetPath& path, std::uint64_t offset, std::uint64_t max_bytes,
                     ByteVector& buffer) const override {
    return inner_.read(path, offset, max_bytes, buffer);
  }

 private:
  const FileReader& inner_;
  std::uint32_t seed_;
};

std::string arena() { return MUSTER_SOURCE_DIR "/content/arena"; }

// Returns the names of the files whose bytes differ.
std::vector<std::string> differences(const MemoryFileSystem& a, const MemoryFileSystem& b) {
  std::vector<std::string> names;
  for (const auto& [path, bytes] : a.files()) {
    const auto other = b.files().find(path);
    if (other == b.files().end() || other->second != bytes) names.push_back(path.text());
  }
  for (const auto& [path, bytes] : b.files()) {
    if (!a.files().contains(path)) names.push_back(path.text());
  }
  return names;
}

TEST_CASE("A build does not depend on the number of threads", "[flow][determinism][sys-12]") {
  const auto files = DiskFileSystem::open(arena());
  REQUIRE(files.has_value());
  const Layout layout = GENERATE(Layout::shared, Layout::self_contained);
  const MemoryFileSystem one = build_to_memory(files.value(), {.layout = layout, .jobs = 1});
  CHECK(one.files().size() > 60);
  for (const unsigned jobs : {2U, 5U}) {
    CAPTURE(jobs);
    const MemoryFileSystem many = build_to_memory(files.value(), {.layout = layout, .jobs = jobs});
    CHECK(differences(one, many).empty());
  }
}

TEST_CASE("A build does not depend on the order of folders", "[flow][determinism][sys-12]") {
  const auto files = DiskFileSystem::open(arena());
  REQUIRE(files.has_value());
  const MemoryFileSystem sorted = build_to_memory(files.value(), {.jobs = 2});
  for (const std::uint32_t seed : {1U, 2U, 3U}) {
    CAPTURE(seed);
    const ShuffledFileSystem shuffled(files.value(), seed);
    CHECK(differences(sorted, build_to_memory(shuffled, {.jobs = 2})).empty());
  }
}

TEST_CASE("A copy with another file order and another path builds to the same bytes",
          "[flow][determinism][sys-12]") {
  const MemoryFileSystem source = testing::copy_to_memory(arena());
  std::vector<AssetPath> paths;
  for (const auto& [path, bytes] : source.files()) paths.push_back(path);
  std::mt19937 random(7);
  std::ranges::shuffle(paths, random);
  const TemporaryFolder folder;
  for (const AssetPath& path : paths) folder.put(path.text(), as_text(source.files().at(path)));
  const auto copy = DiskFileSystem::open(folder.path());
  REQUIRE(copy.has_value());
  const auto listed = copy.value().list(AssetPath());
  REQUIRE(listed.has_value());
  CHECK(std::ranges::is_sorted(listed.value(), {}, &DirectoryEntry::name));
  const MemoryFileSystem from_memory = build_to_memory(source, {.jobs = 2});
  CHECK(differences(from_memory, build_to_memory(copy.value(), {.jobs = 2})).empty());
}

}  // namespace
}  // namespace muster
