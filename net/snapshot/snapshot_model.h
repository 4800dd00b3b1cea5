// What training knows of a game's entities: how each lane is predicted, and how likely each
// decision of the coder is. SNAPSHOT_FORMAT.md, "The model".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "net/snapshot/lane.h"
#include "net/snapshot/plain/huffman.h"
#include "net/wire/range_coder.h"

namespace muster {

/// How a lane that is already coded helps to predict another one.
enum class PartnerKind : std::uint8_t {
  difference = 0,  ///< By how far it moved since the newest known state.
  turn = 1,        ///< It is an angle: by its sine and cosine.
  heading = 2,     ///< Its movement in the direction of an angle: how far something walked where.
};

struct Partner {
  PartnerKind kind = PartnerKind::difference;
  std::uint16_t lane = 0;
  std::uint16_t angle = 0;  ///< For `turn` the lane itself, for `heading` the angle's lane.
  friend bool operator==(const Partner&, const Partner&) = default;
};

/// A lane's own inputs to its prediction: seven steps between known states, and one.
inline constexpr std::size_t kOwnFeatures = 8;
inline constexpr std::size_t kMaxPartners = 4;
inline constexpr std::size_t kFeaturesPerPartner = 4;
inline constexpr std::size_t kMaxFeatures = kOwnFeatures + kMaxPartners * kFeaturesPerPartner;
/// How steadily a lane has moved lately; each class has weights of its own.
inline constexpr std::size_t kSteadinessClasses = 6;
/// Inputs to the guess how far a prediction will miss.
inline constexpr std::size_t kSizeFeatures = 19;
/// Lanes whose having changed tells the most about whether this one does.
inline constexpr std::size_t kMaxChangePartners = 3;

/// Weights are in 1/2^14, features in 1/2^8. Both are bounded, so that no sum overflows.
inline constexpr int kWeightBits = 14;
inline constexpr int kFeatureBits = 8;
inline constexpr std::int32_t kWeightMax = 1 << 22;
inline constexpr std::int64_t kFeatureMax = std::int64_t{1} << 33;
/// Weights of the guess of sizes are in 1/2^10; it gives a logarithm to base 2 in 1/16.
inline constexpr int kSizeWeightBits = 10;
inline constexpr std::int32_t kSizeWeightMax = (1 << 15) - 1;

using FeatureWeights = std::array<std::int32_t, kMaxFeatures>;
using SizeWeights = std::array<std::int16_t, kSizeFeatures>;

/// What is known of one lane.
struct LaneModel {
  /// Where the probabilities of this lane's decisions begin; set by `lay_out`, as are copies of
  /// what the schema says of the lane: what coding asks for at every lane stands together.
  std::uint32_t first_slot = 0;
  LaneKind kind = LaneKind::number;
  std::uint8_t partner_count = 0;
  std::uint8_t change_partner_count = 0;
  std::uint32_t greatest = 0;
  std::uint32_t period = 0;
  /// The value that new entities have most often.
  LaneValue usual = 0;
  std::array<std::uint16_t, kMaxChangePartners> change_partners{};
  std::array<Partner, kMaxPartners> partners{};
  SizeWeights size_weights{};
  std::array<FeatureWeights, kSteadinessClasses> weights{};
};

/// What is known of one type of entities.
struct TypeModel {
  EntitySchema schema;
  /// The lanes in the order in which they are coded: causes before what follows from them. The
  /// four lanes of a rotation stay together.
  std::vector<std::uint16_t> order;
  std::vector<LaneModel> lanes;
  std::uint32_t first_slot = 0;     ///< Of the decisions about the entity itself.
  std::uint32_t first_context = 0;  ///< Of the tables of Huffman's codes; set by `lay_out`.
};

/// Everything that both sides must have alike before they can speak. Immutable while in use; may be
/// shared by threads.
struct SnapshotModel {
  std::vector<TypeModel> types;
  std::vector<BitProbability> probabilities;  ///< One per slot.
  /// Corrections for the coder `mix` (`mix.h`), a table for each context; empty when none were
  /// trained, and then `mix` codes as `range` does.
  std::vector<std::int8_t> mix;
  HuffmanTables huffman;  ///< For the coders `huffman` and `reference`.
};

/// How many slots a lane of this kind takes.
std::uint32_t slot_count(const LaneSchema& lane);
/// Gives every lane its place among the slots, and every slot a probability of one half.
void lay_out(SnapshotModel& model);

/// What is wrong with the lanes of a type; null when nothing is.
const char* find_fault(const EntitySchema& schema);
/// What is wrong with schemas, orders, partners or weights; null when nothing is. What passes can
/// be laid out and used.
const char* find_fault(const SnapshotModel& model);

/// The model of a game that has none yet: things move on as they did, and sizes follow from what
/// moved before. Sane, not good: train one (`snapshot_train`).
SnapshotModel untrained_model(std::vector<EntitySchema> types);

}  // namespace muster
