#include "net/wire/range_coder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"
#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

struct Decision {
  bool bit = false;
  BitProbability probability = 1U << 15;
};

/// Random decisions that follow their probabilities.
std::vector<Decision> decisions_of(Random& random, std::size_t count) {
  std::vector<Decision> decisions(count);
  for (Decision& decision : decisions) {
    std::uint64_t probability = 1 + random.below(65535);
    if (random.below(4) == 0) probability = 1 + random.below(40);
    if (random.below(4) == 0) probability = 65535 - random.below(40);
    decision = {.bit = random.below(65536) < probability,
                .probability = static_cast<BitProbability>(probability)};
  }
  return decisions;
}

NetBytes encoded(const std::vector<Decision>& decisions) {
  NetBytes memory(decisions.size() * 4 + 16);
  RangeEncoder encoder(memory);
  for (const Decision& decision : decisions) encoder.encode(decision.bit, decision.probability);
  const std::span<const std::byte> bytes = encoder.finish();
  REQUIRE_FALSE(encoder.overflowed());
  return copy_of(bytes);
}

struct Outcome {
  bool is_same = true;  ///< True if every decoded decision equals the encoded decision.
  bool is_finished = false;
};

Outcome decoded(std::span<const std::byte> bytes, const std::vector<Decision>& decisions) {
  RangeDecoder decoder(bytes);
  Outcome outcome;
  for (const Decision& decision : decisions) {
    outcome.is_same = decoder.decode(decision.probability) == decision.bit && outcome.is_same;
  }
  outcome.is_finished = decoder.is_finished();
  if (decoder.failed()) CHECK_FALSE(outcome.is_finished);
  return outcome;
}

TEST_CASE("A range decoder returns the decisions that were encoded", "[net][wire]") {
  const std::size_t count = GENERATE(0U, 1U, 2U, 3U, 7U, 8U, 9U, 31U, 33U, 100U, 1000U, 20000U);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    CAPTURE(count, seed);
    Random random(seed);
    const std::vector<Decision> decisions = decisions_of(random, count);
    const Outcome outcome = decoded(encoded(decisions), decisions);
    CHECK(outcome.is_same);
    CHECK(outcome.is_finished);
  }
}

TEST_CASE("A range decoder returns long runs of one outcome", "[net][wire]") {
  const bool bit = GENERATE(false, true);
  const auto probability = static_cast<BitProbability>(GENERATE(1, 2, 256, 32768, 65280, 65535));
  for (std::size_t count = 0; count < 200; ++count) {
    CAPTURE(bit, probability, count);
    const std::vector<Decision> decisions(count, {.bit = bit, .probability = probability});
    const Outcome outcome = decoded(encoded(decisions), decisions);
    REQUIRE(outcome.is_same);
    REQUIRE(outcome.is_finished);
  }
}

TEST_CASE("A range coder needs only a few bits more than the information content of its decisions",
          "[net][wire]") {
  const std::size_t count = GENERATE(0U, 10U, 100U, 1000U, 20000U);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(count, seed);
    Random random(seed);
    const std::vector<Decision> decisions = decisions_of(random, count);
    double bits = 0;
    for (const Decision& decision : decisions) {
      const double one = decision.probability / 65536.0;
      bits -= std::log2(decision.bit ? one : 1 - one);
    }
    const auto size = static_cast<double>(encoded(decisions).size());
    CHECK(size <= bits / 8 * 1.02 + 3);
    CHECK(size >= bits / 8 - 3);  // Fewer bytes would lose information.
  }
}

TEST_CASE("A range decoder is finished only by exactly the bytes that the encoder wrote",
          "[net][wire]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::vector<Decision> decisions = decisions_of(random, random.below(120));
    const NetBytes bytes = encoded(decisions);
    const auto refuses = [&](std::span<const std::byte> damaged) {
      const Outcome outcome = decoded(damaged, decisions);
      return !outcome.is_same || !outcome.is_finished;
    };
    for (const unsigned value : {0U, 1U, 0x80U, 0xFFU}) {
      NetBytes longer = bytes;
      for (int i = 0; i < 6; ++i) {
        longer.push_back(static_cast<std::byte>(value));
        CHECK(refuses(longer));
      }
    }
    damage::each_truncation(bytes, [&](const ByteVector& cut) { CHECK(refuses(cut)); });
    damage::each_flip(bytes, [&](std::size_t, ByteVector& flipped) { CHECK(refuses(flipped)); });
  }
}

TEST_CASE("A range decoder accepts any bytes and fails far past their end", "[net][wire]") {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    NetBytes bytes(random.below(20));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
    RangeDecoder decoder(bytes);
    for (std::size_t i = 0; i < (bytes.size() + 10) * 8; ++i) {
      static_cast<void>(decoder.decode(1U << 15));
    }
    CHECK(decoder.failed());
    CHECK_FALSE(decoder.is_finished());
  }
}

TEST_CASE("A failed range decoder is never finished", "[net][wire]") {
  const std::vector<Decision> decisions(10);
  const NetBytes bytes = encoded(decisions);
  RangeDecoder decoder(bytes);
  for (const Decision& decision : decisions) {
    static_cast<void>(decoder.decode(decision.probability));
  }
  CHECK(decoder.is_finished());
  decoder.fail();
  CHECK_FALSE(decoder.is_finished());
}

TEST_CASE("A range encoder reports output that does not fit into its buffer", "[net][wire]") {
  Random random(5);
  const std::vector<Decision> decisions = decisions_of(random, 400);
  const std::size_t needed = encoded(decisions).size();
  for (std::size_t size = 0; size <= needed + 2; ++size) {
    CAPTURE(size, needed);
    NetBytes memory(size);
    RangeEncoder encoder(memory);
    for (const Decision& decision : decisions) encoder.encode(decision.bit, decision.probability);
    const std::span<const std::byte> bytes = encoder.finish();
    CHECK(encoder.overflowed() == (size < needed));
    CHECK(bytes.size() <= size);
    if (!encoder.overflowed()) CHECK(decoded(bytes, decisions).is_finished);
  }
}

TEST_CASE("Both ways to compute the middle of an interval give the same result", "[net][wire]") {
  Random random(5);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t a = random.next() >> random.below(64);
    const std::uint64_t b = random.next() >> random.below(64);
    const std::uint64_t low = std::min(a, b);
    const std::uint64_t range = std::max(a, b) - low;
    const auto share = static_cast<BitProbability>(1 + random.below(65535));
    CAPTURE(low, range, share);
    REQUIRE(RangeEncoder::middle_of(low, low + range, share) ==
            low + (range >> 16) * share + (((range & 0xFFFF) * share) >> 16));
  }
}

}  // namespace
}  // namespace muster
