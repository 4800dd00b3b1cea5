#include "net/tools/training/train_model.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "net/snapshot/entity_code.h"
#include "net/snapshot/plain/plain_code.h"
#include "net/snapshot/probability_scale.h"
#include "net/snapshot/slots.h"
#include "net/tools/training/code_sample.h"
#include "net/tools/training/lane_training.h"
#include "net/tools/training/regression.h"

namespace muster {
namespace {

struct Count {
  double zeros = 0;
  double ones = 0;
};

/// Counts decisions and fits the sizes of residuals.
class Learner {
 public:
  static constexpr bool kDecodes = false;

  explicit Learner(const SnapshotModel& model) : counts_(model.probabilities.size()) {
    for (const TypeModel& type : model.types) {
      sizes_.emplace_back(type.lanes.size(), Regression(kSizeFeatures));
    }
  }
  void begin(CodecType type) { type_ = codec_index(type); }
  bool bit(std::uint32_t slot, bool value) {
    (value ? counts_[slot].ones : counts_[slot].zeros) += 1;
    return value;
  }
  bool even_bit(bool value) { return value; }
  void see(const PredictionSeen& seen) {
    std::array<double, kSizeFeatures> features{};
    for (std::size_t i = 0; i < kSizeFeatures; ++i) features[i] = seen.sizes[i];
    const double missed = static_cast<double>(seen.missed) / (1 << (kWeightBits + kFeatureBits));
    const double size = 16 * std::log2(missed + 0.25);
    sizes_[type_][seen.lane].add(features, size, 1.0);
    all_sizes_.add(features, size, 1.0);
  }

  const std::vector<Count>& counts() const { return counts_; }
  const Regression& sizes(CodecType type, std::size_t lane) const {
    return sizes_[codec_index(type)][lane];
  }
  const Regression& all_sizes() const { return all_sizes_; }

 private:
  std::size_t type_ = 0;
  std::vector<Count> counts_;
  std::vector<std::vector<Regression>> sizes_;
  Regression all_sizes_{kSizeFeatures};
};

void learn_initial_values(SnapshotModel& model, std::span<const TrainingTrace> traces) {
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    TypeModel& type = model.types[t];
    for (std::size_t lane = 0; lane < type.lanes.size(); ++lane) {
      std::map<LaneValue, std::size_t> seen;
      for (const TrainingTrace& trace : traces) {
        for (const StateSample& sample : trace.samples) {
          if (sample.known.count == 0 && codec_index(sample.entity->type) == t) {
            ++seen[sample.entity->values[lane]];
          }
        }
      }
      const auto maximum =
          std::max_element(seen.begin(), seen.end(),
                           [](const auto& a, const auto& b) { return a.second < b.second; });
      if (maximum != seen.end()) type.lanes[lane].initial_value = maximum->first;
    }
  }
}

void learn(Learner& learner, const SnapshotModel& model, std::span<const TrainingTrace> traces) {
  EntityScratch scratch;
  std::vector<LaneValue> values;
  for (const TrainingTrace& trace : traces) {
    for (const StateSample& sample : trace.samples) {
      learner.begin(sample.entity->type);
      code_sample(learner, model, sample, scratch, values);
    }
  }
}

SizeWeights rounded(const std::vector<double>& weights) {
  SizeWeights result{};
  for (std::size_t i = 0; i < kSizeFeatures; ++i) {
    result[i] = static_cast<std::int16_t>(std::clamp<double>(
        std::round(weights[i] * (1 << kSizeWeightBits)), -kSizeWeightMax, kSizeWeightMax));
  }
  return result;
}

void learn_sizes(SnapshotModel& model, std::span<const TrainingTrace> traces) {
  Learner learner(model);
  learn(learner, model, traces);
  const std::vector<double> common = learner.all_sizes().solve(256.0);
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    for (std::size_t lane = 0; lane < model.types[t].lanes.size(); ++lane) {
      const std::vector<double> weights =
          learner.sizes(static_cast<CodecType>(t), lane).solve(4096.0, common);
      model.types[t].lanes[lane].size_weights = rounded(weights);
    }
  }
}

/// The first slots of the decisions about a number's length, and about its low bits.
struct NumberSlots {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::uint32_t low = 0;
};
std::span<const NumberSlots> numbers_in(std::size_t pool) {
  using namespace slots;
  static constexpr std::array<NumberSlots, 1> kSymbols = {
      {{.first = kSymbolNew + 2, .count = kLengths, .low = kSymbolNew + 2 + kLengths}}};
  static constexpr std::array<NumberSlots, 2> kTicks = {
      {{.first = kTickAge, .count = kLengths, .low = kTickAge + kLengths},
       {.first = kTickNew + 2, .count = kLengths, .low = kTickNew + 2 + kLengths}}};
  static constexpr std::array<NumberSlots, 2> kNumbers = {
      {{.first = kLength, .count = (kLevels + kCertainLevels) * kLengths, .low = kLowBits},
       {.first = kNew + 2, .count = kLengths, .low = kNew + 2 + kLengths}}};
  switch (pool) {
    case 0:
      return kSymbols;
    case 1:
      return kTicks;
    case 2:
      return kNumbers;
    default:
      return {};
  }
}

/// Returns the probability that a number has more bits than `slot` stands for. This probability is
/// used if there is no data. It rises with the number of bits, so that no length needs many bits.
double length_goes_on(std::uint32_t slot) {
  const double length = slot % slots::kLengths + 1;
  return slot % slots::kLengths + 1 == slots::kLengths ? 0.93 : length / (length + 1);
}
std::vector<double> expectations(std::size_t pool, std::size_t count) {
  std::vector<double> expected(count, 0.5);
  for (const NumberSlots& number : numbers_in(pool)) {
    for (std::uint32_t i = 0; i < number.count; ++i) expected[number.first + i] = length_goes_on(i);
  }
  return expected;
}

/// Makes the probabilities of numbers less certain, because the numbers of other games are larger
/// and have other low bits than the numbers of the traces.
void loosen_numbers(std::size_t pool, std::vector<double>& probabilities) {
  constexpr std::uint32_t kSeenLengths = 11;
  for (const NumberSlots& number : numbers_in(pool)) {
    for (std::uint32_t i = 0; i < number.count; ++i) {
      if (i % slots::kLengths >= kSeenLengths) probabilities[number.first + i] = length_goes_on(i);
    }
    for (std::uint32_t i = 0; i < slots::kLow; ++i) {
      double& low = probabilities[number.low + i];
      low = std::clamp(low, 0.25, 0.75);
    }
  }
}

/// Returns the common probabilities of all lanes of a pool; empty if the pool has no data.
std::vector<double> common_of(std::size_t pool, std::span<const Count> counts) {
  if (counts.empty()) return {};
  // The weight of an expected probability, as a number of decisions.
  constexpr double kExpected = 0.8;
  std::vector<double> common = expectations(pool, counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    common[i] =
        (counts[i].ones + kExpected * common[i]) / (counts[i].zeros + counts[i].ones + kExpected);
  }
  return common;
}

/// Returns the pool of a lane. The lanes of a pool have the same kinds of decisions. A lane with
/// little data uses the data of its pool.
std::size_t pool_of(const LaneSchema& lane) {
  const std::uint32_t slots = slot_count(lane);
  return slots == slots::kPerSymbol ? 0 : slots == slots::kPerTick ? 1 : 2;
}

void set_probabilities(SnapshotModel& model, std::uint32_t first, std::span<const Count> own,
                       std::span<const double> pool) {
  // The weight of a common probability, as a number of decisions of the lane.
  constexpr double kTrust = 6;
  constexpr double kSlotBits = 4;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double common = pool[i];
    double one = (own[i].ones + kTrust * common) / (own[i].zeros + own[i].ones + kTrust);
    // A lane's own probability needs room in the file, so it must save more bits than it needs.
    const double saved =
        own[i].ones * std::log2(one / common) + own[i].zeros * std::log2((1 - one) / (1 - common));
    if (saved < kSlotBits) one = common;
    model.probabilities[first + i] = kProbabilityOfStep[step_of(
        static_cast<BitProbability>(std::clamp(std::round(one * 65536), 2.0, 65534.0)))];
  }
}

using Pools = std::array<std::vector<Count>, 4>;

void add_counts(const SnapshotModel& model, std::span<const Count> counts, Pools& pools) {
  const auto add = [](std::vector<Count>& pool, std::span<const Count> part) {
    pool.resize(std::max(pool.size(), part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) {
      pool[i].ones += part[i].ones;
      pool[i].zeros += part[i].zeros;
    }
  };
  for (const TypeModel& type : model.types) {
    add(pools[3], counts.subspan(type.first_slot, slots::kPerEntity));
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      const LaneSchema& lane = type.schema.lanes[i];
      add(pools[pool_of(lane)], counts.subspan(type.lanes[i].first_slot, slot_count(lane)));
    }
  }
}

/// Trains the probabilities. The lanes that are left out use only common probabilities.
void learn_probabilities(SnapshotModel& model, std::span<const TrainingTrace> traces,
                         std::span<const LaneIndex> left_out) {
  Learner learner(model);
  learn(learner, model, traces);
  std::vector<Count> counts = learner.counts();
  Pools pools;
  add_counts(model, counts, pools);
  std::array<std::vector<double>, 4> common;
  for (std::size_t i = 0; i < pools.size(); ++i) common[i] = common_of(i, pools[i]);
  for (const LaneIndex& index : left_out) {
    const TypeModel& type = model.types[codec_index(index.type)];
    std::fill_n(counts.begin() + type.lanes[index.lane].first_slot,
                slot_count(type.schema.lanes[index.lane]), Count{});
  }
  const std::span<const Count> own(counts);
  for (const TypeModel& type : model.types) {
    set_probabilities(model, type.first_slot, own.subspan(type.first_slot, slots::kPerEntity),
                      common[3]);
    for (std::size_t i = 0; i < type.lanes.size(); ++i) {
      const LaneSchema& lane = type.schema.lanes[i];
      set_probabilities(model, type.lanes[i].first_slot,
                        own.subspan(type.lanes[i].first_slot, slot_count(lane)),
                        common[pool_of(lane)]);
    }
  }
}

}  // namespace

SnapshotModel train_model(std::span<const TrainingTrace> traces) {
  SnapshotModel model = untrained_model(traces.front().trace->types);
  for (std::size_t t = 0; t < model.types.size(); ++t) {
    std::vector<StateSample> samples;
    for (const TrainingTrace& trace : traces) {
      for (const StateSample& sample : trace.samples) {
        if (codec_index(sample.entity->type) == t && sample.known.count > 0 &&
            is_changed(model.types[t], sample)) {
          samples.push_back(sample);
        }
      }
    }
    train_lanes(model.types[t], samples);
  }
  learn_initial_values(model, traces);
  learn_sizes(model, traces);
  learn_probabilities(model, traces, {});
  return model;
}

void leave_out(SnapshotModel& model, std::span<const TrainingTrace> traces,
               std::span<const LaneIndex> lanes) {
  // Indexed by the context of the Huffman codes.
  std::vector<bool> is_out(std::size_t{UINT16_MAX} + 1);
  for (const LaneIndex& index : lanes) {
    TypeModel& type = model.types[codec_index(index.type)];
    LaneModel& lane = type.lanes[index.lane];
    lane.partner_count = 0;
    lane.change_partner_count = 0;
    lane.initial_value = 0;
    lane.size_weights = {};
    lane.weights = {};
    lane.partners = {};
    lane.change_partners = {};
    const std::uint32_t context = lane_context(type, index.lane);
    if (context < is_out.size()) is_out[context] = true;
  }
  HuffmanTables kept;
  for (const std::uint16_t context : model.huffman.contexts()) {
    if (!is_out[context]) kept.set(context, model.huffman.lengths(context));
  }
  model.huffman = std::move(kept);
  learn_probabilities(model, traces, lanes);
}

CommonPriors common_priors(std::span<const TrainingTrace> traces) {
  std::vector<SnapshotModel> models;
  Regression sizes(kSizeFeatures);
  for (const TrainingTrace& trace : traces) {
    models.push_back(untrained_model(trace.trace->types));
    Learner learner(models.back());
    learn(learner, models.back(), std::span(&trace, 1));
    sizes.add(learner.all_sizes());
  }
  CommonPriors priors{.size_weights = rounded(sizes.solve(256.0)), .steps = {}};
  Pools pools;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (TypeModel& type : models[i].types) {
      for (LaneModel& lane : type.lanes) lane.size_weights = priors.size_weights;
    }
    Learner learner(models[i]);
    learn(learner, models[i], traces.subspan(i, 1));
    add_counts(models[i], learner.counts(), pools);
  }
  for (std::size_t kind = 0; kind < pools.size(); ++kind) {
    std::vector<double> common = common_of(kind, pools[kind]);
    if (!common.empty()) loosen_numbers(kind, common);
    for (const double one : common) {
      priors.steps[kind].push_back(
          step_of(static_cast<BitProbability>(std::clamp(one * 65536, 2.0, 65534.0))));
    }
  }
  return priors;
}

}  // namespace muster
