#include "net/tools/training/regression.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace muster {

Regression::Regression(std::size_t feature_count)
    : size_(feature_count), products_(feature_count * feature_count), targets_(feature_count) {}

void Regression::clear() {
  std::fill(products_.begin(), products_.end(), 0.0);
  std::fill(targets_.begin(), targets_.end(), 0.0);
  equation_count_ = 0;
}

void Regression::add(std::span<const double> features, double target, double weight) {
  ++equation_count_;
  for (std::size_t i = 0; i < size_; ++i) {
    if (features[i] == 0.0) continue;
    const double part = weight * features[i];
    for (std::size_t j = i; j < size_; ++j) products_[i * size_ + j] += part * features[j];
    targets_[i] += part * target;
  }
}

void Regression::add(const Regression& other) {
  equation_count_ += other.equation_count_;
  for (std::size_t i = 0; i < products_.size(); ++i) products_[i] += other.products_[i];
  for (std::size_t i = 0; i < size_; ++i) targets_[i] += other.targets_[i];
}

std::vector<double> Regression::solve(double ridge, std::span<const double> home) const {
  Regression rest(*this);
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t j = 0; j < size_; ++j) {
      rest.targets_[i] -= products_[std::min(i, j) * size_ + std::max(i, j)] * home[j];
    }
  }
  std::vector<double> weights = rest.solve(ridge);
  for (std::size_t i = 0; i < size_; ++i) weights[i] += home[i];
  return weights;
}

std::vector<double> Regression::solve(double ridge) const {
  const std::size_t n = size_;
  std::vector<double> rows(products_);
  std::vector<double> right(targets_);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) rows[i * n + j] = rows[j * n + i];
    rows[i * n + i] += ridge + 1e-6 * rows[i * n + i];
  }
  std::vector<double> weights(n, 0.0);
  std::vector<std::size_t> pivot_of(n, n);
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t i = c; i < n; ++i) {
      if (std::fabs(rows[i * n + c]) > std::fabs(rows[pivot * n + c])) pivot = i;
    }
    if (std::fabs(rows[pivot * n + c]) < 1e-9) continue;
    if (pivot != c) {
      std::swap_ranges(&rows[pivot * n], &rows[pivot * n] + n, &rows[c * n]);
      std::swap(right[pivot], right[c]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == c ? 0.0 : rows[i * n + c] / rows[c * n + c];
      if (factor == 0.0) continue;
      for (std::size_t j = c; j < n; ++j) rows[i * n + j] -= factor * rows[c * n + j];
      right[i] -= factor * right[c];
    }
    pivot_of[c] = c;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (pivot_of[i] != n) weights[i] = right[i] / rows[i * n + i];
  }
  return weights;
}

}  // namespace muster
