// Urgency grows with the waiting time, so that every change is sent eventually. Candidates are
// sorted by urgency and chosen while they fit.
#include "net/replication/change_priority.h"

#include <algorithm>

namespace muster {
namespace {

/// The share 1 / `kOverdueShare` of the room is used first, for entities that have waited longer
/// than their `longest_ticks`.
constexpr double kOverdueShare = 4;
/// The nearness of the farthest entities. An entity at the view position has the nearness 1.
constexpr float kFarShare = 0.05F;
/// Entities get extra nearness within this share of the farthest candidate's distance.
constexpr float kCloseDistance = 0.1F;

/// Returns a nearness: 1 at the view position, `kFarShare` at the farthest candidate. The nearness
/// falls most steeply near the view position. Distances are relative to the farthest candidate, so
/// that entities in a dense crowd also have different values. One half of the value falls evenly
/// over the whole distance. The other half falls with the area that an entity covers on the screen,
/// so that the few closest entities are in nearly every snapshot.
float nearness_of(float distance, float distance_max) {
  if (!(distance_max > 0)) return 1;
  const float part = std::min(distance / distance_max, 1.0F);
  const float even = (1 - part) * (1 - part);
  const float close = 1 / (1 + part * part / (kCloseDistance * kCloseDistance));
  return kFarShare + (1 - kFarShare) * (even + close) / 2;
}

bool is_unknown(const ChangeCandidate& change) {
  return change.may_be_shown && !change.is_confirmed;
}

}  // namespace

void ChangePriority::clear() {
  candidates_.clear();
  order_.clear();
  deferred_.clear();
}

void ChangePriority::add(const ChangeCandidate& candidate) {
  order_.push_back(static_cast<std::uint32_t>(candidates_.size()));
  candidates_.push_back({.change = candidate});
}

double ChangePriority::bits() const {
  double bits = 0;
  for (const Candidate& candidate : candidates_) bits += candidate.change.bits;
  return bits;
}

std::span<const std::uint32_t> ChangePriority::choose(double room_bits, bool is_settling) {
  rate_all();
  const std::size_t first_count = is_settling ? put_unknown_first(room_bits) : 0;
  double used = 0;
  std::size_t sent = 0;
  // Moves candidates to the front while they fit. The first candidate is always chosen, even if it
  // does not fit. Otherwise an entity that needs more room than is ever available would wait
  // forever.
  const auto choose_by = [&](float Candidate::*by, float minimum, std::size_t end, double room) {
    sort_by(by, sent, end);
    while (sent < end && candidates_[order_[sent]].*by >= minimum) {
      const double bits = candidates_[order_[sent]].change.bits;
      if (sent > 0 && used + bits > room) return;
      used += bits;
      ++sent;
    }
  };
  choose_by(&Candidate::urgency, 0, first_count, room_bits);
  choose_by(&Candidate::overdue, 1, order_.size(), room_bits / kOverdueShare);
  choose_by(&Candidate::urgency, 0, order_.size(), room_bits);
  for (std::size_t k = sent; k < order_.size(); ++k) {
    deferred_.push_back(candidates_[order_[k]].change.index);
  }
  return deferred_;
}

void ChangePriority::rate_all() {
  float distance_max = candidates_.front().change.distance;
  for (const Candidate& candidate : candidates_) {
    distance_max = std::max(distance_max, candidate.change.distance);
  }
  for (Candidate& candidate : candidates_) {
    const UpdateClass& update_class = *candidate.change.update_class;
    const auto waited = static_cast<float>(candidate.change.waited_ticks);
    const float share =
        nearness_of(candidate.change.distance, std::min(distance_max, update_class.radius));
    candidate.urgency = update_class.weight * share * waited;
    candidate.overdue =
        waited / static_cast<float>(std::max<std::uint16_t>(update_class.longest_ticks, 1));
  }
}

/// For `is_settling`: moves the candidates that are chosen first to the front, and returns their
/// number.
std::size_t ChangePriority::put_unknown_first(double room_bits) {
  std::erase_if(order_, [&](std::uint32_t k) {
    const ChangeCandidate& change = candidates_[k].change;
    const bool waits = !change.is_confirmed && !change.may_be_shown;
    if (waits) deferred_.push_back(change.index);
    return waits;
  });
  double wanted = 0;
  for (const std::uint32_t k : order_) {
    wanted += is_unknown(candidates_[k].change) ? candidates_[k].change.bits : 0.0;
  }
  const auto goes_first = [&](std::uint32_t k) {
    const ChangeCandidate& change = candidates_[k].change;
    return is_unknown(change) && (wanted <= room_bits || change.is_lost);
  };
  const auto others = std::partition(order_.begin(), order_.end(), goes_first);
  return static_cast<std::size_t>(others - order_.begin());
}

/// Sorts a part of the order by a member, highest first.
void ChangePriority::sort_by(float Candidate::*by, std::size_t begin, std::size_t end) {
  const auto is_before = [&](std::uint32_t a, std::uint32_t b) {
    const Candidate& left = candidates_[a];
    const Candidate& right = candidates_[b];
    return left.*by != right.*by ? left.*by > right.*by : left.change.index < right.change.index;
  };
  std::sort(order_.begin() + static_cast<std::ptrdiff_t>(begin),
            order_.begin() + static_cast<std::ptrdiff_t>(end), is_before);
}

std::size_t ChangePriority::memory_bytes() const {
  return candidates_.capacity() * sizeof(Candidate) +
         (order_.capacity() + deferred_.capacity()) * sizeof(std::uint32_t);
}

}  // namespace muster
