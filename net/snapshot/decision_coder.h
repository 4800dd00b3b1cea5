// The interface between an entity's code and a coder, and the memory that coding needs.
#pragma once

#include <concepts>
#include <vector>

#include "net/snapshot/lane_features.h"
#include "net/snapshot/mix_contexts.h"

namespace muster {

/// Encodes or decodes decisions.
/// - `bit(slot, value)` codes a decision whose probability is in a slot of the model, and returns
///   the outcome.
/// - `even_bit(value)` codes a decision with two equally likely outcomes, and returns the outcome.
/// - `kDecodes` is true for a decoder. A decoder ignores the passed values and returns the outcomes
///   that it reads.
template <typename C>
concept DecisionCoder = requires(C& coder, std::uint32_t slot, bool value) {
  { coder.bit(slot, value) } -> std::same_as<bool>;
  { coder.even_bit(value) } -> std::same_as<bool>;
  { C::kDecodes } -> std::convertible_to<bool>;
};

/// A coder that uses the contexts of decisions. `see_in(contexts)` sets the contexts. `bit_in(slot,
/// node, value)` codes a decision in these contexts; `node` distinguishes decisions that share
/// their contexts.
template <typename C>
concept ContextCoder = DecisionCoder<C> &&
    requires(C& coder, const MixContexts& contexts, std::uint32_t number, bool value) {
  coder.see_in(contexts);
  { coder.bit_in(number, number, value) } -> std::same_as<bool>;
};
/// Codes a decision. If the coder uses contexts, it uses the contexts that were set last.
template <DecisionCoder Coder>
bool decide(Coder& coder, std::uint32_t slot, std::uint32_t node, bool value) {
  if constexpr (ContextCoder<Coder>) {
    return coder.bit_in(slot, node, value);
  } else {
    return coder.bit(slot, value);
  }
}

/// A prediction whose error has an estimated size. Trainers receive these predictions in addition
/// to the decisions.
struct PredictionSeen {
  std::size_t lane = 0;
  std::int64_t missed = 0;  ///< The error, in units of the prediction.
  const SizeInputs& sizes;
};
template <typename C>
concept PredictionWatcher = requires(C& coder, const PredictionSeen& seen) {
  coder.see(seen);
};

/// Memory for coding an entity. The memory is reused for all entities, so that nothing is
/// allocated.
struct EntityScratch {
  std::vector<LaneNews> news;
  std::vector<Turn> turns;
  /// For each lane, the differences between successive known states, newest first, modulo 2^32. A
  /// difference for which no older state is known is zero. Four lanes are stored together, so that
  /// the compiler can use vector instructions.
  std::vector<LaneSteps> steps;
  /// One number per lane. The number is 0 if the lane has the same value in all known states.
  std::vector<LaneValue> changed_bits;
  /// The residual of each lane. Only coders with contexts use it.
  std::vector<std::int64_t> missed;
  /// The spacing of the last coded entity. The spacing is reused while the ticks of the known
  /// states equal the ticks in `spaced`. For most entities, these ticks are equal.
  StateSpacing spacing;
  KnownStates spaced;
  LaneMotion constant;  ///< The motion of all constant lanes.

  std::size_t memory_bytes() const {
    return news.capacity() * sizeof(LaneNews) + turns.capacity() * sizeof(Turn) +
           steps.capacity() * sizeof(LaneSteps) + changed_bits.capacity() * sizeof(LaneValue) +
           missed.capacity() * sizeof(std::int64_t);
  }
};
/// Makes room in `scratch` for `lanes` lanes, and computes the movement of each lane between the
/// known states.
void prepare_scratch(std::size_t lanes, const KnownStates& known, EntityScratch& scratch);

}  // namespace muster
