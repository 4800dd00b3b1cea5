// The gain of a lane is the number of bits that its own probabilities save, compared with a model
// in which all lanes use common probabilities. The effect of one lane on another lane is ignored. A
// binary search finds the number of lanes to leave out. Each candidate is trained and encoded
// completely, so the size of the result is exact.
#include "net/tools/training/bounded_training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "net/snapshot/model_file.h"
#include "net/tools/training/code_sample.h"
#include "net/tools/training/huffman_training.h"
#include "net/tools/training/mix_training.h"

namespace muster {
namespace {

/// Counts the cost of each slot's decisions in bits. Bits that are coded with equal probability
/// count for the preceding slot.
class CostCounter {
 public:
  static constexpr bool kDecodes = false;

  explicit CostCounter(const SnapshotModel& model)
      : model_(model), costs_(model.probabilities.size()) {}

  bool bit(std::uint32_t slot, bool value) {
    const double one = model_.probabilities[slot] / 65536.0;
    costs_[slot] -= std::log2(value ? one : 1 - one);
    last_ = slot;
    return value;
  }
  bool even_bit(bool value) {
    costs_[last_] += 1;
    return value;
  }
  double cost_of(const TypeModel& type, std::size_t lane) const {
    double sum = 0;
    const std::uint32_t first = type.lanes[lane].first_slot;
    for (std::uint32_t i = 0; i < slot_count(type.schema.lanes[lane]); ++i)
      sum += costs_[first + i];
    return sum;
  }

 private:
  const SnapshotModel& model_;
  std::vector<double> costs_;
  std::uint32_t last_ = 0;
};

CostCounter costs_of(const SnapshotModel& model, std::span<const TrainingTrace> traces) {
  CostCounter counter(model);
  EntityScratch scratch;
  std::vector<LaneValue> values;
  for (const TrainingTrace& trace : traces) {
    for (const StateSample& sample : trace.samples) {
      code_sample(counter, model, sample, scratch, values);
    }
  }
  return counter;
}

/// Returns all lanes, ordered by their gain, smallest first.
std::vector<LaneIndex> by_gain(const SnapshotModel& model, std::span<const TrainingTrace> traces) {
  std::vector<LaneIndex> lanes;
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    for (std::size_t i = 0; i < model.types[t].lanes.size(); ++i) {
      lanes.push_back({.type = static_cast<CodecType>(t), .lane = i});
    }
  }
  SnapshotModel poor = model;
  leave_out(poor, traces, lanes);
  const CostCounter with = costs_of(model, traces);
  const CostCounter without = costs_of(poor, traces);
  std::vector<std::pair<double, LaneIndex>> gains;
  for (const LaneIndex& index : lanes) {
    gains.emplace_back(without.cost_of(poor.types[codec_index(index.type)], index.lane) -
                           with.cost_of(model.types[codec_index(index.type)], index.lane),
                       index);
  }
  std::stable_sort(gains.begin(), gains.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::transform(gains.begin(), gains.end(), lanes.begin(),
                 [](const auto& gain) { return gain.second; });
  return lanes;
}

std::size_t lane_count_of(const SnapshotModel& model) {
  std::size_t count = 0;
  for (const TypeModel& type : model.types) count += type.lanes.size();
  return count;
}

BoundedModel finished(SnapshotModel model, std::span<const TrainingTrace> traces, bool is_for_mix,
                      std::size_t left_out) {
  if (is_for_mix) train_mix(model, traces);
  BoundedModel result{.model = std::move(model), .file = {}, .lanes_left_out = left_out};
  result.file = encode_model(result.model);
  result.lane_count = lane_count_of(result.model);
  return result;
}

}  // namespace

std::optional<BoundedModel> train_bounded(std::span<const TrainingTrace> traces, bool is_for_mix,
                                          std::size_t bytes_max) {
  SnapshotModel whole = train_model(traces);
  train_huffman(whole, traces);
  BoundedModel found = finished(whole, traces, is_for_mix, 0);
  if (found.file.size() <= bytes_max) return found;
  const std::vector<LaneIndex> lanes = by_gain(whole, traces);
  const auto without = [&](std::size_t count) {
    SnapshotModel model = whole;
    leave_out(model, traces, std::span(lanes).first(count));
    return finished(std::move(model), traces, is_for_mix, count);
  };
  found = without(lanes.size());
  if (found.file.size() > bytes_max) return std::nullopt;
  // With `low` lanes left out, the file is too large. With `found.lanes_left_out` lanes, the file
  // fits.
  for (std::size_t low = 0; found.lanes_left_out - low > 1;) {
    const std::size_t middle = low + (found.lanes_left_out - low) / 2;
    BoundedModel next = without(middle);
    if (next.file.size() <= bytes_max) {
      found = std::move(next);
    } else {
      low = middle;
    }
  }
  return found;
}

}  // namespace muster
