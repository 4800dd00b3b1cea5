#include "net/snapshot/adopted_model.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "net/snapshot/slots.h"

namespace muster {
namespace {

constexpr std::uint16_t kUnknownLane = std::numeric_limits<std::uint16_t>::max();

/// The receivers of a lane, and the presence of other lanes of its vector, do not affect training.
bool is_same(const LaneSchema& a, const LaneSchema& b) {
  return a.name == b.name && a.kind == b.kind && a.maximum == b.maximum && a.period == b.period;
}

/// The start of a partner's weights in a row.
template <typename Row>
auto weights_of(Row& row, std::size_t partner) {
  return row.begin() + static_cast<std::ptrdiff_t>(kOwnFeatures + partner * kFeaturesPerPartner);
}

/// Copies the training of one trained type into one type of a new model.
class Adoption {
 public:
  Adoption(const SnapshotModel& trained, const TypeModel& source, SnapshotModel& model,
           TypeModel& type)
      : trained_(trained),
        source_(source),
        model_(model),
        type_(type),
        from_(type.lanes.size(), kUnknownLane),
        to_(source.lanes.size(), kUnknownLane) {
    pair_up();
  }

  void adopt() {
    adopt_order();
    copy_probabilities(source_.first_slot, type_.first_slot, slots::kPerEntity);
    for (std::size_t i = 0; i < from_.size(); ++i) {
      if (from_[i] != kUnknownLane) adopt_lane(i, source_.lanes[from_[i]]);
    }
  }

 private:
  /// Pairs the lanes of both types. The four lanes of a rotation are paired together or not at all.
  void pair_up() {
    const auto& ours = type_.schema.lanes;
    for (std::size_t i = 0; i < ours.size();) {
      const std::size_t count = ours[i].kind == LaneKind::dropped ? 4 : 1;
      const std::span<const LaneSchema> wanted = std::span(ours).subspan(i, count);
      std::size_t first = 0;
      while (first + count <= to_.size() && !gives(first, wanted)) ++first;
      for (std::size_t k = 0; first + count <= to_.size() && k < count; ++k) {
        from_[i + k] = static_cast<std::uint16_t>(first + k);
        to_[first + k] = static_cast<std::uint16_t>(i + k);
      }
      i += count;
    }
  }
  /// Returns true if the source has these lanes from `first` on, and no lane uses them yet.
  bool gives(std::size_t first, std::span<const LaneSchema> wanted) const {
    const std::span<const LaneSchema> lanes(source_.schema.lanes);
    return to_[first] == kUnknownLane &&
           std::ranges::equal(lanes.subspan(first, wanted.size()), wanted, is_same);
  }

  /// Puts the trained lanes first, in their trained order. The other lanes follow, in the untrained
  /// order.
  void adopt_order() {
    std::vector<std::uint16_t> order;
    for (const std::uint16_t lane : source_.order) {
      if (to_[lane] != kUnknownLane) order.push_back(to_[lane]);
    }
    for (const std::uint16_t lane : type_.order) {
      if (from_[lane] == kUnknownLane) order.push_back(lane);
    }
    type_.order = std::move(order);
  }

  void adopt_lane(std::size_t i, const LaneModel& source) {
    LaneModel& lane = type_.lanes[i];
    const std::uint32_t first_slot = lane.first_slot;
    copy_probabilities(source.first_slot, first_slot, slot_count(type_.schema.lanes[i]));
    lane = source;
    lane.first_slot = first_slot;
    keep_partners(source, lane);
    lane.change_partner_count = 0;
    lane.change_partners = {};  // The coder also reads unused entries.
    for (std::size_t k = 0; k < source.change_partner_count; ++k) {
      const std::uint16_t partner = to_[source.change_partners[k]];
      if (partner != kUnknownLane) lane.change_partners[lane.change_partner_count++] = partner;
    }
    adopt_code(i);
  }

  /// Drops the partners that `type_` does not have, and the weights of these partners.
  void keep_partners(const LaneModel& source, LaneModel& lane) const {
    lane.partner_count = 0;
    for (std::size_t k = 0; k < source.partner_count; ++k) {
      Partner partner = source.partners[k];
      const bool has_angle = partner.kind != PartnerKind::difference;
      partner.lane = to_[partner.lane];
      partner.angle = has_angle ? to_[partner.angle] : std::uint16_t{0};
      if (partner.lane == kUnknownLane || partner.angle == kUnknownLane) continue;
      const std::size_t index = lane.partner_count++;
      lane.partners[index] = partner;
      for (std::size_t row = 0; row < lane.weights.size(); ++row) {
        std::copy_n(weights_of(source.weights[row], k), kFeaturesPerPartner,
                    weights_of(lane.weights[row], index));
      }
    }
    for (FeatureWeights& row : lane.weights) {
      std::fill(weights_of(row, lane.partner_count), row.end(), 0);
    }
  }
  /// Copies the Huffman code of a lane's changes. The codes of masks are not copied, because a mask
  /// covers four lanes, which may be different lanes in the new type.
  void adopt_code(std::size_t i) {
    const std::uint32_t context = change_context(source_, from_[i]);
    const std::uint32_t own = change_context(type_, i);
    if (own > std::numeric_limits<std::uint16_t>::max()) return;
    [[maybe_unused]] const bool is_code =
        model_.huffman.set(static_cast<std::uint16_t>(own), trained_.huffman.lengths(context));
    assert(is_code);
  }
  static std::uint32_t change_context(const TypeModel& type, std::size_t lane) {
    return type.first_context + static_cast<std::uint32_t>((type.lanes.size() + 3) / 4 + lane);
  }

  void copy_probabilities(std::uint32_t source, std::uint32_t target, std::uint32_t count) {
    std::copy_n(trained_.probabilities.begin() + source, count,
                model_.probabilities.begin() + target);
  }

  const SnapshotModel& trained_;
  const TypeModel& source_;
  SnapshotModel& model_;
  TypeModel& type_;
  std::vector<std::uint16_t> from_;  ///< For each lane of `type_`, the lane of `source_`.
  std::vector<std::uint16_t> to_;    ///< For each lane of `source_`, the lane of `type_`.
};

}  // namespace

void adopt(const SnapshotModel& trained, std::span<const std::string> sources,
           SnapshotModel& model) {
  assert(sources.size() == model.types.size());
  for (std::size_t i = 0; i < model.types.size(); ++i) {
    const auto source = std::ranges::find(trained.types, sources[i],
                                          [](const TypeModel& type) { return type.schema.name; });
    if (source != trained.types.end()) {
      Adoption(trained, *source, model, model.types[i]).adopt();
    }
  }
}

}  // namespace muster
