// The least of the samples of the last while, in constant memory.
#pragma once

#include <array>
#include <utility>

#include "registry/base/clock.h"

namespace muster {

/// The least sample of a sliding window of time, kept as the best three of its parts (Nichols's
/// filter, as TCP BBR uses it): constant memory and time, and never a sample older than the window.
/// `Value` is ordered and copied. Samples come in the order of their times.
template <typename Value>
class WindowedMinimum {
 public:
  explicit WindowedMinimum(Duration window) : window_(window) {}

  bool has_value() const { return has_value_; }
  /// The least sample; `Value{}` before the first one.
  const Value& value() const { return best_[0].value; }

  void clear() { has_value_ = false; }
  /// From now on the window is this long.
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

  /// Lets the second take the place of a best that is too old, and takes a fresh candidate after
  /// each quarter of the window, so that there is one when the best goes.
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
