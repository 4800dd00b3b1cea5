#include "registry/base/clock.h"

#include "registry/base/date.h"

namespace muster {

Time SteadyClock::now() const {
  return Time(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

std::uint64_t system_unix_seconds() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::seconds>(since).count());
}

}  // namespace muster
