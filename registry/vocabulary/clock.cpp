#include "registry/vocabulary/clock.h"

namespace muster {

Time SteadyClock::now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

}  // namespace muster
