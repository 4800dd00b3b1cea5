// Random schemas, models and entity histories, including unusual ones.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "net/snapshot/mix.h"
#include "net/snapshot/snapshot_model.h"
#include "registry/base/seed.h"

namespace muster {

/// Returns a random maximum of any size.
inline LaneValue random_maximum(Random& random) {
  switch (random.below(5)) {
    case 0:
      return static_cast<LaneValue>(random.below(4));
    case 1:
      return static_cast<LaneValue>(1 + random.below(40));
    case 2:
      return 0xFFFF'FFFF;
    case 3:
      return static_cast<LaneValue>((std::uint64_t{1} << (1 + random.below(32))) - 1);
    default:
      return static_cast<LaneValue>(random.next() >> (32 + random.below(32)));
  }
}

inline LaneSchema random_lane(Random& random) {
  LaneSchema lane{.name = "lane", .maximum = random_maximum(random)};
  switch (random.below(5)) {
    case 0:
      lane.kind = LaneKind::symbol;
      break;
    case 1:
      lane.kind = LaneKind::tick;
      break;
    case 2:
      lane.kind = LaneKind::opaque;
      break;
    case 3:
      lane.kind = LaneKind::angle;
      if (lane.maximum < 2) lane.maximum = 360;
      // The period equals the maximum, is one more than the maximum, or is smaller.
      lane.period = lane.maximum;
      if (random.below(3) == 0 && lane.maximum < 0xFFFF'FFFF) ++lane.period;
      if (random.below(3) == 0) lane.period = lane.maximum / 2 + 1;
      break;
    default:
      lane.is_of_vector = random.below(2) == 0;
  }
  return lane;
}

/// Returns a type with up to `lanes_max + 3` lanes of all kinds.
inline EntitySchema random_schema(Random& random, std::size_t lanes_max) {
  EntitySchema schema{.name = "type", .lanes = {}};
  const std::size_t count = 1 + random.below(lanes_max);
  while (schema.lanes.size() < count) {
    if (random.below(8) != 0) {
      schema.lanes.push_back(random_lane(random));
      continue;
    }
    schema.lanes.push_back({.name = "dropped", .kind = LaneKind::dropped, .maximum = 3});
    const auto maximum = static_cast<LaneValue>(1 + random.below(1U << (2 + random.below(20))));
    const LaneSchema part{.name = "part", .kind = LaneKind::rotation, .maximum = maximum};
    schema.lanes.insert(schema.lanes.end(), 3, part);
  }
  return schema;
}

/// Fills a model's weights, partners and probabilities with random values within their bounds.
inline void disturb(SnapshotModel& model, Random& random) {
  const auto weight = [&](std::int32_t weight_max) {
    if (random.below(8) == 0) return random.below(2) == 0 ? weight_max : -weight_max;
    const std::int64_t bound = std::max<std::int64_t>(weight_max >> random.below(20), 1);
    return static_cast<std::int32_t>(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound) * 2 + 1)) - bound);
  };
  for (TypeModel& type : model.types) {
    for (std::size_t i = 0; i < type.order.size(); ++i) {
      LaneModel& lane = type.lanes[type.order[i]];
      const auto earlier = [&] { return type.order[random.below(i)]; };
      for (FeatureWeights& weights : lane.weights) {
        for (std::int32_t& value : weights) value = weight(kWeightMax);
      }
      for (std::int16_t& value : lane.size_weights) {
        value = static_cast<std::int16_t>(weight(kSizeWeightMax));
      }
      const std::uint64_t maximum = type.schema.lanes[type.order[i]].maximum;
      lane.initial_value = static_cast<LaneValue>(random.below(maximum + 1));
      if (i == 0) continue;
      lane.partner_count = static_cast<std::uint8_t>(random.below(kMaxPartners + 1));
      for (std::size_t k = 0; k < lane.partner_count; ++k) {
        const std::uint16_t partner = earlier();
        const std::uint16_t angle = earlier();
        const auto kind = static_cast<PartnerKind>(random.below(3));
        lane.partners[k] = {
            .kind = kind, .lane = kind == PartnerKind::turn ? angle : partner, .angle = angle};
      }
      lane.change_partner_count = static_cast<std::uint8_t>(random.below(kMaxChangePartners + 1));
      for (std::size_t k = 0; k < lane.change_partner_count; ++k) {
        lane.change_partners[k] = earlier();
      }
    }
  }
  for (BitProbability& probability : model.probabilities) {
    probability = static_cast<BitProbability>(1 + random.below(65535));
    if (random.below(8) == 0) probability = random.below(2) == 0 ? 1 : 65535;
  }
}

/// Sets random corrections for the coder `mix`.
inline void disturb_mix(SnapshotModel& model, Random& random) {
  model.mix.resize(kMixContexts * kMixTableSize);
  std::uint64_t state = random.next();
  for (std::int8_t& correction : model.mix) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    correction = static_cast<std::int8_t>(static_cast<std::int64_t>(state >> 56U) - 128);
  }
}

/// Sets random code lengths for some contexts.
inline void disturb_huffman(SnapshotModel& model, Random& random) {
  for (std::uint32_t context = 0; context < 40; ++context) {
    HuffmanCounts counts{};
    for (std::uint64_t& count : counts) count = random.below(std::uint64_t{1} << random.below(20));
    const bool is_code =
        model.huffman.set(static_cast<std::uint16_t>(random.below(60)), best_lengths(counts));
    assert(is_code);
    static_cast<void>(is_code);
  }
}

inline LaneValue random_value(Random& random, const LaneSchema& lane) {
  switch (random.below(8)) {
    case 0:
      return 0;
    case 1:
      return lane.maximum;
    case 2:
      return std::min(lane.period, lane.maximum);
    default:
      return static_cast<LaneValue>(random.below(std::uint64_t{lane.maximum} + 1));
  }
}

/// Returns the next value of a lane: unchanged, slightly changed, or random.
inline LaneValue next_value(Random& random, const LaneSchema& lane, LaneValue before) {
  const std::uint64_t luck = random.below(16);
  if (luck < 9) return before;
  if (luck == 15) return random_value(random, lane);
  const std::int64_t step = static_cast<std::int64_t>(random.below(9)) - 4;
  const std::int64_t value = std::clamp<std::int64_t>(before + step, 0, lane.maximum);
  return static_cast<LaneValue>(value);
}

}  // namespace muster
