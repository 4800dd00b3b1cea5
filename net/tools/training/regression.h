// Weighted least squares for a few unknowns.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace muster {

/// Collects equations `features * weights = target` and computes the best weights.
class Regression {
 public:
  explicit Regression(std::size_t feature_count);

  void clear();
  /// Requires: `features.size()` is the count passed to the constructor.
  void add(std::span<const double> features, double target, double weight);
  void add(const Regression& other);
  /// Returns the weights that minimise the weighted squares plus `ridge` times their own squares; a
  /// feature without information gets 0.
  std::vector<double> solve(double ridge) const;
  /// The same, pulled towards `home` instead of zero: the default where data is rare.
  std::vector<double> solve(double ridge, std::span<const double> home) const;
  std::size_t equation_count() const { return equation_count_; }

 private:
  std::size_t size_;
  std::vector<double> products_;  ///< Upper half only.
  std::vector<double> targets_;
  std::size_t equation_count_ = 0;
};

}  // namespace muster
