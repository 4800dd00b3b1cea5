// How long work tells that it goes on, without knowing who listens.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace muster {

/// Whom to tell; either may be empty. The functions outlive the work that they are given to.
struct Progress {
  /// A phase of `total` steps starts (0: unknown); the one before is over.
  std::function<void(std::string_view phase, std::size_t total)> on_begin;
  /// Some more steps are done; `what` is the thing that was worked on. Called from several threads.
  std::function<void(std::size_t steps, std::string_view what)> on_advance;

  void begin(std::string_view phase, std::size_t total) const {
    if (on_begin) on_begin(phase, total);
  }
  void advance(std::size_t steps, std::string_view what) const {
    if (on_advance) on_advance(steps, what);
  }
};

}  // namespace muster
