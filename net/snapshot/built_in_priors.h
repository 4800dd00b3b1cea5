// The priors of a model without training data of its game.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "net/snapshot/snapshot_model.h"

namespace muster {

/// Probability steps (`probability_scale.h`) for the slots of a lane or an entity, and the weights
/// of expected sizes. `snapshot_train --built-in` learned them from recorded worlds of several
/// games and wrote `built_in_tables.h`.
std::span<const std::uint8_t> built_in_steps(const LaneSchema& lane);
std::span<const std::uint8_t> built_in_entity_steps();
const SizeWeights& built_in_size_weights();

}  // namespace muster
