#include "bundler/dictionaries/compression_plan.h"

#include <catch2/catch.hpp>

#include "bundler/pack/compressed_media.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

using namespace std::string_view_literals;

CompressionRules rules() {
  CompressionRules rules;
  rules.kinds = {{"object", 19}, {"raw", 3}, {"wav", 0}, {"png", 12}};
  return rules;
}

TEST_CASE("An extension has priority over an entry's kind, and a kind over the default",
          "[bundler][compression]") {
  const CompressionPlan plan(6, rules(), {});
  CHECK(plan.level_of(EntryKind::object, "prefab") == 19);
  CHECK(plan.level_of(EntryKind::raw, "bytes") == 3);
  CHECK(plan.level_of(EntryKind::raw, "WAV") == 0);
  CHECK(plan.level_of(EntryKind::import_settings, "wav") == 0);
  CHECK(plan.level_of(EntryKind::prefab, "prefab") == 6);
  CHECK(plan.level_of(EntryKind::raw, "") == 3);
}

TEST_CASE("Compressed media are not compressed again, unless a rule names their extension",
          "[bundler][compression]") {
  const auto [name, beginning, is_media] = GENERATE(table<std::string, std::string_view, bool>({
      {"png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"sv, true},
      {"jpg", "\xFF\xD8\xFF\xE0"sv, true},
      {"gif", "GIF89a"sv, true},
      {"webp", "RIFF\x10\0\0\0WEBPVP8 "sv, true},
      {"wav", "RIFF\x10\0\0\0WAVEfmt "sv, false},
      {"ogg", "OggS\0"sv, true},
      {"mp3 with a tag", "ID3\x04"sv, true},
      {"mp3", "\xFF\xFB\x90\x64"sv, true},
      {"no mp3: the bit rate is none", "\xFF\xFB\xF0\x64"sv, false},
      {"no mp3: UTF-16", "\xFF\xFE\x90\x00"sv, false},
      {"flac", "fLaC"sv, true},
      {"mp4",
       "\0\0\0\x20"
       "ftypisom"sv,
       true},
      {"webm", "\x1A\x45\xDF\xA3"sv, true},
      {"zip", "PK\x03\x04"sv, true},
      {"gzip", "\x1F\x8B\x08"sv, true},
      {"zstd", "\x28\xB5\x2F\xFD"sv, true},
      {"xz",
       "\xFD"
       "7zXZ\0"sv,
       true},
      {"bzip2", "BZh9\x31\x41\x59\x26\x53\x59"sv, true},
      {"a text that begins like bzip2", "BZhang wrote this"sv, false},
      {"7z", "7z\xBC\xAF\x27\x1C"sv, true},
      {"ktx2",
       "\xABKTX 20\xBB\r\n\x1A\n"
       "................................\x02\0\0\0"sv,
       true},
      {"plain ktx2",
       "\xABKTX 20\xBB\r\n\x1A\n"
       "................................\0\0\0\0"sv,
       false},
      {"tga", "\0\0\x02\0"sv, false},
      {"yaml", "%YAML 1.1"sv, false},
      {"", ""sv, false},
  }));
  CAPTURE(name);
  const Bytes content = as_bytes(beginning);
  CHECK(is_compressed_media(content) == is_media);
  for (std::size_t size = 0; size < content.size(); ++size) {
    (void)is_compressed_media(content.first(size));  // Bytes after the end are not read.
  }
  const CompressionPlan plain(6);
  CHECK(plain.level_of(EntryKind::raw, "x", content) == (is_media ? 0 : 6));
  CHECK(plain.level_of(EntryKind::object, "x", content) == 6);
  const CompressionPlan ruled(6, rules(), {});
  CHECK(ruled.level_of(EntryKind::raw, "png", content) == 12);
}

TEST_CASE("Each entry is compressed at its own level, or not at all if a rule requires it",
          "[bundler][compression]") {
  const ByteVector text = samples::compressible(3000, 1);
  const auto entry = [&](std::uint64_t number, std::optional<int> level) {
    return PackEntry{samples::guid(number), 0, EntryKind::raw, text, level, nullptr};
  };
  const std::vector<PackEntry> mixed = {entry(1, 0), entry(2, 1), entry(3, std::nullopt)};
  const ByteVector bytes = pack_bundle(mixed, {.level = 19}).value();
  const BundleReader reader = BundleReader::open(bytes).value();
  const auto stored = [&](std::uint32_t index) {
    return reader.block(reader.entry(index), 0).stored_bytes;
  };
  CHECK(stored(0) == text.size());
  CHECK(stored(1) < text.size());
  CHECK(stored(2) < stored(1));
  const auto alone = [&](int level) {
    const ByteVector one =
        pack_bundle(std::vector{entry(1, std::nullopt)}, {.level = level}).value();
    const BundleReader single = BundleReader::open(one).value();
    return single.block(single.entry(0), 0).stored_bytes;
  };
  CHECK(stored(1) == alone(1));
  CHECK(stored(2) == alone(19));
}

}  // namespace
}  // namespace muster
