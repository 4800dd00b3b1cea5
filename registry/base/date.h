// The date, for things that expire.
#pragma once

#include <cstdint>

namespace muster {

/// Seconds since 1970-01-01 UTC by the machine's clock. For edges only.
std::uint64_t system_unix_seconds();

}  // namespace muster
