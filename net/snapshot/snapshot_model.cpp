#include "net/snapshot/snapshot_model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "net/snapshot/built_in_priors.h"
#include "net/snapshot/probability_scale.h"
#include "net/snapshot/slots.h"

namespace muster {
namespace {

/// The rank of a lane in the coding order, in which causes come before consequences: events, then
/// directions, numbers, vectors and rotations.
int rank_of(const LaneSchema& lane) {
  switch (lane.kind) {
    case LaneKind::tick:
    case LaneKind::symbol:
    case LaneKind::opaque:
      return 0;
    case LaneKind::angle:
      return 1;
    case LaneKind::number:
      return lane.is_of_vector ? 3 : 2;
    case LaneKind::dropped:
    case LaneKind::rotation:
      return 4;
  }
  return 4;
}

std::vector<std::uint16_t> order_of(const EntitySchema& schema) {
  std::vector<std::uint16_t> order(schema.lanes.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::uint16_t left, std::uint16_t right) {
    return rank_of(schema.lanes[left]) < rank_of(schema.lanes[right]);
  });
  return order;
}

/// Sets weights that continue motion in a straight line: the whole way if the past motion was
/// straight, half of the way otherwise.
void go_on(LaneModel& model) {
  constexpr std::int32_t kOne = 1 << kWeightBits;
  for (std::size_t steadiness = 0; steadiness < 3; ++steadiness)
    model.weights[steadiness][0] = kOne;
  model.weights[3][0] = kOne / 2;
  model.weights[5][0] = kOne / 2;
  model.size_weights = built_in_size_weights();
}

bool is_predicted(const LaneSchema& lane) { return slot_count(lane) == slots::kPerNumber; }

const char* find_fault(const TypeModel& type, const LaneModel& lane,
                       const std::vector<bool>& is_coded) {
  if (lane.partner_count > kMaxPartners || lane.change_partner_count > kMaxChangePartners) {
    return "a lane with too many partners";
  }
  const auto& lanes = type.schema.lanes;
  for (std::size_t i = 0; i < lane.partner_count; ++i) {
    const Partner& partner = lane.partners[i];
    if (partner.lane >= lanes.size() || !is_coded[partner.lane] ||
        !is_predicted(lanes[partner.lane])) {
      return "a partner that is not known yet";
    }
    if (partner.kind == PartnerKind::difference) continue;
    if (partner.angle >= lanes.size() || !is_coded[partner.angle] ||
        lanes[partner.angle].kind != LaneKind::angle) {
      return "a direction that is not an angle, or not known yet";
    }
  }
  for (std::size_t i = 0; i < kMaxChangePartners; ++i) {  // The coder also reads unused entries.
    const std::size_t other = lane.change_partners[i];
    if (other >= lanes.size()) return "a partner that does not exist";
    if (i < lane.change_partner_count && !is_coded[other]) return "a partner that is not known yet";
  }
  const auto is_bounded = [](std::int32_t weight, std::int32_t maximum) {
    return weight >= -maximum && weight <= maximum;
  };
  for (const FeatureWeights& weights : lane.weights) {
    for (const std::int32_t weight : weights) {
      if (!is_bounded(weight, kWeightMax)) return "a weight out of bounds";
    }
  }
  for (const std::int16_t weight : lane.size_weights) {
    if (!is_bounded(weight, kSizeWeightMax)) return "a weight out of bounds";
  }
  return nullptr;
}

}  // namespace

const char* find_fault(const EntitySchema& schema) {
  if (schema.lanes.size() > kMaxLanes) return "a type has too many lanes";
  for (std::size_t i = 0; i < schema.lanes.size(); ++i) {
    const LaneSchema& lane = schema.lanes[i];
    const bool is_angle = lane.kind == LaneKind::angle;
    if (is_angle != (lane.period != 0)) return "angles have a period, other lanes none";
    if (is_angle && lane.maximum >= 2 * std::uint64_t{lane.period}) {
      return "an angle has a range of more than two turns";
    }
    // The three parts of a rotation directly follow the lane that has the index of the missing
    // part.
    const bool wants_dropped = lane.kind == LaneKind::rotation;
    std::size_t back = 0;
    while (wants_dropped && back < i && back < 3 &&
           schema.lanes[i - back].kind == LaneKind::rotation) {
      ++back;
    }
    if (wants_dropped && schema.lanes[i - back].kind != LaneKind::dropped) {
      return "a part of a rotation without its dropped component";
    }
    if (lane.kind != LaneKind::dropped) continue;
    if (lane.maximum > 3) return "a rotation has four components";
    for (std::size_t k = 1; k <= 3; ++k) {
      if (i + k >= schema.lanes.size() || schema.lanes[i + k].kind != LaneKind::rotation) {
        return "a rotation without its three parts";
      }
    }
  }
  return nullptr;
}

const char* find_fault(const SnapshotModel& model) {
  for (const TypeModel& type : model.types) {
    const std::size_t count = type.schema.lanes.size();
    if (const char* fault = find_fault(type.schema)) return fault;
    if (type.lanes.size() != count || type.order.size() != count) return "a lane without a model";
    std::vector<bool> is_coded(count);
    for (const std::uint16_t lane : type.order) {
      if (lane >= count || is_coded[lane]) return "an invalid order";
      if (type.schema.lanes[lane].kind == LaneKind::rotation) {
        std::size_t dropped = lane;
        while (type.schema.lanes[dropped].kind == LaneKind::rotation) --dropped;
        if (!is_coded[dropped]) return "a rotation before its dropped component";
      }
      if (const char* fault = find_fault(type, type.lanes[lane], is_coded)) return fault;
      if (type.lanes[lane].initial_value > type.schema.lanes[lane].maximum)
        return "an initial value out of range";
      is_coded[lane] = true;
    }
  }
  return nullptr;
}

std::uint32_t slot_count(const LaneSchema& lane) {
  switch (lane.kind) {
    case LaneKind::symbol:
    case LaneKind::dropped:
    case LaneKind::opaque:
      return slots::kPerSymbol;
    case LaneKind::tick:
      return slots::kPerTick;
    case LaneKind::number:
    case LaneKind::angle:
    case LaneKind::rotation:
      return slots::kPerNumber;
  }
  return 0;
}

void lay_out(SnapshotModel& model) {
  std::uint32_t next = slots::kPerSnapshot;
  std::uint32_t context = 0;
  for (TypeModel& type : model.types) {
    type.first_context = context;
    context += static_cast<std::uint32_t>((type.lanes.size() + 3) / 4 + type.lanes.size());
    type.first_slot = next;
    next += slots::kPerEntity;
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      LaneModel& lane = type.lanes[i];
      lane.first_slot = next;
      lane.kind = type.schema.lanes[i].kind;
      lane.maximum = type.schema.lanes[i].maximum;
      lane.period = type.schema.lanes[i].period;
      next += slot_count(type.schema.lanes[i]);
    }
  }
  model.probabilities.assign(next, BitProbability{1U << 15});
  const auto set = [&](std::uint32_t slot, double probability) {
    model.probabilities[slot] = static_cast<BitProbability>(probability * 65536);
  };
  // A snapshot makes these decisions once or a few times.
  set(slots::kHasReference, 0.99);
  set(slots::kOlderReference, 0.95);
  set(slots::kReferenceAfterGap, 0.8);
  set(slots::kReferenceAfterGap + 1, 0.1);
  set(slots::kOddTick, 0.02);
  set(slots::kDefers, 0.1);
  set(slots::kDeferred, 0.7);
  set(slots::kIsPart, 0.02);
  set(slots::kEnds, 1.0 / 4096);
  set(slots::kGone, 0.003);
  set(slots::kAnotherNew, 0.1);
  set(slots::kNewGeneration, 0.1);
  set(slots::kAnyNew, 0.05);
  // A constant entity rarely changes if the entities around it are constant. It is more likely to
  // change if the entities around it move.
  set(slots::kBlockChanges, 0.5);
  set(slots::kBlockChanges + 1, 0.02);
  set(slots::kBlockChanges + 2, 0.6);
  set(slots::kGroupChanges, 0.04);
  set(slots::kGroupChanges + 1, 0.16);
  set(slots::kGroupChanges + 2, 0.3);
  set(slots::kGroupChanges + 3, 0.45);
  set(slots::kGroupChanges + 4, 0.7);
  set(slots::kGroupChanges + 5, 0.8);
}

SnapshotModel untrained_model(std::vector<EntitySchema> types) {
  SnapshotModel model;
  for (EntitySchema& schema : types) {
    TypeModel type;
    type.order = order_of(schema);
    type.lanes.resize(schema.lanes.size());
    for (LaneModel& lane : type.lanes) go_on(lane);
    type.schema = std::move(schema);
    model.types.push_back(std::move(type));
  }
  lay_out(model);
  const auto set = [&](std::uint32_t first, std::span<const std::uint8_t> steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      model.probabilities[first + i] = kProbabilityOfStep[steps[i]];
    }
  };
  for (const TypeModel& type : model.types) {
    set(type.first_slot, built_in_entity_steps());
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      set(type.lanes[i].first_slot, built_in_steps(type.schema.lanes[i]));
    }
  }
  return model;
}

}  // namespace muster
