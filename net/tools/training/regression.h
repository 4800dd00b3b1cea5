// Weighted least squares for a small number of unknowns.
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
  /// Returns the weights that minimise the sum of weighted squared errors plus `ridge` times the
  /// sum of squared weights. A feature without information gets the weight 0.
  std::vector<double> solve(double ridge) const;
  /// Does the same as `solve(ridge)`, but with little data the weights tend to `home` instead of
  /// zero.
  std::vector<double> solve(double ridge, std::span<const double> home) const;
  std::size_t equation_count() const { return equation_count_; }

 private:
  std::size_t size_;
  std::vector<double> products_;  ///< Only the upper half of the symmetric matrix is used.
  std::vector<double> targets_;
  std::size_t equation_count_ = 0;
};

}  // namespace muster
