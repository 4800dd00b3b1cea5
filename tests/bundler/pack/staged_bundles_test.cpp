#include "bundler/pack/staged_bundles.h"

#include <catch2/catch.hpp>

#include "bundler/pack/bundle_writer.h"
#include "registry/base/memory_file_system.h"
#include "tests/support/bundle_samples.h"
#include "tests/support/faulty_file_system.h"

namespace muster {
namespace {

using testing::FaultyFileSystem;

AssetPath path(std::string_view text) { return AssetPath::parse(text).value(); }

PackEntry entry(std::uint64_t asset, Bytes plain) {
  return {samples::guid(asset), 0, EntryKind::raw, plain};
}

constexpr PackOptions kOptions{.level = 3, .block_plain_bytes = 16384};

PackedHow how_packed(const BundleEntry& /*entry*/) { return {.level = kOptions.level}; }

PackedContent content_of(Bytes plain) {
  return {hash_bytes(plain), plain.size(), kOptions.level, 0};
}

void stage(StagedBundles& bundles, const std::string& name, std::span<const PackEntry> entries) {
  const ByteVector bytes = pack_bundle(entries, kOptions).value();
  const BundleReader reader = BundleReader::open(bytes).value();
  REQUIRE(bundles.stage_bundle(path(name), reader, bytes, how_packed).has_value());
}

TEST_CASE("A block that was packed before is copied unchanged", "[bundler][bundle]") {
  const ByteVector text = samples::compressible(100'000, 1);
  const ByteVector other = samples::compressible(70'000, 2);
  const ByteVector noise = samples::noise(40'000, 3);
  ByteVector mixed = text;
  mixed.insert(mixed.end(), noise.begin(), noise.end());
  MemoryFileSystem memory;
  FaultyFileSystem files(memory, ErrorCode::io);
  auto output = OutputFolder::open_for_build(files);
  StagedBundles bundles(output.value());
  stage(bundles, "client/bundles/a", std::vector{entry(1, text), entry(2, noise)});
  stage(bundles, "client/bundles/b", std::vector{entry(3, mixed), entry(4, text)});

  const std::vector entries{entry(1, other), entry(2, mixed), entry(3, Bytes(text).first(50'000)),
                            entry(4, noise), entry(5, text),  entry(6, Bytes(other).first(10))};
  const ByteVector expected = pack_bundle(entries, kOptions).value();
  std::vector<Compressor> compressors(GENERATE(1U, 3U));
  const PackWorkers workers{compressors, {}, &bundles};
  CHECK(pack_bundle(entries, kOptions, workers).value() == expected);

  std::size_t n = 0;
  for (;; ++n) {
    files.fail_at(n);
    const auto packed = pack_bundle(entries, kOptions, workers);
    if (!files.has_failed()) break;
    REQUIRE_FALSE(packed.has_value());
    CHECK(packed.error().code == ErrorCode::io);
  }
  CHECK(n > 10);
}

TEST_CASE("Blocks of an earlier bundle are offered only if all its bytes are correct",
          "[bundler][bundle]") {
  const ByteVector text = samples::compressible(100'000, 1);
  const ByteVector whole =
      pack_bundle(std::vector{entry(1, text)}, {.level = kOptions.level}).value();
  const bool is_damaged = GENERATE(false, true);
  ByteVector old = whole;
  if (is_damaged) old.back() ^= std::byte{1};
  MemoryFileSystem before;
  REQUIRE(before.write(path("a.mbundle"), old).has_value());
  MemoryFileSystem memory;
  auto output = OutputFolder::open_for_build(memory);
  StagedBundles bundles(output.value());
  bundles.remember_earlier(before, path("a.mbundle"), how_packed);
  CHECK(bundles.find(content_of(text)).empty() == is_damaged);
}

TEST_CASE("A staged entry is found by its content alone", "[bundler][bundle]") {
  const ByteVector text = samples::compressible(100'000, 1);
  const Bytes small = Bytes(text).first(StagedBundles::kMinPlainBytes - 1);
  MemoryFileSystem files;
  auto output = OutputFolder::open_for_build(files);
  StagedBundles bundles(output.value());
  CHECK(bundles.find(content_of(text)).empty());
  stage(bundles, "client/bundles/a", std::vector{entry(1, text), entry(2, small)});
  CHECK(bundles.find(content_of(text)).size() == 7);
  PackedContent other = content_of(text);
  ++other.plain_bytes;
  CHECK(bundles.find(other).empty());
  other = content_of(text);
  ++other.level;
  CHECK(bundles.find(other).empty());
  other = content_of(text);
  other.dictionary_id = 7;
  CHECK(bundles.find(other).empty());
  CHECK(bundles.find(content_of(small)).empty());
}

TEST_CASE("A truncated staged bundle is detected", "[bundler][bundle]") {
  const ByteVector text = samples::compressible(100'000, 1);
  MemoryFileSystem files;
  auto output = OutputFolder::open_for_build(files);
  StagedBundles bundles(output.value());
  const std::vector entries{entry(1, text)};
  stage(bundles, "client/bundles/a", entries);
  REQUIRE(output.value().stage(path("client/bundles/a"), Bytes(text).first(300)).has_value());
  Compressor compressor;
  const PackWorkers workers{std::span(&compressor, 1), {}, &bundles};
  CHECK(pack_bundle(entries, kOptions, workers).error().code == ErrorCode::truncated);
}

}  // namespace
}  // namespace muster
