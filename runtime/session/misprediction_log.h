// A list of wrong predictions, each with its difference and the system that caused the difference.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/problem.h"

namespace muster {

/// Keeps the last `kKept` mispredictions, oldest first.
class MispredictionLog {
 public:
  static constexpr std::size_t kKept = 256;

  void add(const Misprediction& one);
  /// The number of kept mispredictions.
  std::size_t size() const { return kept_.size(); }
  const Misprediction& operator[](std::size_t index) const {
    return kept_[(first_ + index) % kept_.size()];
  }
  std::uint64_t total() const { return total_; }

 private:
  std::vector<Misprediction> kept_;
  std::size_t first_ = 0;  ///< The index of the oldest misprediction when the log is full.
  std::uint64_t total_ = 0;
};

/// Returns a line of text. For example: `tick 120, entity 7: Transform.position differs by 3
/// (tolerance 0.01), last written by steer`
std::string to_line(const Misprediction& one);
/// Returns a row with the columns of `kMispredictionColumns`, without a line break.
std::string to_csv(const Misprediction& one);
inline constexpr std::string_view kMispredictionColumns =
    "tick,command,entity,component,field,difference,tolerance,system,replayed_ticks";

}  // namespace muster
