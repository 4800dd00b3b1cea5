// Keeps the lateness of the last packets, and computes quantiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace muster {

/// The values of a sliding window, kept sorted. The oldest value is removed when the window is full
/// or when the value is too old. Memory is allocated at construction. Adding a value takes linear
/// time.
class LatenessHistory {
 public:
  /// Requires: `values_max` is at least 1.
  LatenessHistory(std::size_t values_max, double age_max_ms);

  void add(double value_ms, double now_ms);
  /// Replaces the last values. `values_ms` has the oldest of these values first. Requires: at most
  /// `size()` values.
  void replace_last(std::span<const double> values_ms);
  std::size_t size() const { return count_; }

  /// Returns the value `v` with the minimum of `v + cost_ms * (share of values above v)`. If
  /// several values have the minimum, returns the lowest of them. Returns 0 if there are no values.
  double cheapest(double cost_ms) const;
  /// Returns a quantile of the values, or 0 if there are no values. `share` is the share of values
  /// that are at or below the quantile. Requires: a share of 0 to 1.
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
  std::vector<Entry> ring_;  ///< Values in order of arrival.
  std::size_t oldest_ = 0;
  std::size_t count_ = 0;
  std::vector<double> sorted_;
};

}  // namespace muster
