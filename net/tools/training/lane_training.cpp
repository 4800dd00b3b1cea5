// Weights are chosen for small absolute errors, not for small squares of errors, because the cost
// of a residual grows with its logarithm. So each equation is weighted by the inverse of its error
// in the last round (iteratively reweighted least squares). Partners are added one by one, best
// first, as long as they save bits.
#include "net/tools/training/lane_training.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "net/snapshot/lane_features.h"
#include "net/snapshot/rotation_frame.h"
#include "net/tools/training/regression.h"

namespace muster {
namespace {

/// The maximum number of samples. With more samples, the third digit of a weight does not change.
constexpr std::size_t kMaxSamples = 60'000;
/// The maximum number of samples for the choice of partners.
constexpr std::size_t kChoosingSamples = 12'000;
constexpr std::size_t kSamplesMin = 60;  ///< With fewer samples, nothing is trained.
constexpr double kPartnerGain = 0.99;
/// A partner must save at least this many bits, because smaller savings may be chance.
constexpr double kPartnerBits = 40;

using Features = std::array<std::int64_t, kMaxFeatures>;

bool is_predicted(const LaneSchema& lane) {
  return lane.kind == LaneKind::number || lane.kind == LaneKind::angle ||
         lane.kind == LaneKind::rotation;
}

/// The data that a codec has when it codes a lane of a sample.
class SampleView {
 public:
  SampleView(const TypeModel& type, const StateSample& sample)
      : type_(type), sample_(sample), spacing_(spacing_of(sample.known)) {}

  const LaneValue* now() const { return sample_.entity->values; }
  const LaneValue* before() const { return sample_.known.values[0]; }

  LanePast past(std::size_t lane) const {
    if (type_.schema.lanes[lane].kind == LaneKind::rotation) {
      std::size_t dropped = lane;
      while (type_.schema.lanes[dropped].kind == LaneKind::rotation) --dropped;
      const RotationFrame frame(sample_.known, dropped, now()[dropped], type_.schema.lanes[dropped],
                                type_.schema.lanes[dropped + 1]);
      return frame.past(lane);
    }
    LanePast past{};
    for (std::size_t k = 0; k < sample_.known.count; ++k) past[k] = sample_.known.values[k][lane];
    return past;
  }
  LaneMotion motion(std::size_t lane, const LanePast& past) const {
    return motion_of(past, spacing_, type_.schema.lanes[lane].period);
  }
  std::int64_t moved(std::size_t lane, const LanePast& past) const {
    return cyclic_difference(past[0], now()[lane], type_.schema.lanes[lane].period);
  }
  LaneNews news(std::size_t lane) const {
    const LanePast past = this->past(lane);
    const LaneMotion motion = this->motion(lane, past);
    const std::int64_t moved = this->moved(lane, past);
    return {.moved = moved * (1 << kFeatureBits),
            .step0 = motion.steps[0],
            .step1 = motion.steps[1],
            .changed = moved != 0};
  }

 private:
  const TypeModel& type_;
  const StateSample& sample_;
  StateSpacing spacing_;
};

/// The equations of one lane.
struct LaneEquations {
  struct Row {
    const StateSample* sample;
    std::uint8_t steadiness;
    double target;
    std::array<double, kMaxFeatures> features;
  };
  std::vector<Row> rows;
};

/// Returns true when a sample contains information about a lane.
bool is_informative(const LaneMotion& motion, std::int64_t moved) {
  return moved != 0 || !motion.is_constant;
}

LaneEquations own_equations(const TypeModel& type, std::size_t lane,
                            std::span<const StateSample> samples, std::size_t maximum) {
  LaneEquations equations;
  const std::size_t stride = std::max<std::size_t>(1, samples.size() / maximum);
  const LaneModel none{};
  Features features;
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    if (samples[i].known.count < 2) continue;
    const SampleView view(type, samples[i]);
    const LanePast past = view.past(lane);
    const LaneMotion motion = view.motion(lane, past);
    const std::int64_t moved = view.moved(lane, past);
    if (!is_informative(motion, moved)) continue;
    fill_features(type, none, motion, {}, nullptr, nullptr, features);
    LaneEquations::Row row{.sample = &samples[i],
                           .steadiness = motion.steadiness,
                           .target = static_cast<double>(moved),
                           .features = {}};
    for (std::size_t f = 0; f < kOwnFeatures; ++f) {
      row.features[f] = static_cast<double>(features[f]) / (1 << kFeatureBits);
    }
    equations.rows.push_back(row);
  }
  return equations;
}

void add_partner(const TypeModel& type, const Partner& partner, std::size_t index,
                 LaneEquations& equations) {
  std::vector<LaneNews> news(type.lanes.size());
  std::array<std::int64_t, kFeaturesPerPartner> features{};
  for (LaneEquations::Row& row : equations.rows) {
    const SampleView view(type, *row.sample);
    news[partner.lane] = view.news(partner.lane);
    Turn turn;
    if (partner.kind != PartnerKind::difference) {
      turn = turn_of(type.lanes[partner.angle], view.before()[partner.angle],
                     view.now()[partner.angle]);
    }
    partner_features(partner.kind, news[partner.lane], turn, features.data());
    for (std::size_t f = 0; f < kFeaturesPerPartner; ++f) {
      row.features[kOwnFeatures + index * kFeaturesPerPartner + f] =
          static_cast<double>(features[f]) / (1 << kFeatureBits);
    }
  }
}

struct Fit {
  std::array<std::vector<double>, kSteadinessClasses> weights;
  double cost = 0;  ///< The mean logarithm of the errors, which is approximately a number of bits.
};

double weighted_sum(const std::vector<double>& weights, const LaneEquations::Row& row) {
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * row.features[i];
  return sum;
}

/// Fits the weights of all classes. While partners are chosen (`on_all` is false), the rows are
/// divided into eight parts. The weights are fitted to every second part. Their cost is measured on
/// the other parts, in which a fit cannot save bits by chance.
Fit fit(const LaneEquations& equations, std::size_t partner_count, bool on_all) {
  const std::size_t features = kOwnFeatures + partner_count * kFeaturesPerPartner;
  Fit result;
  std::vector<Regression> regressions(kSteadinessClasses, Regression(features));
  for (auto& weights : result.weights) weights.assign(features, 0.0);
  const int rounds = on_all ? 5 : 3;
  for (int round = 0; round <= rounds; ++round) {
    for (Regression& regression : regressions) regression.clear();
    result.cost = 0;
    double judged = 0;
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
      const LaneEquations::Row& row = equations.rows[i];
      const bool is_for_fit = on_all || (i * 8 / equations.rows.size()) % 2 == 0;
      const std::size_t steadiness = row.steadiness;
      const double missed = std::fabs(row.target - weighted_sum(result.weights[steadiness], row));
      if (!is_for_fit || on_all) {
        result.cost += std::log2(1 + 2 * missed);
        judged += 1;
      }
      if (!is_for_fit || round == rounds) continue;
      const double weight = round == 0 ? 1 / (std::fabs(row.target) + 1) : 1 / (missed + 0.5);
      if (round > 0 && missed > 2000) continue;
      regressions[steadiness].add({row.features.data(), features}, row.target, weight);
    }
    if (judged > 0) result.cost /= judged;
    if (round == rounds) break;
    Regression all(features);
    for (const Regression& regression : regressions) all.add(regression);
    const std::vector<double> common = all.solve(1.0);
    for (std::size_t c = 0; c < kSteadinessClasses; ++c) {
      result.weights[c] = regressions[c].solve(8.0, common);
    }
  }
  return result;
}

/// Returns the possible partners of `lane`: the lanes that are coded before `lane`.
std::vector<Partner> candidates(const TypeModel& type, std::size_t lane) {
  std::vector<Partner> found;
  std::vector<std::uint16_t> angles;
  for (const std::uint16_t other : type.order) {
    if (other == lane) break;
    const LaneKind kind = type.schema.lanes[other].kind;
    if (!is_predicted(type.schema.lanes[other])) continue;
    found.push_back({.kind = PartnerKind::difference, .lane = other, .angle = 0});
    if (kind == LaneKind::angle) {
      angles.push_back(other);
      found.push_back({.kind = PartnerKind::turn, .lane = other, .angle = other});
    }
  }
  if (!type.schema.lanes[lane].is_of_vector) return found;
  for (const std::uint16_t other : type.order) {
    if (other == lane) break;
    if (type.schema.lanes[other].kind != LaneKind::number) continue;
    for (const std::uint16_t angle : angles) {
      found.push_back({.kind = PartnerKind::heading, .lane = other, .angle = angle});
    }
  }
  return found;
}

void choose_partners(TypeModel& type, std::size_t lane, std::span<const StateSample> samples) {
  LaneModel& model = type.lanes[lane];
  LaneEquations equations = own_equations(type, lane, samples, kMaxSamples);
  const std::size_t stride = equations.rows.size() / kChoosingSamples + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < equations.rows.size(); i += stride) {
    equations.rows[kept++] = equations.rows[i];
  }
  equations.rows.resize(kept);
  if (kept < kSamplesMin) return;
  double best = fit(equations, 0, false).cost;
  const std::vector<Partner> all = candidates(type, lane);
  while (model.partner_count < kMaxPartners && best > 0.01) {
    std::optional<Partner> chosen;
    double minimum = std::min(best * kPartnerGain,
                              best - kPartnerBits / static_cast<double>(equations.rows.size()));
    for (const Partner& partner : all) {
      const auto end = model.partners.begin() + model.partner_count;
      if (std::find(model.partners.begin(), end, partner) != end) continue;
      add_partner(type, partner, model.partner_count, equations);
      const double cost = fit(equations, model.partner_count + std::size_t{1}, false).cost;
      if (cost < minimum) {
        minimum = cost;
        chosen = partner;
      }
    }
    if (!chosen) return;
    add_partner(type, *chosen, model.partner_count, equations);
    model.partners[model.partner_count++] = *chosen;
    best = minimum;
  }
}

void fit_weights(TypeModel& type, std::size_t lane, std::span<const StateSample> samples) {
  LaneModel& model = type.lanes[lane];
  LaneEquations equations = own_equations(type, lane, samples, kMaxSamples);
  if (equations.rows.size() < kSamplesMin) return;
  for (std::size_t i = 0; i < model.partner_count; ++i) {
    add_partner(type, model.partners[i], i, equations);
  }
  const Fit best = fit(equations, model.partner_count, true);
  for (std::size_t c = 0; c < kSteadinessClasses; ++c) {
    for (std::size_t f = 0; f < best.weights[c].size(); ++f) {
      const double scaled = std::round(best.weights[c][f] * (1 << kWeightBits));
      model.weights[c][f] =
          static_cast<std::int32_t>(std::clamp<double>(scaled, -kWeightMax, kWeightMax));
    }
  }
}

double entropy(double part, double whole) {
  if (part <= 0 || part >= whole) return 0;
  return -part * std::log2(part / whole) - (whole - part) * std::log2(1 - part / whole);
}

/// Chooses the lanes whose changes best predict the changes of each lane.
void choose_change_partners(TypeModel& type, std::span<const StateSample> samples) {
  const std::size_t lanes = type.lanes.size();
  std::vector<std::vector<std::uint8_t>> changed;
  const std::size_t stride = samples.size() / kMaxSamples + 1;
  for (std::size_t i = 0; i < samples.size(); i += stride) {
    if (samples[i].known.count == 0) continue;
    std::vector<std::uint8_t> row(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      row[lane] = samples[i].entity->values[lane] != samples[i].known.values[0][lane] ? 1 : 0;
    }
    changed.push_back(std::move(row));
  }
  for (std::size_t index = 0; index < type.order.size(); ++index) {
    LaneModel& model = type.lanes[type.order[index]];
    const std::size_t lane = type.order[index];
    std::vector<std::uint8_t> set(changed.size());
    while (model.change_partner_count < kMaxChangePartners) {
      double minimum = std::numeric_limits<double>::max();
      double present = 0;
      std::size_t chosen = lanes;
      for (std::size_t p = 0; p <= index; ++p) {
        const std::size_t other = type.order[p];
        std::array<std::array<double, 2>, 16> counts{};
        for (std::size_t i = 0; i < changed.size(); ++i) {
          // The index of the lane itself means that there are no further partners.
          const std::size_t bit = other == lane ? 0U : changed[i][other];
          ++counts[set[i] + bit * 8U][changed[i][lane]];
        }
        double cost = 0;
        for (const auto& count : counts) cost += entropy(count[1], count[0] + count[1]);
        if (other == lane) present = cost;
        if (other != lane && cost < minimum) {
          minimum = cost;
          chosen = other;
        }
      }
      if (chosen == lanes || minimum > present * 0.98 - 8) break;
      for (std::size_t i = 0; i < changed.size(); ++i) {
        set[i] =
            static_cast<std::uint8_t>(set[i] | (changed[i][chosen] << model.change_partner_count));
      }
      model.change_partners[model.change_partner_count++] = static_cast<std::uint16_t>(chosen);
    }
  }
}

}  // namespace

void train_lanes(TypeModel& type, std::span<const StateSample> samples) {
  for (const std::uint16_t lane : type.order) {
    if (!is_predicted(type.schema.lanes[lane])) continue;
    choose_partners(type, lane, samples);
    fit_weights(type, lane, samples);
  }
  choose_change_partners(type, samples);
}

}  // namespace muster
