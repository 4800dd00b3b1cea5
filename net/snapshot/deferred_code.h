// Codes whether an entity is deferred. A snapshot that defers entities has one such decision for
// each known entity. See SNAPSHOT_FORMAT.md, "Deferred entities".
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "net/snapshot/decision_coder.h"
#include "net/snapshot/known_states.h"
#include "net/snapshot/probability_scale.h"
#include "net/snapshot/slots.h"

namespace muster {

/// The number of bits in a snapshot's head that code the share of deferred entities.
inline constexpr unsigned kDeferredShareBits = 6;

/// Converts a share from the head to a probability.
inline BitProbability deferred_probability(std::uint32_t share) {
  return kProbabilityOfStep[4 * share + 2];
}

/// Returns the coded share that is nearest to `deferred / known`.
inline std::uint32_t deferred_share(std::size_t deferred, std::size_t known) {
  const std::uint64_t share =
      (std::uint64_t{deferred} * 65536 + known / 2) / std::max<std::size_t>(known, 1);
  const auto bounded = static_cast<BitProbability>(std::clamp<std::uint64_t>(share, 1, 65535));
  return step_of(bounded) / 4;
}

/// Codes the decisions of one snapshot. A sender that has too little room for all changes updates
/// each entity at regular intervals. The length of the interval differs between entities. So the
/// probability that an entity is deferred depends on the age of the receiver's newest state,
/// divided by the interval between the two newest states. The probability is learned only from
/// earlier decisions of the same snapshot.
class DeferredCode {
 public:
  explicit DeferredCode(std::uint32_t share = 0) {
    contexts_.fill({.probability = deferred_probability(share), .count = 0});
  }

  /// Returns true if the entity with these known states is deferred.
  template <DecisionCoder Coder>
  bool code(Coder& coder, bool is_constant, const KnownStates& known, bool is_deferred) {
    const std::uint32_t age = known.now - known.ticks[0];
    std::size_t index = age_class(age);
    if (is_constant) {
      index += kAges;
    } else if (known.count > 1) {
      const std::uint32_t interval = known.ticks[0] - known.ticks[1];
      index = 2 * kAges + std::min<std::size_t>(std::uint64_t{age} * 16 / interval, kAges - 1);
    }
    Context& context = contexts_[index];
    const bool result = coder.bit_of(slots::kDeferred, context.probability, is_deferred);
    context.learn(result);
    return result;
  }

  /// Returns the class of an age in ticks. Ages 0 to 3 have one class each. Each octave of greater
  /// ages has four classes.
  static std::size_t age_class(std::uint32_t age) {
    if (age < 4) return age;
    const auto width = static_cast<unsigned>(std::bit_width(age));
    return std::min<std::size_t>(4 * (width - 2) + ((age >> (width - 3)) & 3U), kAges - 1);
  }

 private:
  static constexpr std::size_t kAges = 64;
  /// After n decisions in a context, the next decision changes the probability with the weight 1 /
  /// (n + kPrior). So the first decisions have the most effect.
  static constexpr std::uint32_t kPrior = 2;
  static constexpr std::uint32_t kCountMax = 30;
  static constexpr std::int32_t kProbabilityMin = 64;

  struct Context {
    BitProbability probability = 0;
    std::uint16_t count = 0;

    void learn(bool bit) {
      const std::int32_t target = bit ? 65535 : 0;
      const auto weight = static_cast<std::int32_t>(count + kPrior);
      const std::int32_t moved = probability + (target - probability) / weight;
      probability =
          static_cast<BitProbability>(std::clamp(moved, kProbabilityMin, 65535 - kProbabilityMin));
      if (count < kCountMax) ++count;
    }
  };
  std::array<Context, 3 * kAges> contexts_;
};

}  // namespace muster
