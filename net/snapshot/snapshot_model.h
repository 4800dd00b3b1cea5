// A model of a game's entities: the prediction of each lane, and the probability of each decision.
// SNAPSHOT_FORMAT.md, "Model file".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/snapshot/lane.h"
#include "net/snapshot/plain/huffman.h"
#include "net/wire/range_coder.h"

namespace muster {

/// How an already coded lane helps to predict another one.
enum class PartnerKind : std::uint8_t {
  difference = 0,  ///< Its movement since the newest known state is an input.
  turn = 1,        ///< It is an angle. Its sine and cosine are inputs.
  heading = 2,     ///< Its movement times an angle's sine and cosine are inputs.
};

struct Partner {
  PartnerKind kind = PartnerKind::difference;
  std::uint16_t lane = 0;
  std::uint16_t angle = 0;  ///< For `turn` the lane itself, for `heading` the angle's lane.
  friend bool operator==(const Partner&, const Partner&) = default;
};

/// A lane's own inputs: seven steps between known states, and a constant.
inline constexpr std::size_t kOwnFeatures = 8;
inline constexpr std::size_t kMaxPartners = 4;
inline constexpr std::size_t kFeaturesPerPartner = 4;
inline constexpr std::size_t kMaxFeatures = kOwnFeatures + kMaxPartners * kFeaturesPerPartner;
/// The number of classes of a lane's recent motion, from steady to unsteady. Each class has its own
/// weights.
inline constexpr std::size_t kSteadinessClasses = 6;
/// The inputs of the estimated size of a prediction's error.
inline constexpr std::size_t kSizeFeatures = 19;
/// The maximum number of change partners: the lanes whose changes best predict a change of this
/// lane.
inline constexpr std::size_t kMaxChangePartners = 3;

/// Weights are in 1/2^14, features in 1/2^8. Both are bounded, so that no sum overflows.
inline constexpr int kWeightBits = 14;
inline constexpr int kFeatureBits = 8;
inline constexpr std::int32_t kWeightMax = 1 << 22;
inline constexpr std::int64_t kFeatureMax = std::int64_t{1} << 33;
/// Weights of the size estimate are in 1/2^10; its result is log2 in 1/16.
inline constexpr int kSizeWeightBits = 10;
inline constexpr std::int32_t kSizeWeightMax = (1 << 15) - 1;

using FeatureWeights = std::array<std::int32_t, kMaxFeatures>;
using SizeWeights = std::array<std::int16_t, kSizeFeatures>;

/// The model of one lane.
struct LaneModel {
  /// The first slot of this lane's decisions. `lay_out` sets this and copies of values of the
  /// lane's schema, so that the data that is needed for every lane is stored together.
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
  /// Corrections for the coder `mix` (`mix.h`), a table for each context. Empty if none were
  /// trained; then `mix` codes like `range`.
  std::vector<std::int8_t> mix;
  HuffmanTables huffman;  ///< For the coders `huffman` and `reference`.
};

/// The number of slots of a lane of this kind.
std::uint32_t slot_count(const LaneSchema& lane);
/// Assigns slots to every lane, and sets every probability to one half.
void lay_out(SnapshotModel& model);

/// Describes the first fault of a type's lanes; null if it is valid.
const char* find_fault(const EntitySchema& schema);
/// Describes the first fault of schemas, orders, partners or weights; null if valid. A valid model
/// can be laid out and used.
const char* find_fault(const SnapshotModel& model);

/// The model of a game without training. It predicts that motion continues, and estimates the size
/// of errors from earlier motion. A trained model needs fewer bytes (`snapshot_train`).
SnapshotModel untrained_model(std::vector<EntitySchema> types);

}  // namespace muster
