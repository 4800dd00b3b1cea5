// Chooses the changes to send when not all fit. REPLICATION_FORMAT.md, "Which changes go first".
#include <algorithm>
#include <bit>
#include <cmath>

#include "net/replication/client_view.h"

namespace muster {
namespace {

/// The fraction of the room (1 / this) that goes first to entities beyond their `longest_ticks`.
constexpr double kOverdueShare = 4;
/// The nearness of the farthest entities, relative to one at the view position.
constexpr float kFarShare = 0.05F;
/// The part of the farthest candidate's distance within which entities get extra nearness.
constexpr float kCloseDistance = 0.1F;
/// After this many seconds without a snapshot that defers no unknown entity, new entities wait for
/// one, for at most as long.
constexpr std::uint32_t kSettleSeconds = 2;
/// Estimated bits of an update and of each of its lanes, before measurement.
constexpr double kUpdateBits = 6;
constexpr double kLaneBits = 1.5;

/// Returns 1 at the view position and falls to `kFarShare`, steepest when near. Distance is
/// relative to the farthest candidate, so that a dense crowd also has near and far members.
/// One half falls evenly over the whole distance. The other half falls with the area that an entity
/// covers on the screen, so that the few closest ones get nearly every snapshot.
float nearness_of(float distance, float distance_max) {
  if (!(distance_max > 0)) return 1;
  const float part = std::min(distance / distance_max, 1.0F);
  const float even = (1 - part) * (1 - part);
  const float close = 1 / (1 + part * part / (kCloseDistance * kCloseDistance));
  return kFarShare + (1 - kFarShare) * (even + close) / 2;
}

}  // namespace

float ClientView::distance_to(const ReplicatedEntity& entity) const {
  if (!viewer.has_view_position || entity.options.relevance != Relevance::near) return 0;
  const WorldPosition& position = entity.options.position;
  return std::hypot(position.x - viewer.view_position.x, position.y - viewer.view_position.y,
                    position.z - viewer.view_position.z);
}

/// True when the client is confirmed to have the current values.
bool ClientView::is_current(std::uint32_t i) const {
  return records_[i].acked_since == row_since(i);
}

double ClientView::predicted_bits(std::size_t i) const {
  const std::vector<LaneSchema>& lanes = options_.model.types[states_[i].kind.type].schema.lanes;
  if (records_[i].acked_since != kNotAcked) {
    return update_cost_ * (kUpdateBits + kLaneBits * static_cast<double>(lanes.size()));
  }
  double bits = kUpdateBits;
  for (const LaneSchema& lane : lanes) bits += std::bit_width(lane.maximum) / 2.0 + 1;
  return new_cost_ * bits;
}

/// Each part checks all active entities. While thousands of them are new to the client, for example
/// when a map begins, they are sent in a few parts per snapshot.
std::size_t ClientView::parts_for_new() const {
  constexpr std::size_t kNewMax = 1'024;
  constexpr std::size_t kLooksMax = 40'000;
  const auto is_new = [&](std::uint32_t i) { return records_[i].acked_since == kNotAcked; };
  if (active_.size() <= kNewMax) return kSnapshotWindow;
  const auto count = static_cast<std::size_t>(std::ranges::count_if(active_, is_new));
  if (count <= kNewMax) return kSnapshotWindow;
  return std::max<std::size_t>(2, kLooksMax / active_.size());
}

/// Defers changes that must wait: far entities until their turn, and the least urgent ones when not
/// all changes fit.
void ClientView::choose(const ReplicatedWorld& world, std::size_t budget_bytes) {
  find_candidates(world);
  double wanted = 0;
  for (const std::uint32_t i : candidates_) wanted += predicted_bits(i);
  const double room = static_cast<double>(budget_bytes) * 8 - overhead_bits_;
  // A small budget minus the overhead may be negative, which is less than any candidate needs.
  is_short_ = !candidates_.empty() && wanted > room;
  if (is_short_) choose_most_urgent(world.tick(), room);
}

/// Collects the changes that may be sent now.
void ClientView::find_candidates(const ReplicatedWorld& world) {
  candidates_.clear();
  distances_.clear();
  checked_count_ += active_.size();
  std::erase_if(active_, [&](std::uint32_t i) {
    records_[i].is_active = !is_current(i);
    if (!records_[i].is_active) records_[i].waiting_since = 0;
    return !records_[i].is_active;
  });
  const bool is_settling = settles(world.tick());
  for (const std::uint32_t i : active_) {
    const Record& record = records_[i];
    const UpdateClass& update_class = options_.classes[entities_[i]->options.update_class];
    float distance = distance_to(*entities_[i]);
    if (!(distance < update_class.radius)) distance = update_class.radius;  // Also for NaN.
    const bool waits_for_turn = record.acked_since != kNotAcked &&
                                world.tick() - record.sent_at < update_class.far_ticks &&
                                distance > update_class.near_distance;
    // It may never fit again. Without it, the next snapshot can settle the client's state.
    const bool is_unfit_now = is_unfit(i);
    if (is_unfit_now && is_settling && is_unknown(i)) states_[i].may_be_shown = false;
    if (waits_for_turn || is_unfit_now) {
      defer(i);
      continue;
    }
    candidates_.push_back(i);
    distances_.push_back(distance);
  }
}

/// True when the client may have an entity from a snapshot that is not confirmed.
bool ClientView::is_unknown(std::uint32_t i) const {
  return records_[i].may_be_shown && records_[i].acked_since == kNotAcked;
}

/// While a snapshot defers unknown entities, the client keeps all unknown ones, even removed ones
/// (`SnapshotHead::keeps_unknown`). If every snapshot did so for long, one must be sent that defers
/// none.
bool ClientView::settles(std::uint32_t tick) const {
  const std::uint32_t interval = kSettleSeconds * options_.ticks_per_second;
  return (tick - settled_at_) / interval % 2 == 1;
}

/// Moves all unknown entities to the front if they fit, and returns their number. If they do not
/// fit, moves those whose snapshot was lost. The others will soon be acknowledged, because entities
/// that the client cannot have yet wait.
std::size_t ClientView::put_unknown_first(double room_bits) {
  std::erase_if(candidates_, [&](std::uint32_t i) {
    const bool waits = records_[i].acked_since == kNotAcked && !records_[i].may_be_shown;
    if (waits) defer(i);
    if (waits) ++counters_.deferred;
    return waits;
  });
  double wanted = 0;
  for (const std::uint32_t i : candidates_) wanted += is_unknown(i) ? predicted_bits(i) : 0.0;
  const auto goes_first = [&](std::uint32_t i) {
    return is_unknown(i) && (wanted <= room_bits || records_[i].sent_at == 0);
  };
  const auto others = std::partition(candidates_.begin(), candidates_.end(), goes_first);
  return static_cast<std::size_t>(others - candidates_.begin());
}

/// A candidate's urgency is its weight × its nearness × the ticks that it has waited. The most
/// urgent ones that fit are sent, so in the long run each entity gets updates in proportion to
/// weight × nearness, and none starves. A part of the room goes to those beyond `longest_ticks`.
void ClientView::choose_most_urgent(std::uint32_t tick, double room_bits) {
  const float distance_max = std::ranges::max(distances_);
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    Record& record = records_[candidates_[k]];
    const UpdateClass& update_class =
        options_.classes[entities_[candidates_[k]]->options.update_class];
    const float waited = static_cast<float>(tick - record.waiting_since + 1);
    const float share = nearness_of(distances_[k], std::min(distance_max, update_class.radius));
    record.urgency = update_class.weight * share * waited;
    record.overdue =
        waited / static_cast<float>(std::max<std::uint16_t>(update_class.longest_ticks, 1));
  }
  const std::size_t first_count = settles(tick) ? put_unknown_first(room_bits) : 0;
  const auto is_before = [&](float Record::*by) {
    return [this, by](std::uint32_t a, std::uint32_t b) {
      return records_[a].*by != records_[b].*by ? records_[a].*by > records_[b].*by : a < b;
    };
  };
  double used = 0;
  std::size_t sent = 0;
  // Moves entities to the front while they fit. The first one is always sent, so that none waits
  // forever for more room than exists.
  const auto choose_by = [&](float Record::*by, float minimum, std::size_t end, double room) {
    const auto begin = candidates_.begin();
    std::sort(begin + static_cast<std::ptrdiff_t>(sent), begin + static_cast<std::ptrdiff_t>(end),
              is_before(by));
    while (sent < end && records_[candidates_[sent]].*by >= minimum) {
      const double bits = predicted_bits(candidates_[sent]);
      if (sent > 0 && used + bits > room) return;
      used += bits;
      ++sent;
    }
  };
  choose_by(&Record::urgency, 0, first_count, room_bits);
  choose_by(&Record::overdue, 1, candidates_.size(), room_bits / kOverdueShare);
  choose_by(&Record::urgency, 0, candidates_.size(), room_bits);
  for (std::size_t k = sent; k < candidates_.size(); ++k) {
    defer(candidates_[k]);
    ++counters_.deferred;
  }
}

/// Compares the measured cost of updates and new entities with the prediction.
void ClientView::learn_cost(double predicted, double predicted_new, std::size_t snapshot_bytes) {
  constexpr double kRate = 1.0 / 16;
  const SnapshotCost& cost = writer_->last_cost();
  const auto learn = [](double& scale, double seen_bits, double predicted_bits) {
    constexpr double kEnoughBits = 200;  // A very small cost is no measurement.
    const double weight = kRate * std::min(predicted_bits / kEnoughBits, 1.0);
    if (predicted_bits <= 0) return;
    scale = std::clamp(scale * (1 + weight * (seen_bits / predicted_bits - 1)), 0.05, 20.0);
  };
  learn(update_cost_, cost.update_bits, predicted);
  learn(new_cost_, cost.new_bits, predicted_new);
  tick_overhead_bits_ +=
      std::max(static_cast<double>(snapshot_bytes) * 8 - cost.update_bits - cost.new_bits, 0.0);
}

}  // namespace muster
