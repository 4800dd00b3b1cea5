// An untrusted bundle is refused, or read without harm. A second run corrects the hashes, so that
// they do not reject damaged input.
#include <cassert>
#include <cstring>
#include <vector>

#include "bundler/pack/bundle_writer.h"
#include "runtime/bundle/bundle_reader.h"
#include "tests/support/bundle_samples.h"

namespace {

using namespace muster;

// A few bytes of zstd can expand to gigabytes, which would slow down the fuzzer.
constexpr std::uint64_t kPlainBytesMax = 8U << 20U;

// Returns a decompressor with the samples' dictionary, which some corpus files need.
Decompressor make_decompressor() {
  static const auto dictionaries = samples::dictionaries();
  Decompressor decompressor;
  decompressor.use(dictionaries);
  return decompressor;
}

// Decompresses every entry block by block and writes the hash of the result into the table. Returns
// true if all entries were decompressed.
bool fix_entry_hashes(const BundleReader& reader, ByteVector& file) {
  Decompressor decompressor = make_decompressor();
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    const BundleEntry entry = reader.entry(i);
    ByteVector plain(static_cast<std::size_t>(entry.plain_bytes));
    std::size_t done = 0;
    for (std::uint32_t b = 0; b < entry.block_count; ++b) {
      const BundleBlock block = reader.block(entry, b);
      const std::span<std::byte> part = std::span(plain).subspan(done, block.plain_bytes);
      if (!reader.read_block(block, decompressor, part)) return false;
      done += block.plain_bytes;
    }
    assert(done == plain.size());
    const ContentHash hash = hash_bytes(plain);
    std::memcpy(file.data() + 64 + std::size_t{i} * 64 + 24, hash.bytes.data(), 16);
  }
  return true;
}

// An intact bundle can be packed again with the same entries.
void check_repacking(const BundleReader& reader) {
  Decompressor decompressor = make_decompressor();
  std::vector<ByteVector> plain(reader.entry_count());
  std::vector<PackEntry> entries;
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    const BundleEntry entry = reader.entry(i);
    ByteVector buffer;
    const Bytes bytes = reader.read(entry, decompressor, buffer).value();
    plain[i].assign(bytes.begin(), bytes.end());
    entries.push_back({entry.guid, entry.local_id, entry.kind, plain[i]});
    const auto found = reader.find(entry.guid, entry.local_id);
    assert(found.has_value() && found->plain_hash == entry.plain_hash);
  }
  const ByteVector again =
      pack_bundle(entries, {.level = 1, .block_plain_bytes = reader.block_plain_bytes()}).value();
  const BundleReader second = BundleReader::open(again).value();
  for (std::uint32_t i = 0; i < reader.entry_count(); ++i) {
    assert(second.entry(i).plain_hash == reader.entry(i).plain_hash);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes input = std::as_bytes(std::span(data, size));
  const Result<BundleReader> reader = BundleReader::open(input);
  if (!reader || reader.value().plain_bytes() > kPlainBytesMax) return 0;
  Decompressor decompressor = make_decompressor();
  ByteVector buffer;
  if (!reader.value().verify(decompressor, buffer)) {
    ByteVector fixed(input.begin(), input.end());
    if (!fix_entry_hashes(reader.value(), fixed)) return 0;
    samples::fix_hash(fixed);
    const BundleReader sane = BundleReader::open(fixed).value();
    // Uses a new decompressor, because zstd's result for a damaged frame depends on whether the
    // dictionary was used for the previous frame.
    Decompressor fresh = make_decompressor();
    assert(sane.verify(fresh, buffer).has_value());
    check_repacking(sane);
    return 0;
  }
  check_repacking(reader.value());
  return 0;
}
