#include "bundler/cache/disk_blobs.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "registry/base/parallel.h"
#include "tests/support/temporary_folder.h"

namespace muster {
namespace {

constexpr std::uint64_t kMax = 1 << 20;

BlobKey key_of(std::string_view content) { return {BlobSpace::content, sha256(as_bytes(content))}; }

std::string path_of(const TemporaryFolder& folder, const BlobKey& key) {
  const std::string name = key.hash.to_string();
  return folder.path() + "/cas/" + name.substr(0, 2) + "/" + name;
}

// Sets the time of use to this many seconds after a fixed time.
void set_used(const std::string& path, int seconds) {
  using FileTime = std::filesystem::file_time_type;
  const FileTime long_ago = FileTime::clock::now() - std::chrono::hours(24 * 365);
  std::filesystem::last_write_time(path, long_ago + std::chrono::seconds(seconds));
}

std::optional<std::string> text_of(DiskBlobs& blobs, const BlobKey& key) {
  const auto bytes = blobs.get(key, kMax, {});
  if (!bytes || !bytes.value()) return std::nullopt;
  return std::string(as_text(*bytes.value()));
}

}  // namespace

TEST_CASE("A folder keeps blobs in two separate spaces", "[cache]") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/deep/in/cache";
  const auto blobs = DiskBlobs::open(path);
  REQUIRE(blobs.has_value());
  const Sha256 hash = sha256(as_bytes("a"));
  REQUIRE(blobs.value()->put({BlobSpace::content, hash}, as_bytes("content")).has_value());
  REQUIRE(blobs.value()->put({BlobSpace::actions, hash}, as_bytes("action")).has_value());
  CHECK(text_of(*blobs.value(), {BlobSpace::content, hash}) == "content");
  const auto again = DiskBlobs::open(path);
  CHECK(text_of(*again.value(), {BlobSpace::actions, hash}) == "action");
  CHECK_FALSE(text_of(*again.value(), key_of("b")).has_value());
  const auto too_long = again.value()->get({BlobSpace::content, hash}, 6, {});
  REQUIRE_FALSE(too_long.has_value());
  CHECK(too_long.error().code == ErrorCode::limit_exceeded);
  again.value()->remove({BlobSpace::content, hash});
  CHECK_FALSE(text_of(*blobs.value(), {BlobSpace::content, hash}).has_value());
}

TEST_CASE("A file in place of the folder, or a pipe in place of a blob, is an immediate error",
          "[cache]") {
  const TemporaryFolder folder;
  folder.put("file", "x");
  CHECK_FALSE(DiskBlobs::open(folder.path() + "/file").has_value());
  const auto blobs = DiskBlobs::open(folder.path());
  const BlobKey key = key_of("a");
  REQUIRE(blobs.value()->put(key, as_bytes("a")).has_value());
  const std::string path = path_of(folder, key);
  REQUIRE(std::filesystem::remove(path));
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  CHECK_FALSE(blobs.value()->get(key, kMax, {}).has_value());
  REQUIRE(blobs.value()->put(key, as_bytes("a")).has_value());  // Storing repairs it.
  CHECK(text_of(*blobs.value(), key) == "a");
}

TEST_CASE("A folder removes the least recently used blobs", "[cache]") {
  const TemporaryFolder folder;
  const auto blobs = DiskBlobs::open(folder.path());
  for (int i = 0; i < 10; ++i) {
    const std::string content = std::string(100, static_cast<char>('a' + i));
    REQUIRE(blobs.value()->put(key_of(content), as_bytes(content)).has_value());
    set_used(path_of(folder, key_of(content)), 1000 + i);
  }
  const std::string oldest(100, 'a');
  REQUIRE(text_of(*blobs.value(), key_of(oldest)).has_value());
  const auto left = blobs.value()->trim(450);
  REQUIRE(left.has_value());
  CHECK(left.value().files == 4);
  CHECK(left.value().bytes == 400);
  CHECK(text_of(*blobs.value(), key_of(oldest)).has_value());
  for (int i = 1; i < 10; ++i) {
    const std::string content = std::string(100, static_cast<char>('a' + i));
    CHECK(text_of(*blobs.value(), key_of(content)).has_value() == (i >= 7));
  }
}

TEST_CASE("Files of a killed writer are removed later, and foreign files are never removed",
          "[cache]") {
  const TemporaryFolder folder;
  const auto blobs = DiskBlobs::open(folder.path());
  REQUIRE(blobs.value()->put(key_of("a"), as_bytes("a")).has_value());
  const std::string shelf = "cas/" + key_of("a").hash.to_string().substr(0, 2) + "/";
  const auto write = [&](const std::string& name) {
    folder.put(shelf + name, std::string(50, 'x'));
    return folder.path() + "/" + shelf + name;
  };
  const std::string old = write("unfinished-1-1-x");
  set_used(old, 1000);
  const std::string young = write("unfinished-1-2-x");
  const std::string foreign = write("README");
  REQUIRE(blobs.value()->trim(kMax).has_value());
  CHECK_FALSE(std::filesystem::exists(old));
  CHECK(std::filesystem::exists(young));
  REQUIRE(blobs.value()->trim(0).has_value());
  CHECK(std::filesystem::exists(young));
  CHECK(std::filesystem::exists(foreign));
  CHECK_FALSE(text_of(*blobs.value(), key_of("a")).has_value());
}

TEST_CASE("Parallel builds read complete blobs, even while others are removed", "[cache]") {
  const TemporaryFolder folder;
  std::atomic<int> wrong = 0;
  parallel_for(600, 4, {}, [&](std::size_t i, unsigned) {
    const auto blobs = DiskBlobs::open(folder.path());
    const std::string content = std::to_string(i % 7) + std::string(20'000, 'x');
    const auto seen = text_of(*blobs.value(), key_of(content));
    if (seen && *seen != content) ++wrong;
    if (!blobs.value()->put(key_of(content), as_bytes(content)).has_value()) ++wrong;
    if (i % 10 == 0 && !blobs.value()->trim(60'000).has_value()) ++wrong;
  });
  CHECK(wrong == 0);
  CHECK(DiskBlobs::open(folder.path()).value()->trim(kMax).value().files <= 7);
}

}  // namespace muster
