#include "runtime/sync/lateness_history.h"

#include <algorithm>
#include <cassert>

namespace muster {

LatenessHistory::LatenessHistory(std::size_t values_max, double age_max_ms)
    : age_max_ms_(age_max_ms), ring_(values_max) {
  assert(values_max > 0);
  sorted_.reserve(values_max);
}

void LatenessHistory::add(double value_ms, double now_ms) {
  while (count_ > 0 && (count_ == ring_.size() || entry(0).at_ms < now_ms - age_max_ms_)) {
    drop_oldest();
  }
  entry(count_) = {.value_ms = value_ms, .at_ms = now_ms};
  ++count_;
  insert_sorted(value_ms);
}

void LatenessHistory::replace_last(std::span<const double> values_ms) {
  assert(values_ms.size() <= count_);
  const std::size_t first = count_ - values_ms.size();
  for (std::size_t i = 0; i < values_ms.size(); ++i) {
    Entry& replaced = entry(first + i);
    erase_sorted(replaced.value_ms);
    replaced.value_ms = values_ms[i];
    insert_sorted(replaced.value_ms);
  }
}

double LatenessHistory::cheapest(double cost_ms) const {
  double best = 0;
  double best_cost = 0;
  const double per_value = cost_ms / static_cast<double>(std::max<std::size_t>(count_, 1));
  for (std::size_t i = 0; i < sorted_.size(); ++i) {
    const double cost = sorted_[i] + per_value * static_cast<double>(sorted_.size() - 1 - i);
    if (i > 0 && cost >= best_cost) continue;
    best = sorted_[i];
    best_cost = cost;
  }
  return best;
}

double LatenessHistory::quantile(double share) const {
  if (sorted_.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted_.size()));
  return sorted_[std::min(index, sorted_.size() - 1)];
}

void LatenessHistory::drop_oldest() {
  erase_sorted(entry(0).value_ms);
  oldest_ = (oldest_ + 1) % ring_.size();
  --count_;
}

void LatenessHistory::erase_sorted(double value_ms) {
  const auto found = std::ranges::lower_bound(sorted_, value_ms);
  assert(found != sorted_.end() && *found == value_ms);
  sorted_.erase(found);
}

void LatenessHistory::insert_sorted(double value_ms) {
  sorted_.insert(std::ranges::upper_bound(sorted_, value_ms), value_ms);
}

}  // namespace muster
