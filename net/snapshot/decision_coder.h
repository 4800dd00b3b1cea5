// The interface between an entity's code and a coder, and the memory that coding needs.
#pragma once

#include <concepts>
#include <vector>

#include "net/snapshot/lane_features.h"
#include "net/snapshot/mix_contexts.h"

namespace muster {

/// Encodes or decodes decisions.
/// - `bit(slot, value)`: a decision with a known probability; returns its outcome.
/// - `even_bit(value)`: a decision without one.
/// - `kDecodes`: the passed values are ignored; only the outcomes count.
template <typename C>
concept DecisionCoder = requires(C& coder, std::uint32_t slot, bool value) {
  { coder.bit(slot, value) } -> std::same_as<bool>;
  { coder.even_bit(value) } -> std::same_as<bool>;
  { C::kDecodes } -> std::convertible_to<bool>;
};

/// A coder that uses the contexts of decisions. `node` distinguishes decisions that share their
/// contexts.
template <typename C>
concept ContextCoder = DecisionCoder<C> &&
    requires(C& coder, const MixContexts& contexts, std::uint32_t number, bool value) {
  coder.see_in(contexts);
  { coder.bit_in(number, number, value) } -> std::same_as<bool>;
};
/// Codes a decision in the last given contexts, if the coder uses contexts.
template <DecisionCoder Coder>
bool decide(Coder& coder, std::uint32_t slot, std::uint32_t node, bool value) {
  if constexpr (ContextCoder<Coder>) {
    return coder.bit_in(slot, node, value);
  } else {
    return coder.bit(slot, value);
  }
}

/// What a trainer receives, besides the decisions, for each prediction with an estimated size of
/// its error.
struct PredictionSeen {
  std::size_t lane = 0;
  std::int64_t missed = 0;  ///< The error, in units of the prediction.
  const SizeInputs& sizes;
};
template <typename C>
concept PredictionWatcher = requires(C& coder, const PredictionSeen& seen) {
  coder.see(seen);
};

/// Memory for coding an entity, kept between entities so that nothing is allocated.
struct EntityScratch {
  std::vector<LaneNews> news;
  std::vector<Turn> turns;
  /// For each lane, the differences between successive known states, newest first, modulo 2^32. A
  /// difference for which no older state is known is zero. Four lanes are stored together for
  /// vector instructions.
  std::vector<LaneSteps> steps;
  /// One number per lane. It is not 0 if the lane has different values in the known states.
  std::vector<LaneValue> changed_bits;
  std::vector<std::int64_t> missed;  ///< The residual of each lane; for coders with contexts.
  /// The spacing of the last coded entity. It is reused while the ticks of the known states equal
  /// those in `spaced`, as they do for most entities.
  StateSpacing spacing;
  KnownStates spaced;
  LaneMotion constant;  ///< The motion of all constant lanes.

  std::size_t memory_bytes() const {
    return news.capacity() * sizeof(LaneNews) + turns.capacity() * sizeof(Turn) +
           steps.capacity() * sizeof(LaneSteps) + changed_bits.capacity() * sizeof(LaneValue) +
           missed.capacity() * sizeof(std::int64_t);
  }
};
/// Makes room for the lanes of a type, and computes their movement.
void prepare_scratch(std::size_t lanes, const KnownStates& known, EntityScratch& scratch);

}  // namespace muster
