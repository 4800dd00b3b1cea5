// All corrections are trained together by stochastic gradient descent on the cost of the decisions
// (logistic regression, with AdaGrad steps). So the corrections of two contexts do not count the
// same effect twice. The corrections of a rare context change little, because of `kDoubt`.
#include "net/tools/training/mix_training.h"

#include <cmath>
#include <limits>

#include "net/snapshot/mix.h"
#include "net/tools/training/code_sample.h"

namespace muster {
namespace {

constexpr int kRoundsMax = 10;
constexpr float kStep = 0.06F;
constexpr float kDoubt = 4.0F;  ///< The initial sum of squared errors of every context.
/// Each correction tends to zero, as if zero had been observed this many times.
constexpr float kPrior = 4.0F;

/// Learns corrections from decisions.
class MixLearner {
 public:
  static constexpr bool kDecodes = false;

  explicit MixLearner(const SnapshotModel& model)
      : model_(model), entries_(kMixContexts * kMixTableSize) {}

  void see_in(const MixContexts& contexts) { contexts_ = contexts; }
  bool bit(std::uint32_t /*slot*/, bool value) { return value; }
  bool even_bit(bool value) { return value; }
  bool bit_in(std::uint32_t slot, std::uint32_t node, bool value) {
    std::array<Entry*, kMixContexts> used;
    float odds = static_cast<float>(odds_of(model_.probabilities[slot])) / kOddsUnit;
    for (std::size_t i = 0; i < kMixContexts; ++i) {
      used[i] = &entries_[i * kMixTableSize + mix_index(contexts_[i], node)];
      odds += used[i]->correction;
    }
    const float error = 1 / (1 + std::exp(-odds)) - (value ? 1.0F : 0.0F);
    if (judges_) {
      cost_ -= std::log2(1 - std::fabs(error) + 1e-6F);
      return value;
    }
    for (Entry* entry : used) {
      entry->squares += error * error;
      if (counts_) entry->visits += 1;
      entry->correction -= step_ * (error + kPrior * entry->correction / entry->visits) /
                           std::sqrt(entry->squares + kDoubt);
    }
    return value;
  }

  void begin_round(float step, bool counts) {
    step_ = step;
    counts_ = counts;
    judges_ = false;
  }
  /// Ends the training: later decisions are only counted.
  void judge() {
    judges_ = true;
    cost_ = 0;
  }
  double cost() const { return cost_; }
  std::vector<std::int8_t> corrections() const {
    std::vector<std::int8_t> rounded(entries_.size());
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      rounded[i] = static_cast<std::int8_t>(
          std::clamp(std::round(entries_[i].correction * kCorrectionUnit), -127.0F, 127.0F));
    }
    return rounded;
  }

 private:
  struct Entry {
    float correction = 0;
    float squares = 0;
    float visits = 0;
  };
  const SnapshotModel& model_;
  std::vector<Entry> entries_;
  MixContexts contexts_{};
  float step_ = 0;
  bool counts_ = true;
  bool judges_ = false;
  double cost_ = 0;
};

/// The part of each trace that is used. Training uses one part, and evaluation uses the other part.
enum class Part : std::uint8_t { all, first, rest };

void learn(MixLearner& learner, const SnapshotModel& model, std::span<const TrainingTrace> traces,
           Part part) {
  EntityScratch scratch;
  std::vector<LaneValue> values;
  for (const TrainingTrace& trace : traces) {
    const std::size_t border = trace.trace->ticks.size() * 7 / 10;
    for (const StateSample& sample : trace.samples) {
      const bool is_first = sample.known.now.value() < border;
      if (sample.known.count == 0 || (part != Part::all && is_first != (part == Part::first))) {
        continue;
      }
      code_sample(learner, model, sample, scratch, values);
    }
  }
}

/// Returns the number of training passes before overfitting begins.
int best_rounds(const SnapshotModel& model, std::span<const TrainingTrace> traces) {
  MixLearner learner(model);
  int best = 1;
  double minimum = std::numeric_limits<double>::max();
  for (int round = 1; round <= kRoundsMax && round <= best + 2; ++round) {
    learner.begin_round(kStep, round == 1);
    learn(learner, model, traces, Part::first);
    learner.judge();
    learn(learner, model, traces, Part::rest);
    if (learner.cost() < minimum) {
      minimum = learner.cost();
      best = round;
    }
  }
  return best;
}

}  // namespace

void train_mix(SnapshotModel& model, std::span<const TrainingTrace> traces) {
  const int rounds = best_rounds(model, traces);
  MixLearner learner(model);
  for (int round = 1; round <= rounds; ++round) {
    learner.begin_round(kStep, round == 1);
    learn(learner, model, traces, Part::all);
  }
  if (rounds > 0) {
    learner.begin_round(kStep / 4, false);
    learn(learner, model, traces, Part::all);
  }
  model.mix = learner.corrections();
}

}  // namespace muster
