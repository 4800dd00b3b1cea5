// What an entity's code asks of a coder, and the memory that it takes.
#pragma once

#include <concepts>
#include <vector>

#include "net/snapshot/lane_features.h"
#include "net/snapshot/mix_contexts.h"

namespace muster {

/// Makes or takes decisions.
/// - `bit(slot, value)`: a decision with a known probability; returns its outcome.
/// - `even_bit(value)`: one without.
/// - `kDecodes`: the values given mean nothing, the outcomes do.
template <typename C>
concept DecisionCoder = requires(C& coder, std::uint32_t slot, bool value) {
  { coder.bit(slot, value) } -> std::same_as<bool>;
  { coder.even_bit(value) } -> std::same_as<bool>;
  { C::kDecodes } -> std::convertible_to<bool>;
};

/// Wants to know in what contexts the decisions behind are to be seen; tells decisions that share
/// their contexts apart by their node.
template <typename C>
concept ContextCoder = DecisionCoder<C> &&
    requires(C& coder, const MixContexts& contexts, std::uint32_t number, bool value) {
  coder.see_in(contexts);
  { coder.bit_in(number, number, value) } -> std::same_as<bool>;
};
/// Makes a decision in the contexts given last, if the coder has such.
template <DecisionCoder Coder>
bool decide(Coder& coder, std::uint32_t slot, std::uint32_t node, bool value) {
  if constexpr (ContextCoder<Coder>) {
    return coder.bit_in(slot, node, value);
  } else {
    return coder.bit(slot, value);
  }
}

/// What a trainer sees of each prediction whose size is guessed, besides the decisions.
struct PredictionSeen {
  std::size_t lane = 0;
  std::int64_t missed = 0;  ///< By how much, in units of the prediction.
  const SizeInputs& sizes;
};
template <typename C>
concept PredictionWatcher = requires(C& coder, const PredictionSeen& seen) {
  coder.see(seen);
};

/// Memory that coding an entity needs, kept between entities so that none is allocated.
struct EntityScratch {
  std::vector<LaneNews> news;
  std::vector<Turn> turns;
  /// By how much each lane moved from each known state to the next newer one, modulo 2^32; zero
  /// behind the oldest. Four lanes stand together, so that a processor takes them at once.
  std::vector<LaneSteps> steps;
  /// Of each lane, not 0 when it has more than one value in the known states.
  std::vector<LaneValue> unrest;
  std::vector<std::int64_t> missed;  ///< Of each lane, the residual; for coders with contexts.
  /// Of the entity coded last, and the ticks of its states: most entities have the same.
  StateSpacing spacing;
  KnownStates spaced;
  LaneMotion rest;  ///< Of all lanes that do not move.

  std::size_t memory_bytes() const {
    return news.capacity() * sizeof(LaneNews) + turns.capacity() * sizeof(Turn) +
           steps.capacity() * sizeof(LaneSteps) + unrest.capacity() * sizeof(LaneValue) +
           missed.capacity() * sizeof(std::int64_t);
  }
};
/// Makes room for the lanes of a type, and finds by how much they moved.
void prepare_scratch(std::size_t lanes, const KnownStates& known, EntityScratch& scratch);

}  // namespace muster
