#include "net/snapshot/mix.h"

#include <cmath>

#include <catch2/catch.hpp>

#include "registry/base/seed.h"

namespace muster {
namespace {

TEST_CASE("Odds are logarithms, and probabilities grow with them", "[net][snapshot]") {
  CHECK(probability_of(0) == 32'768);
  for (std::int32_t odds = -kOddsMax; odds <= kOddsMax; ++odds) {
    CAPTURE(odds);
    const double wanted = 65'536 / (1 + std::exp(-static_cast<double>(odds) / kOddsUnit));
    REQUIRE(std::abs(probability_of(odds) - wanted) <= 1);
    REQUIRE(probability_of(odds) >= 1);
    REQUIRE(probability_of(odds) >= probability_of(odds - 1));
  }
  CHECK(probability_of(100'000) == probability_of(kOddsMax));
  CHECK(probability_of(-100'000) == probability_of(-kOddsMax));
}

TEST_CASE("A probability without corrections is unchanged", "[net][snapshot]") {
  const std::vector<std::int8_t> none(kMixContexts * kMixTableSize);
  Random random(1);
  for (std::uint32_t probability = 1; probability < 65'536; probability += 7) {
    MixContexts contexts;
    for (std::uint32_t& context : contexts) context = static_cast<std::uint32_t>(random.next());
    const auto given = static_cast<BitProbability>(probability);
    const auto found = mixed(none.data(), given, contexts, 3);
    CAPTURE(probability, found);
    // The loss is less than a thousandth of a bit.
    const double one = probability / 65536.0;
    const double guess = found / 65536.0;
    const double cost = -one * std::log2(guess) - (1 - one) * std::log2(1 - guess) +
                        one * std::log2(one) + (1 - one) * std::log2(1 - one);
    REQUIRE(cost < 0.001);
  }
}

TEST_CASE("Each context's table adds its correction, in sixteenths", "[net][snapshot]") {
  const std::size_t which = GENERATE(range(std::size_t{0}, kMixContexts));
  std::vector<std::int8_t> tables(kMixContexts * kMixTableSize);
  MixContexts contexts;
  for (std::size_t i = 0; i < kMixContexts; ++i) contexts[i] = static_cast<std::uint32_t>(i * 77);
  tables[which * kMixTableSize + mix_index(contexts[which], 5)] = 16;
  CHECK(mixed(tables.data(), 32'768, contexts, 5) == probability_of(kOddsUnit));
  CHECK(mixed(tables.data(), 32'768, contexts, 6) == 32'768);
  contexts[which] += 1;
  CHECK(mixed(tables.data(), 32'768, contexts, 5) == 32'768);
}

}  // namespace
}  // namespace muster
