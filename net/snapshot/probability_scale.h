// The probabilities of a model file: 256 steps with equal distances in log odds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "net/wire/range_coder.h"

namespace muster {

/// The step of even odds. Each step up multiplies the odds that a bit is 1 by e^(1/12). 256 steps
/// cover odds from 1 : 43,000 to 43,000 : 1. Rounding to a step costs less than a thousandth of the
/// bits.
inline constexpr std::uint8_t kEvenOdds = 128;

/// The probability of each step. The compiler computes the table, so that it is equal on every
/// machine.
inline constexpr std::array<BitProbability, 256> kProbabilityOfStep = [] {
  std::array<BitProbability, 256> table{};
  constexpr double kRatio = 1.0869040495212288;  // e^(1/12)
  for (std::size_t i = 0; i < table.size(); ++i) {
    double odds = 1;
    for (std::size_t k = kEvenOdds; k < i; ++k) odds *= kRatio;
    for (std::size_t k = i; k < kEvenOdds; ++k) odds /= kRatio;
    table[i] = static_cast<BitProbability>(65536.0 * odds / (1.0 + odds) + 0.5);
  }
  return table;
}();
static_assert(kProbabilityOfStep.front() >= 1 && kProbabilityOfStep.back() < 65535);

/// The step nearest to a probability.
inline std::uint8_t step_of(BitProbability probability) {
  const auto above =
      std::lower_bound(kProbabilityOfStep.begin(), kProbabilityOfStep.end(), probability);
  if (above == kProbabilityOfStep.end()) return 255;
  const auto step = static_cast<std::uint8_t>(above - kProbabilityOfStep.begin());
  if (step == 0) return 0;
  const int over = *above - probability;
  const int under = probability - *(above - 1);
  return over <= under ? step : static_cast<std::uint8_t>(step - 1);
}

}  // namespace muster
