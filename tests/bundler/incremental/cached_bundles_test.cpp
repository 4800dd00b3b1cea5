#include "bundler/incremental/cached_bundles.h"

#include <catch2/catch.hpp>

#include "bundler/pack/bundle_writer.h"
#include "tests/support/bundle_samples.h"

namespace muster {
namespace {

CachedBundle sample() {
  const ByteVector plain(5000, std::byte{7});
  const std::vector<PackEntry> entries = {{samples::guid(1), kMainPayload, EntryKind::raw, plain}};
  Compressor compressor;
  CachedBundle bundle;
  bundle.file = pack_bundle(entries, {}, {.compressors = std::span(&compressor, 1)}).value();
  bundle.plain_bytes = 5000;
  bundle.source_bytes = 6000;
  bundle.asset_bytes = {5000, 0};
  return bundle;
}

}  // namespace

TEST_CASE("A cached bundle is unchanged after a round trip", "[cache]") {
  const CachedBundle bundle = sample();
  const auto read = parse_cached_bundle(encode(bundle));
  REQUIRE(read.has_value());
  CHECK(read->file == bundle.file);
  CHECK(read->plain_bytes == bundle.plain_bytes);
  CHECK(read->source_bytes == bundle.source_bytes);
  CHECK(read->asset_bytes == bundle.asset_bytes);
}

TEST_CASE("A truncated or changed cached bundle is refused", "[cache]") {
  const CachedBundle bundle = sample();
  const ByteVector bytes = encode(bundle);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    CHECK_FALSE(parse_cached_bundle(Bytes(bytes).first(cut)).has_value());
  }
  const std::size_t head = bytes.size() - bundle.file.size();
  for (std::size_t at = head; at < bytes.size(); ++at) {
    ByteVector changed = bytes;
    changed[at] ^= std::byte{16};
    CHECK_FALSE(parse_cached_bundle(changed).has_value());
  }
}

TEST_CASE(
    "Questions about inputs are unchanged after a round trip, and invalid questions are refused",
    "[cache]") {
  const std::vector<CookFact> facts = {
      {{.kind = CookQuestionKind::content, .guid = samples::guid(1), .text = {}}, {}},
      {{.kind = CookQuestionKind::component, .guid = {}, .text = "Health"}, {}}};
  const ByteVector bytes = encode_questions(facts);
  const auto questions = parse_questions(bytes);
  REQUIRE(questions.has_value());
  CHECK(*questions == std::vector<CookQuestion>{facts[0].question, facts[1].question});
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    CHECK_FALSE(parse_questions(Bytes(bytes).first(cut)).has_value());
  }
  ByteVector unknown = bytes;
  unknown[1] = std::byte{99};
  CHECK_FALSE(parse_questions(unknown).has_value());
}

}  // namespace muster
