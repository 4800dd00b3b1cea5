// Only this file of `net/` writes to standard error.
#include "net/endpoint/danger_notice.h"

#include <cstdio>

namespace muster {

namespace {

constexpr Duration kInterval = std::chrono::minutes(1);

void print_to_standard_error(std::string_view line) {
  std::fprintf(stderr, "muster: %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

void DangerNotice::remind(Time now, std::string_view line) {
  if (printed_at_.has_value() && now - *printed_at_ < kInterval) return;
  printed_at_ = now;
  log_ ? log_(line) : print_to_standard_error(line);
}

}  // namespace muster
