// Compares the formats byte by byte. After an intended change of a format, increase its version,
// change its document, and run
//
//     build/release/bin/make_bundle_goldens tests
//
// which rewrites tests/golden/bundle and the corpora of the four fuzz targets.
#include <catch2/catch.hpp>
#include <zstd.h>

#include "registry/base/disk_file_system.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

// The zstd release of the golden bundles.
constexpr unsigned kGoldenZstd = 10504;

TEST_CASE("The writers write files that equal the golden files", "[bundler][golden]") {
  const DiskFileSystem tests = DiskFileSystem::open(MUSTER_SOURCE_DIR "/tests").value();
  for (const samples::SampleFile& file : samples::files()) {
    CAPTURE(file.path);
    ByteVector buffer;
    const Result<Bytes> golden =
        read_whole(tests, AssetPath::parse(file.path).value(), 1U << 20U, buffer);
    REQUIRE(golden.has_value());
    if (file.depends_on_zstd && ZSTD_versionNumber() != kGoldenZstd) continue;
    CHECK(samples::hex(file.bytes) == samples::hex(golden.value()));
  }
}

TEST_CASE("Every release of zstd reads the same content from the golden bundle",
          "[bundler][golden]") {
  const DiskFileSystem tests = DiskFileSystem::open(MUSTER_SOURCE_DIR "/tests").value();
  ByteVector buffer;
  const AssetPath path = AssetPath::parse("golden/bundle/sample.mbundle").value();
  const Bytes golden = read_whole(tests, path, 1U << 20U, buffer).value();
  const BundleReader reader = BundleReader::open(golden).value();
  Decompressor decompressor;
  ByteVector plain_buffer;
  for (const PackEntry& entry : samples::bundle().entries) {
    const auto found = reader.find(entry.guid, entry.local_id);
    REQUIRE(found.has_value());
    CHECK(std::ranges::equal(reader.read(*found, decompressor, plain_buffer).value(), entry.plain));
  }
}

TEST_CASE(
    "Entries of the golden bundle that were packed with a dictionary cannot be read without it",
    "[bundler][golden]") {
  const DiskFileSystem tests = DiskFileSystem::open(MUSTER_SOURCE_DIR "/tests").value();
  ByteVector buffer;
  const AssetPath path = AssetPath::parse("golden/bundle/bundles/with_dictionary.mbundle").value();
  const Bytes golden = read_whole(tests, path, 1U << 20U, buffer).value();
  const BundleReader reader = BundleReader::open(golden).value();
  const auto folder = tests.list(AssetPath::parse("golden/bundle/dictionaries").value());
  REQUIRE(folder.value().size() == 1);
  const std::string name = folder.value()[0].name;
  ByteVector dictionary_buffer;
  const AssetPath dictionary_file = AssetPath::parse("golden/bundle/dictionaries/" + name).value();
  const Bytes bytes = read_whole(tests, dictionary_file, 1U << 20U, dictionary_buffer).value();
  CHECK("dictionaries/" + name == dictionary_path(hash_bytes(bytes)));
  auto set = std::make_shared<DictionarySet>();
  REQUIRE(set->add(hash_bytes(bytes), bytes).has_value());
  Decompressor with;
  with.use(set);
  Decompressor without;
  ByteVector plain_buffer;
  std::size_t needing = 0;
  for (const PackEntry& entry : samples::dictionary_bundle().bundle.entries) {
    const BundleEntry found = reader.find(entry.guid, entry.local_id).value();
    CHECK(std::ranges::equal(reader.read(found, with, plain_buffer).value(), entry.plain));
    const auto refused = reader.read(found, without, plain_buffer);
    CHECK(refused.has_value() == (found.dictionary_id == 0));
    if (found.dictionary_id == 0) continue;
    CHECK(refused.error().code == ErrorCode::not_found);
    ++needing;
  }
  CHECK(needing == 2);
}

}  // namespace
}  // namespace muster
