// The date, for data that expires.
#pragma once

#include <cstdint>

namespace muster {

/// The seconds since 1970-01-01 UTC, from the machine's clock. Logic must not call this function;
/// it receives the time as a parameter.
std::uint64_t system_unix_seconds();

}  // namespace muster
