// Reports the progress of long work through callbacks.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace muster {

/// The callbacks for progress. Each callback may be empty. The object must outlive the work.
struct Progress {
  /// Called when a phase of `total` steps starts and the previous phase ends. `total` is 0 if the
  /// number of steps is unknown.
  std::function<void(std::string_view phase, std::size_t total)> on_begin;
  /// Called when `steps` more steps are done. `what` is the current item. Called from several
  /// threads.
  std::function<void(std::size_t steps, std::string_view what)> on_advance;

  void begin(std::string_view phase, std::size_t total) const {
    if (on_begin) on_begin(phase, total);
  }
  void advance(std::size_t steps, std::string_view what) const {
    if (on_advance) on_advance(steps, what);
  }
};

}  // namespace muster
