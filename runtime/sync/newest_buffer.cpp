#include "runtime/sync/newest_buffer.h"

#include <algorithm>
#include <chrono>

namespace muster {
namespace {

constexpr double kBehindTicks = 1;
constexpr double kCatchUp = 1.01;
constexpr double kBehindTicksMax = 10;
constexpr double kReseatTicks = 8;

}  // namespace

NewestBuffer::NewestBuffer(const JitterOptions& options)
    : ticks_per_second_(options.ticks_per_second) {}

void NewestBuffer::note(Tick tick, Time now) {
  if (newest_ && tick <= *newest_) return;
  if (!newest_) shown_ = tick.value();
  newest_ = tick;
  newest_at_ = now;
}

double NewestBuffer::shown(Time now) {
  if (!newest_) return 0;
  const std::chrono::duration<double> passed = frame_ ? now - *frame_ : Duration();
  frame_ = now;
  const double newest = newest_->value();
  const bool is_behind = shown_ < newest - kBehindTicks;
  shown_ += std::max(passed.count(), 0.0) * ticks_per_second_ * (is_behind ? kCatchUp : 1.0);
  shown_ = std::min(shown_, newest);
  if (shown_ < newest - kBehindTicksMax) {
    shown_ = newest - kReseatTicks;
    ++reseats_;
  }
  const std::chrono::duration<double> behind((newest - shown_) / ticks_per_second_);
  delay_ = now - newest_at_ + std::chrono::duration_cast<Duration>(behind);
  return std::max(shown_, 0.0);
}

}  // namespace muster
