// The lateness of the last snapshots, sorted, for quantiles and costs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace muster {

/// The values of a sliding window, kept sorted. The oldest value is removed when the window is full
/// or the value is too old. Memory is allocated at construction. Adding takes linear time.
class LatenessHistory {
 public:
  /// Requires: at least one value.
  LatenessHistory(std::size_t values_max, double age_max_ms);

  void add(double value_ms, double now_ms);
  /// Adds `change_ms` to the last `count` values, or to all if there are fewer.
  void shift_last(std::size_t count, double change_ms);
  std::size_t size() const { return count_; }

  /// The value `v` for which `v + cost_ms * (share of values above v)` is the minimum; the lowest
  /// one if there are several. 0 without values.
  double cheapest(double cost_ms) const;
  /// The quantile: the share `share` of the values is not above it. 0 without values. Requires: a
  /// share of 0 to 1.
  double quantile(double share) const;

 private:
  struct Entry {
    double value_ms = 0;
    double at_ms = 0;
  };
  Entry& entry(std::size_t from_oldest) { return ring_[(oldest_ + from_oldest) % ring_.size()]; }
  void drop_oldest();
  void erase_sorted(double value_ms);
  void insert_sorted(double value_ms);

  double age_max_ms_;
  std::vector<Entry> ring_;  ///< In order of arrival.
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  std::vector<double> sorted_;
};

}  // namespace muster
