// A model of a game's entities: the prediction of each lane, and the probability of each decision.
// See SNAPSHOT_FORMAT.md, "Model file".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/snapshot/lane.h"
#include "net/snapshot/plain/huffman.h"
#include "net/wire/range_coder.h"

namespace muster {

/// How a lane that is already coded helps to predict another lane.
enum class PartnerKind : std::uint8_t {
  difference = 0,  ///< The lane's movement since the newest known state is an input.
  turn = 1,        ///< The lane is an angle. Its sine and cosine are inputs.
  /// The inputs are the lane's movement times the sine and times the cosine of an angle.
  heading = 2,
};

struct Partner {
  PartnerKind kind = PartnerKind::difference;
  std::uint16_t lane = 0;
  std::uint16_t angle = 0;  ///< For `turn`, equal to `lane`. For `heading`, the lane of the angle.
  friend bool operator==(const Partner&, const Partner&) = default;
};

/// The number of a lane's own inputs: seven steps between known states, and a constant.
inline constexpr std::size_t kOwnFeatures = 8;
inline constexpr std::size_t kMaxPartners = 4;
inline constexpr std::size_t kFeaturesPerPartner = 4;
inline constexpr std::size_t kMaxFeatures = kOwnFeatures + kMaxPartners * kFeaturesPerPartner;
/// The number of classes of a lane's recent motion, from steady to unsteady. Each class has its own
/// weights.
inline constexpr std::size_t kSteadinessClasses = 6;
/// The number of inputs that estimate the size of a prediction's error.
inline constexpr std::size_t kSizeFeatures = 19;
/// The maximum number of change partners: the lanes whose changes best predict a change of this
/// lane.
inline constexpr std::size_t kMaxChangePartners = 3;

/// The unit of weights is 1/2^14, and the unit of features is 1/2^8. Both are bounded, so that no
/// sum overflows.
inline constexpr int kWeightBits = 14;
inline constexpr int kFeatureBits = 8;
inline constexpr std::int32_t kWeightMax = 1 << 22;
inline constexpr std::int64_t kFeatureMax = std::int64_t{1} << 33;
/// The unit of weights of the size estimate is 1/2^10. The result of the estimate is a log2 in
/// units of 1/16.
inline constexpr int kSizeWeightBits = 10;
inline constexpr std::int32_t kSizeWeightMax = (1 << 15) - 1;

using FeatureWeights = std::array<std::int32_t, kMaxFeatures>;
using SizeWeights = std::array<std::int16_t, kSizeFeatures>;

/// The model of one lane.
struct LaneModel {
  /// The first slot of this lane's decisions, set by `lay_out`. `lay_out` also copies `kind`,
  /// `maximum` and `period` from the lane's schema, so that a coder finds all data of a lane
  /// together.
  std::uint32_t first_slot = 0;
  LaneKind kind = LaneKind::number;
  std::uint8_t partner_count = 0;
  std::uint8_t change_partner_count = 0;
  std::uint32_t maximum = 0;
  std::uint32_t period = 0;
  /// The initial value: the most common value of new entities.
  LaneValue initial_value = 0;
  std::array<std::uint16_t, kMaxChangePartners> change_partners{};
  std::array<Partner, kMaxPartners> partners{};
  SizeWeights size_weights{};
  std::array<FeatureWeights, kSteadinessClasses> weights{};
};

/// The model of one entity type.
struct TypeModel {
  EntitySchema schema;
  /// The lanes in coding order: causes before consequences. The four lanes of a rotation stay
  /// together.
  std::vector<std::uint16_t> order;
  std::vector<LaneModel> lanes;
  std::uint32_t first_slot = 0;     ///< The first slot of the entity itself.
  std::uint32_t first_context = 0;  ///< The first Huffman context; set by `lay_out`.
};

/// The data that both ends must share. Immutable while in use; may be shared by threads.
struct SnapshotModel {
  std::vector<TypeModel> types;
  std::vector<BitProbability> probabilities;  ///< One per slot.
  /// Corrections for the coder `mix` (`mix.h`): one table for each context. Empty if no corrections
  /// were trained; the coder `mix` then corrects nothing.
  std::vector<std::int8_t> mix;
  HuffmanTables huffman;  ///< For the coders `huffman` and `reference`.
};

/// The number of slots of a lane of this kind.
std::uint32_t slot_count(const LaneSchema& lane);
/// Assigns slots to every lane, and sets every probability to one half.
void lay_out(SnapshotModel& model);

/// Describes the first fault of a type's lanes. Returns null if the lanes are valid.
const char* find_fault(const EntitySchema& schema);
/// Describes the first fault of a model's schemas, orders, partners or weights. Returns null if the
/// model is valid: it can then be laid out and used.
const char* find_fault(const SnapshotModel& model);

/// The model of a game without training. The model predicts that motion continues, and estimates
/// the size of errors from earlier motion. A trained model needs fewer bytes (`snapshot_train`).
SnapshotModel untrained_model(std::vector<EntitySchema> types);

}  // namespace muster
