// Durations as floating-point milliseconds, for the clocks of this folder.
#pragma once

#include <chrono>

#include "registry/base/clock.h"

namespace muster {

inline double to_milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

inline Duration from_milliseconds(double ms) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>(ms));
}

}  // namespace muster
