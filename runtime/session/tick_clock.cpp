#include "runtime/session/tick_clock.h"

#include <algorithm>
#include <chrono>

namespace muster {
namespace {

constexpr std::int64_t kTickParts = 1'000'000'000;
/// The maximum length of a frame. A longer frame counts as this length. With this limit, the parts
/// of a frame fit into 64 bits at the highest rate.
constexpr std::chrono::hours kLongestFrame{24};

}  // namespace

std::uint32_t TickClock::due(Time now) {
  const Duration passed =
      last_ ? std::clamp(now - *last_, Duration(), Duration(kLongestFrame)) : Duration();
  last_ = now;
  parts_ += passed.count() * rate_;
  const std::int64_t whole = parts_ / kTickParts;
  parts_ %= kTickParts;
  const auto ticks = static_cast<std::uint32_t>(std::min<std::int64_t>(whole, kTicksPerFrameMax));
  skipped_ += static_cast<std::uint64_t>(whole) - ticks;
  return ticks;
}

float TickClock::fraction() const {
  constexpr float kBelowOne = 0.999F;
  return std::min(static_cast<float>(parts_) / static_cast<float>(kTickParts), kBelowOne);
}

float TickClock::fraction_at(Time now) const {
  const Duration passed =
      last_ ? std::clamp(now - *last_, Duration(), Duration(kLongestFrame)) : Duration();
  return static_cast<float>(parts_ + passed.count() * rate_) / static_cast<float>(kTickParts);
}

Duration TickClock::to_next() const { return Duration((kTickParts - parts_ + rate_ - 1) / rate_); }

}  // namespace muster
