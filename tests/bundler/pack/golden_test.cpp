// The formats, byte by byte. After an intended change of a format: new version, new document, then
//     build/release/bin/make_bundle_goldens tests
// which rewrites tests/golden/bundle and the corpora of the four fuzz targets.
#include <catch2/catch.hpp>
#include <zstd.h>

#include "registry/vocabulary/disk_file_system.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

// The release whose compressed bytes the golden bundles hold.
constexpr unsigned kGoldenZstd = 10504;

TEST_CASE("The writers still write the golden files", "[bundler][golden]") {
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

TEST_CASE("The golden bundle reads the same with every release of zstd", "[bundler][golden]") {
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

}  // namespace
}  // namespace muster
