// Collects problems, and reports each cause at most once per second.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "registry/base/clock.h"
#include "runtime/session/problem.h"

namespace muster {

/// The problems of one end by cause. If there are more than `kCausesMax` causes in a second, the
/// others are counted together as one. One thread at a time.
class ProblemLog {
 public:
  static constexpr std::size_t kCausesMax = 256;

  void add(Problem problem);
  /// Calls `report` for each cause that has occurrences and was not reported within the last
  /// second, in the order of their first occurrence. `report` may add problems.
  void flush(Time now, const std::function<void(const Problem&)>& report);

 private:
  struct Cause {
    Problem problem;
    std::uint64_t count = 0;  ///< Since the last report.
    Time reported_at{};
    bool was_reported = false;
  };
  std::vector<Cause> causes_;
  std::uint64_t uncounted_ = 0;  ///< Problems beyond the bound.
};

}  // namespace muster
