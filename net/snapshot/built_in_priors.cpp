#include "net/snapshot/built_in_priors.h"

#include "net/snapshot/built_in_tables.h"
#include "net/snapshot/slots.h"

namespace muster {

static_assert(built_in::kSymbol.size() == slots::kPerSymbol);
static_assert(built_in::kTick.size() == slots::kPerTick);
static_assert(built_in::kNumber.size() == slots::kPerNumber);
static_assert(built_in::kEntity.size() == slots::kPerEntity);

std::span<const std::uint8_t> built_in_steps(const LaneSchema& lane) {
  const std::uint32_t slots = slot_count(lane);
  if (slots == slots::kPerSymbol) return built_in::kSymbol;
  if (slots == slots::kPerTick) return built_in::kTick;
  return built_in::kNumber;
}

std::span<const std::uint8_t> built_in_entity_steps() { return built_in::kEntity; }

const SizeWeights& built_in_size_weights() { return built_in::kSizes; }

}  // namespace muster
