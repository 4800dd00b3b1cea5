#include "runtime/bundle/bundle_reader.h"

#include <limits>

#include <catch2/catch.hpp>

#include "tests/support/bundle_samples.h"
#include "tests/support/damage.h"
#include "tests/support/wrong_field.h"

namespace muster {
namespace {

namespace header = layout::bundle::header;

constexpr std::size_t kFirstEntry = header::kBytes;

ByteVector sample_bytes() {
  const samples::BundleSample sample = samples::bundle();
  return pack_bundle(sample.entries, sample.options).value();
}

// The offset of the block table of a valid bundle.
std::size_t block_table_of(const ByteVector& bytes) {
  return kFirstEntry + BundleReader::open(bytes).value().entry_count() * 64;
}

Result<void> verify(Bytes bytes) {
  Result<BundleReader> reader = BundleReader::open(bytes);
  if (!reader) return fail(reader.error());
  Decompressor decompressor;
  ByteVector buffer;
  return reader.value().verify(decompressor, buffer);
}

TEST_CASE("A bundle returns every entry by guid and local id", "[runtime][bundle]") {
  const samples::BundleSample sample = samples::bundle();
  const ByteVector bytes = sample_bytes();
  const BundleReader reader = BundleReader::open(bytes).value();
  Decompressor decompressor;
  ByteVector buffer;
  REQUIRE(reader.entry_count() == sample.entries.size());
  for (const PackEntry& wanted : sample.entries) {
    const auto entry = reader.find(wanted.guid, wanted.local_id);
    REQUIRE(entry.has_value());
    CHECK(entry->kind == wanted.kind);
    CHECK(entry->plain_bytes == wanted.plain.size());
    const Result<Bytes> plain = reader.read(*entry, decompressor, buffer);
    REQUIRE(plain.has_value());
    CHECK(std::ranges::equal(plain.value(), wanted.plain));
  }
  CHECK_FALSE(reader.find(samples::guid(1), 5).has_value());
  CHECK_FALSE(reader.find(samples::guid(77), 0).has_value());
  CHECK_FALSE(reader.find(Guid(), std::numeric_limits<std::int64_t>::min()).has_value());
  CHECK(reader.verify(decompressor, buffer).has_value());
}

TEST_CASE("Reading an entry a second time allocates nothing", "[runtime][bundle]") {
  const ByteVector bytes = sample_bytes();
  const BundleReader reader = BundleReader::open(bytes).value();
  Decompressor decompressor;
  ByteVector buffer;
  const auto entry = reader.find(samples::guid(3), kMainPayload);
  REQUIRE(entry.has_value());
  REQUIRE(reader.read(*entry, decompressor, buffer).has_value());
  const std::byte* const address = buffer.data();
  const std::size_t capacity = buffer.capacity();
  REQUIRE(reader.read(*entry, decompressor, buffer).has_value());
  CHECK(buffer.data() == address);
  CHECK(buffer.capacity() == capacity);
}

TEST_CASE("A stored entry is used in place", "[runtime][bundle]") {
  const ByteVector bytes = sample_bytes();
  const BundleReader reader = BundleReader::open(bytes).value();
  Decompressor decompressor;
  ByteVector buffer;
  const auto entry = reader.find(samples::guid(4), kMainPayload);
  REQUIRE(entry.has_value());
  REQUIRE(entry->block_count == 2);
  const Result<Bytes> plain = reader.read(*entry, decompressor, buffer);
  REQUIRE(plain.has_value());
  CHECK(buffer.empty());
  CHECK(plain.value().data() > bytes.data());
  CHECK(plain.value().data() < bytes.data() + bytes.size());
}

TEST_CASE("Blocks of a large entry decompress one by one", "[runtime][bundle]") {
  const samples::BundleSample sample = samples::bundle();
  const ByteVector bytes = sample_bytes();
  const BundleReader reader = BundleReader::open(bytes).value();
  const auto entry = reader.find(samples::guid(3), kMainPayload);
  REQUIRE(entry.has_value());
  REQUIRE(entry->block_count == 3);
  const BundleBlock block = reader.block(*entry, 2);
  ByteVector plain(block.plain_bytes);
  Decompressor decompressor;
  REQUIRE(reader.read_block(block, decompressor, plain).has_value());
  CHECK(std::ranges::equal(plain, Bytes(sample.plain[3]).subspan(2 * 4096)));
}

TEST_CASE("An empty bundle is valid", "[runtime][bundle]") {
  const ByteVector bytes = pack_bundle({}).value();
  CHECK(bytes.size() == header::kBytes);
  CHECK(BundleReader::open(bytes).value().entry_count() == 0);
  CHECK(verify(bytes).has_value());
}

TEST_CASE("A bundle reader refuses a truncated bundle of any length", "[runtime][bundle]") {
  damage::each_truncation(sample_bytes(), [](const ByteVector& shorter) {
    CAPTURE(shorter.size());
    const Result<BundleReader> reader = BundleReader::open(shorter);
    REQUIRE_FALSE(reader.has_value());
    CHECK(reader.error().code == ErrorCode::truncated);
  });
}

TEST_CASE("Bytes after the end of a bundle are refused", "[runtime][bundle]") {
  ByteVector bytes = sample_bytes();
  bytes.push_back(std::byte{0});
  CHECK(BundleReader::open(bytes).error().code == ErrorCode::malformed);
}

TEST_CASE("Every flipped bit of a bundle is detected", "[runtime][bundle]") {
  damage::each_flip(sample_bytes(), [](std::size_t offset, ByteVector& damaged) {
    CAPTURE(offset);
    REQUIRE_FALSE(verify(damaged).has_value());
  });
}

TEST_CASE("A flipped bit with a corrected hash is refused, or the content is unchanged",
          "[runtime][bundle]") {
  const ByteVector sane = sample_bytes();
  const BundleReader before = BundleReader::open(sane).value();
  damage::each_flip(sane, [&](std::size_t offset, ByteVector& damaged) {
    if (offset < header::kHashedFrom) return;
    CAPTURE(offset);
    samples::fix_hash(damaged);
    if (!verify(damaged).has_value()) return;
    // Undetected damage can only change a name or a kind, or encode the same bytes in another way.
    const BundleReader after = BundleReader::open(damaged).value();
    REQUIRE(after.entry_count() == before.entry_count());
    for (std::uint32_t i = 0; i < before.entry_count(); ++i) {
      CHECK(after.entry(i).plain_hash == before.entry(i).plain_hash);
    }
  });
}

TEST_CASE("Fields with invalid values are refused before anything is allocated",
          "[runtime][bundle]") {
  const ByteVector sane = sample_bytes();
  const std::size_t blocks = block_table_of(sane);
  const std::uint32_t huge = 0xFFFFFFFFU;
  const WrongField field = GENERATE_COPY(values<WrongField>({
      {0, 0, ErrorCode::malformed, "magic"},
      {8, 1, ErrorCode::unsupported_version, "version 1"},
      {8, 0, ErrorCode::unsupported_version, "version 0"},
      {8, 0x00010002, ErrorCode::malformed, "flags"},
      {12, 1, ErrorCode::malformed, "reserved"},
      {32, huge, ErrorCode::truncated, "file size"},
      {36, huge, ErrorCode::truncated, "file size, upper half"},
      {32, 64, ErrorCode::malformed, "file size, too small"},
      {40, huge, ErrorCode::limit_exceeded, "entry count"},
      {40, 1U << 20U, ErrorCode::truncated, "entry count within its bound"},
      {40, 0, ErrorCode::malformed, "no entries but blocks"},
      {44, huge, ErrorCode::limit_exceeded, "block count"},
      {44, 1U << 22U, ErrorCode::truncated, "block count within its bound"},
      {44, 0, ErrorCode::malformed, "no blocks"},
      {48, 0, ErrorCode::malformed, "block size 0"},
      {48, 2048, ErrorCode::malformed, "block size below its bound"},
      {48, 5000, ErrorCode::malformed, "block size no power of two"},
      {48, 1U << 21U, ErrorCode::malformed, "block size above its bound"},
      {52, 1, ErrorCode::malformed, "reserved"},
      {56, 1, ErrorCode::malformed, "sum of plain sizes"},
      {kFirstEntry + 40, huge, ErrorCode::malformed, "plain size needs more blocks"},
      {kFirstEntry + 44, 2, ErrorCode::limit_exceeded, "plain size above 4 GiB"},
      {kFirstEntry + 48, 1, ErrorCode::malformed, "first block"},
      {kFirstEntry + 52, 0, ErrorCode::malformed, "kind 0"},
      {kFirstEntry + 52, 6, ErrorCode::malformed, "kind 6"},
      {kFirstEntry + 52, 0x00010001, ErrorCode::malformed, "entry flags"},
      {kFirstEntry + 2 * 64 + 56, 1, ErrorCode::malformed, "dictionary of stored bytes"},
      {kFirstEntry + 60, 1, ErrorCode::malformed, "reserved"},
      {blocks, 0, ErrorCode::malformed, "block offset: overlap"},
      {blocks + 4, 1, ErrorCode::malformed, "block offset: far away"},
      {blocks + 8, huge, ErrorCode::truncated, "stored size beyond the file"},
      {blocks + 8, 0, ErrorCode::malformed, "stored size 0"},
      {blocks + 12, 2, ErrorCode::malformed, "coding 2"},
  }));
  ByteVector damaged = samples::patched(sane, field.offset, field.value);
  samples::fix_hash(damaged);
  check_refused<BundleReader>(damaged, field);
}

TEST_CASE("Entries out of order or duplicated are refused", "[runtime][bundle]") {
  const ByteVector sane = sample_bytes();
  ByteVector swapped = sane;
  std::swap_ranges(swapped.begin() + 64, swapped.begin() + 64 + 24, swapped.begin() + 128);
  CHECK(BundleReader::open(swapped).error().code == ErrorCode::malformed);
  ByteVector twice = sane;
  std::copy_n(twice.begin() + 64, 24, twice.begin() + 128);
  CHECK(BundleReader::open(twice).error().code == ErrorCode::malformed);
}

TEST_CASE("A frame that does not match its block is refused", "[runtime][bundle]") {
  const ByteVector plain = samples::compressible(3000, 9);
  Compressor compressor;
  ByteVector frame;
  REQUIRE(compressor.compress(plain, 3, frame));
  Decompressor decompressor;
  ByteVector out(plain.size());
  REQUIRE(decompressor.decompress(frame, out).has_value());
  CHECK(out == plain);

  ByteVector trailing = frame;
  trailing.push_back(std::byte{0});
  CHECK(decompressor.decompress(trailing, out).error().code == ErrorCode::malformed);
  ByteVector two = frame;
  two.insert(two.end(), frame.begin(), frame.end());
  CHECK(decompressor.decompress(two, out).error().code == ErrorCode::malformed);
  // An empty frame, which adds no bytes.
  ByteVector followed = frame;
  for (const unsigned byte : {0x28U, 0xB5U, 0x2FU, 0xFDU, 0x20U, 0x00U, 0x01U, 0x00U, 0x00U}) {
    followed.push_back(static_cast<std::byte>(byte));
  }
  CHECK(decompressor.decompress(followed, out).error().code == ErrorCode::malformed);
  ByteVector larger(plain.size() + 1);
  CHECK(decompressor.decompress(frame, larger).error().code == ErrorCode::malformed);
  const ByteVector skippable = samples::patched(ByteVector(8 + 10), 0, 0x184D2A50U);
  CHECK(decompressor.decompress(skippable, out).error().code == ErrorCode::malformed);
  CHECK(decompressor.decompress(Bytes(frame).first(4), out).error().code == ErrorCode::malformed);
  CHECK(decompressor.decompress({}, out).error().code == ErrorCode::malformed);
}

TEST_CASE("A frame of any size and content is read, and a part of a frame is refused",
          "[runtime][bundle]") {
  // Sizes around the limits at which a frame encodes its size differently, and around a block's
  // size.
  const auto size =
      GENERATE(as<std::size_t>(), 100, 255, 256, 257, 65'791, 65'792, 131'072, 300'001);
  ByteVector half_noise = samples::noise(size / 2, 4);
  half_noise.resize(size);
  const auto [name, plain] = GENERATE_COPY(
      table<std::string, ByteVector>({{"text", samples::compressible(size, 3)},
                                      {"noise and zeros", half_noise},
                                      {"one byte repeated", ByteVector(size, std::byte{7})}}));
  CAPTURE(size, name);
  Compressor compressor;
  Decompressor decompressor;
  ByteVector frame;
  REQUIRE(compressor.compress(plain, 3, frame));
  ByteVector out(size);
  REQUIRE(decompressor.decompress(frame, out).has_value());
  CHECK(out == plain);
  const std::size_t step = frame.size() < 2000 ? 1 : frame.size() / 500;
  for (std::size_t length = 0; length < frame.size(); length += step) {
    const Result<void> cut = decompressor.decompress(Bytes(frame).first(length), out);
    if (cut || cut.error().code != ErrorCode::malformed) FAIL("accepted at " << length);
  }
}

}  // namespace
}  // namespace muster
