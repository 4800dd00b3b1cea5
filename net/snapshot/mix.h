// Combines several probabilities of one decision: each context of a decision has a table of
// corrections to the odds. See SNAPSHOT_FORMAT.md, "Mixing".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/wire/range_coder.h"

namespace muster {

/// The number of contexts of a decision. Each context reduces the number of bytes by one or two
/// percent.
inline constexpr std::size_t kMixContexts = 12;
/// The table of a context has 2^kMixTableBits entries. All tables together fit into a processor's
/// second-level cache.
inline constexpr unsigned kMixTableBits = 16;
inline constexpr std::size_t kMixTableSize = std::size_t{1} << kMixTableBits;

/// Odds are natural logarithms in units of 1/64, from -12 to 12. The unit of corrections is 1/16.
inline constexpr std::int32_t kOddsUnit = 64;
inline constexpr std::int32_t kOddsMax = 12 * kOddsUnit;
inline constexpr std::int32_t kCorrectionUnit = 16;

namespace mix_detail {

constexpr double exponential(double x) {
  double result = 1;
  for (int k = 40; k > 0; --k) result = 1 + result * x / k;
  return result;
}

/// The probability for each value of the odds. The compiler computes the table, so that it is equal
/// on every machine.
inline constexpr std::array<BitProbability, 2 * kOddsMax + 1> kProbabilities = [] {
  std::array<BitProbability, 2 * kOddsMax + 1> table{};
  for (std::int32_t odds = 0; odds <= kOddsMax; ++odds) {
    const double against = 1 / exponential(static_cast<double>(odds) / kOddsUnit);
    const auto likely = static_cast<std::int32_t>(65536 / (1 + against) + 0.5);
    const std::int32_t bounded = likely > 65535 ? 65535 : likely;
    table[static_cast<std::size_t>(kOddsMax + odds)] = static_cast<BitProbability>(bounded);
    table[static_cast<std::size_t>(kOddsMax - odds)] = static_cast<BitProbability>(65536 - bounded);
  }
  return table;
}();

/// The odds for each of 4096 ranges of probabilities: the odds whose probability is nearest to the
/// middle of the range.
inline constexpr std::array<std::int16_t, 4096> kOdds = [] {
  std::array<std::int16_t, 4096> table{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const auto middle = static_cast<int>(i * 16 + 8);
    while (at + 1 < kProbabilities.size() &&
           kProbabilities[at] + kProbabilities[at + 1] <= 2 * middle) {
      ++at;
    }
    table[i] = static_cast<std::int16_t>(static_cast<std::int32_t>(at) - kOddsMax);
  }
  return table;
}();

}  // namespace mix_detail

inline std::int32_t odds_of(BitProbability probability) {
  return mix_detail::kOdds[probability >> 4];
}
inline BitProbability probability_of(std::int32_t odds) {
  const std::int32_t bounded = std::clamp(odds, -kOddsMax, kOddsMax);
  return mix_detail::kProbabilities[static_cast<std::size_t>(bounded + kOddsMax)];
}

/// The contexts of the decisions of a lane, or of an entity.
using MixContexts = std::array<std::uint32_t, kMixContexts>;

/// Mixes a number into a context.
inline std::uint32_t stir(std::uint32_t context, std::uint32_t number) {
  return (context ^ number) * 0x9E37'79B1U + (context >> 15);
}

/// The index of a decision's correction in a context's table; `node` distinguishes decisions with
/// the same contexts.
inline std::size_t mix_index(std::uint32_t context, std::uint32_t node) {
  return ((context + node * 0x85EB'CA6BU) * 0xC2B2'AE35U) >> (32 - kMixTableBits);
}

/// The tables of a model without corrections.
const std::int8_t* no_corrections();

/// Returns the corrected probability of a decision. Requires: `tables` has `kMixContexts *
/// kMixTableSize` entries.
inline BitProbability mixed(const std::int8_t* tables, BitProbability probability,
                            const MixContexts& contexts, std::uint32_t node) {
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < kMixContexts; ++i) {
    sum += tables[i * kMixTableSize + mix_index(contexts[i], node)];
  }
  return probability_of(odds_of(probability) + sum * (kOddsUnit / kCorrectionUnit));
}

}  // namespace muster
