// Weighted least squares with few unknowns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster {

/// Gathers equations `features * weights = target` and finds the weights that fit them best.
class Regression {
 public:
  explicit Regression(std::size_t feature_count);

  void clear();
  /// Requires: `features.size()` is the count given.
  void add(std::span<const double> features, double target, double weight);
  void add(const Regression& other);
  /// Weights that minimise the weighted squares plus `ridge` times their own squares; a feature
  /// that says nothing gets 0.
  std::vector<double> solve(double ridge) const;
  /// The same, but pulled towards `home` instead of zero: what is right where little was seen.
  std::vector<double> solve(double ridge, std::span<const double> home) const;
  std::size_t equation_count() const { return equation_count_; }

 private:
  std::size_t size_;
  std::vector<double> products_;  ///< Upper half only.
  std::vector<double> targets_;
  std::size_t equation_count_ = 0;
};

}  // namespace muster
