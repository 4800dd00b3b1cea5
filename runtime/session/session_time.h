// The net's time line for a session's time.
#pragma once

#include <chrono>

#include "registry/base/clock.h"

namespace muster {

/// The net needs a start that lies before every call, so its time line begins an hour earlier.
inline Time net_time(Time now) { return Time(now.time_since_epoch() + std::chrono::hours(1)); }

}  // namespace muster
