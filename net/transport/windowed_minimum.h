// The minimum sample of a sliding window of time, in constant memory.
#pragma once

#include <array>
#include <utility>

#include "registry/base/clock.h"

namespace muster {

/// The minimum sample of a sliding window of time. The class keeps the minimum sample of each of
/// three parts of the window (Nichols's filter, as in TCP BBR). It needs constant memory and time,
/// and never returns a sample that is older than the window. `Value` must be ordered and copyable.
/// Add samples in time order.
template <typename Value>
class WindowedMinimum {
 public:
  explicit WindowedMinimum(Duration window) : window_(window) {}

  bool has_value() const { return has_value_; }
  /// The minimum sample; `Value{}` before the first sample.
  const Value& value() const { return best_[0].value; }

  void clear() { has_value_ = false; }
  /// Sets the length of the window.
  void set_window(Duration window) { window_ = window; }

  void add(Time now, const Value& value) {
    const Sample sample{.at = now, .value = value};
    const bool all_too_old = has_value_ && now - best_[2].at > window_;
    if (!has_value_ || !(best_[0].value < value) || all_too_old) {
      best_.fill(sample);
      has_value_ = true;
      return;
    }
    if (!(best_[1].value < value)) {
      best_[1] = best_[2] = sample;
    } else if (!(best_[2].value < value)) {
      best_[2] = sample;
    }
    expire(now, sample);
  }

 private:
  struct Sample {
    Time at{};
    Value value{};
  };

  /// Removes a minimum that is too old, and replaces it by the next candidate. Stores a new
  /// candidate after each quarter of the window, so that a candidate always exists.
  void expire(Time now, const Sample& sample) {
    while (now - best_[0].at > window_) {
      best_[0] = best_[1];
      best_[1] = best_[2];
      best_[2] = sample;
    }
    const Duration age = now - best_[0].at;
    if (best_[1].at == best_[0].at && age > window_ / 4) {
      best_[1] = best_[2] = sample;
    } else if (best_[2].at == best_[1].at && age > window_ / 2) {
      best_[2] = sample;
    }
  }

  Duration window_;
  bool has_value_ = false;
  std::array<Sample, 3> best_{};
};

}  // namespace muster
