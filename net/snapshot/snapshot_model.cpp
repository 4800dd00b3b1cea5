#include "net/snapshot/snapshot_model.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "net/snapshot/slots.h"

namespace muster {
namespace {

/// Causes before consequences: events, then directions, numbers, vectors, rotations.
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

/// Goes on in a straight line where the past is one, half as far where it is not.
void go_on(LaneModel& model) {
  constexpr std::int32_t kOne = 1 << kWeightBits;
  for (std::size_t steadiness = 0; steadiness < 3; ++steadiness)
    model.weights[steadiness][0] = kOne;
  model.weights[3][0] = kOne / 2;
  model.weights[5][0] = kOne / 2;
  constexpr std::int32_t kOneSize = 1 << kSizeWeightBits;
  model.size_weights[0] = -kOneSize;     // Half a unit, and more with ...
  model.size_weights[1] = kOneSize / 4;  // ... speed,
  model.size_weights[2] = kOneSize / 2;  // change of speed,
  model.size_weights[7] = kOneSize / 8;  // and what the entity's other lanes did.
  model.size_weights[11] = kOneSize / 4;
}

}  // namespace

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
  for (TypeModel& type : model.types) {
    type.first_slot = next;
    next += slots::kPerEntity;
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      type.lanes[i].first_slot = next;
      next += slot_count(type.schema.lanes[i]);
    }
  }
  model.probabilities.assign(next, BitProbability{1U << 15});
  const auto set = [&](std::uint32_t slot, double probability) {
    model.probabilities[slot] = static_cast<BitProbability>(probability * 65536);
  };
  // Once or a few times a snapshot: what is rare in a game that runs well.
  set(slots::kHasReference, 0.99);
  set(slots::kOlderReference, 0.95);
  set(slots::kOddTick, 0.02);
  set(slots::kHolds, 0.1);
  set(slots::kHeld, 0.7);
  set(slots::kIsPart, 0.02);
  set(slots::kEnds, 1.0 / 4096);
  set(slots::kGroupWakes, 0.05);
  set(slots::kGone, 0.003);
  set(slots::kAnotherNew, 0.1);
  set(slots::kNewGeneration, 0.1);
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
  return model;
}

}  // namespace muster
