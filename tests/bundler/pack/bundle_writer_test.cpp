#include "bundler/pack/bundle_writer.h"

#include <algorithm>
#include <array>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

TEST_CASE("A bundle's bytes do not depend on the order of its entries or on earlier bundles",
          "[bundler][bundle]") {
  samples::BundleSample sample = samples::bundle();
  const ByteVector first = pack_bundle(sample.entries, sample.options).value();
  Compressor compressor;
  const ByteVector other = samples::compressible(50000, 77);
  const PackEntry unrelated{samples::guid(5), 0, EntryKind::raw, other};
  REQUIRE(pack_bundle({&unrelated, 1}, {.level = 12}, {std::span(&compressor, 1)}).has_value());
  std::ranges::reverse(sample.entries);
  CHECK(pack_bundle(sample.entries, sample.options, {std::span(&compressor, 1)}).value() == first);
}

TEST_CASE("A bundle's bytes do not depend on the number of threads", "[bundler][bundle]") {
  // The entries have more blocks than one group of threads packs. Some blocks are compressible.
  const ByteVector text = samples::compressible(1'500'000, 5);
  const ByteVector noise = samples::noise(300'000, 6);
  std::vector<PackEntry> entries;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const Bytes plain = i % 4 == 0 ? Bytes(noise) : Bytes(text);
    entries.push_back(
        {samples::guid(i + 1), 0, EntryKind::raw, plain.first(plain.size() / (i + 1))});
  }
  const PackOptions options{.level = 1, .block_plain_bytes = 16384};
  const ByteVector expected = pack_bundle(entries, options).value();
  for (const std::size_t count : {2U, 3U, 8U}) {
    CAPTURE(count);
    std::vector<Compressor> compressors(count);
    CHECK(pack_bundle(entries, options, {compressors}).value() == expected);
  }
}

TEST_CASE("Packing stops on request", "[bundler][bundle]") {
  const ByteVector text = samples::compressible(100'000, 5);
  const PackEntry entry{samples::guid(1), 0, EntryKind::raw, text};
  std::vector<Compressor> compressors(GENERATE(1U, 2U));
  std::stop_source stop;
  stop.request_stop();
  CHECK(pack_bundle({&entry, 1}, {}, {compressors, stop.get_token()}).error().code ==
        ErrorCode::cancelled);
}

TEST_CASE("Incompressible content is stored", "[bundler][bundle]") {
  const ByteVector noise = samples::noise(10000, 3);
  const PackEntry entry{samples::guid(1), 0, EntryKind::raw, noise};
  const ByteVector bytes = pack_bundle({&entry, 1}).value();
  CHECK(bytes.size() == 64 + 64 + 16 + noise.size());
  const BundleReader reader = BundleReader::open(bytes).value();
  CHECK(reader.block(reader.entry(0), 0).coding == BlockCoding::stored);
}

TEST_CASE("The packer refuses content that a bundle cannot have", "[bundler][bundle]") {
  const PackEntry entry{samples::guid(1), 0, EntryKind::raw, {}};
  const std::array<PackEntry, 2> twice = {entry, entry};
  CHECK(pack_bundle(twice).error().code == ErrorCode::already_exists);
  for (const int level : {0, 20, -1}) {
    CHECK(pack_bundle({&entry, 1}, {.level = level}).error().code == ErrorCode::invalid_argument);
  }
  for (const std::uint32_t size : {0U, 100U, 5000U, 1U << 21U}) {
    CHECK(pack_bundle({&entry, 1}, {.block_plain_bytes = size}).error().code ==
          ErrorCode::invalid_argument);
  }
}

TEST_CASE("The longest run of equal bytes stays within the ratio that readers accept",
          "[bundler][bundle]") {
  const ByteVector zeros(4U << 20U);
  const PackEntry entry{samples::guid(1), 0, EntryKind::raw, zeros};
  for (const std::uint32_t size : {1U << 12U, 1U << 18U, 1U << 20U}) {
    const Result<ByteVector> bytes =
        pack_bundle({&entry, 1}, {.level = kMaxLevel, .block_plain_bytes = size});
    REQUIRE(bytes.has_value());
    CHECK(BundleReader::open(bytes.value()).has_value());
  }
}

TEST_CASE("Random bundles are unchanged after a round trip", "[bundler][bundle]") {
  const std::uint64_t seed = 4711;
  for (std::uint64_t run = 0; run < 60; ++run) {
    CAPTURE(seed + run);
    Random random(seed + run);
    std::vector<ByteVector> plain(random.below(20));
    std::vector<PackEntry> entries;
    for (ByteVector& bytes : plain) {
      const std::size_t size = random.below(3) == 0 ? random.below(40000) : random.below(300);
      bytes = random.below(2) == 0 ? samples::noise(size, random.next())
                                   : samples::compressible(size, random.next());
      const auto local_id = static_cast<std::int64_t>(entries.size()) - 5;
      entries.push_back({samples::guid(random.below(4)), local_id, EntryKind::raw, bytes});
    }
    const PackOptions options{.level = static_cast<int>(1 + random.below(9)),
                              .block_plain_bytes = 1U << (12 + random.below(3))};
    const ByteVector bytes = pack_bundle(entries, options).value();
    const BundleReader reader = BundleReader::open(bytes).value();
    Decompressor decompressor;
    ByteVector buffer;
    REQUIRE(reader.verify(decompressor, buffer).has_value());
    for (const PackEntry& entry : entries) {
      const auto found = reader.find(entry.guid, entry.local_id);
      REQUIRE(found.has_value());
      CHECK(std::ranges::equal(reader.read(*found, decompressor, buffer).value(), entry.plain));
    }
  }
}

}  // namespace
}  // namespace muster
