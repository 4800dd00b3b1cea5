#include "runtime/sync/variance_buffer.h"

#include <algorithm>
#include <chrono>

namespace muster {
namespace {

constexpr double kStartSnapshots = 3;
constexpr std::uint32_t kCounts = 30;
constexpr double kMeanMin = 1;
constexpr double kMeanMax = 2;
constexpr double kVarianceMax = 1;

}  // namespace

VarianceBuffer::VarianceBuffer(const JitterOptions& options)
    : ticks_per_second_(options.ticks_per_second),
      interval_ticks_(static_cast<double>(options.snapshot_ticks)),
      to_count_ticks_(interval_ticks_) {}

void VarianceBuffer::note(Tick tick, Time now) {
  if (newest_ && tick <= *newest_) return;
  if (!first_) {
    first_ = tick;
    shown_ = tick.value();
  }
  newest_ = tick;
  newest_at_ = now;
  const double waiting = (tick.value() - shown_) / interval_ticks_;
  is_playing_ = is_playing_ || waiting >= kStartSnapshots - 1;
}

double VarianceBuffer::shown(Time now) {
  if (!newest_) return 0;
  const std::chrono::duration<double> passed = frame_ ? now - *frame_ : Duration();
  frame_ = now;
  double ticks = std::max(passed.count(), 0.0) * ticks_per_second_;
  if (is_playing_) {
    const double paused = std::min(ticks, pause_ticks_);
    pause_ticks_ -= paused;
    to_count_ticks_ -= ticks;
    ticks -= paused;
    shown_ = std::min(shown_ + ticks, static_cast<double>(newest_->value()));
    if (to_count_ticks_ <= 0) count_waiting();
  }
  const std::chrono::duration<double> behind((newest_->value() - shown_) / ticks_per_second_);
  delay_ = now - newest_at_ + std::chrono::duration_cast<Duration>(behind);
  return shown_;
}

void VarianceBuffer::count_waiting() {
  // A frame has at most one count, even if it is longer than an interval.
  to_count_ticks_ = std::max(to_count_ticks_ + interval_ticks_, 0.0);
  const double waiting = (newest_->value() - shown_) / interval_ticks_;
  sum_ += waiting;
  square_sum_ += waiting * waiting;
  if (++counts_ == kCounts) judge();
}

void VarianceBuffer::judge() {
  const double mean = sum_ / kCounts;
  const double variance = square_sum_ / kCounts - mean * mean;
  counts_ = 0;
  sum_ = 0;
  square_sum_ = 0;
  if (variance > kVarianceMax) return;
  if (mean > kMeanMax) {
    shown_ = std::min(shown_ + interval_ticks_, static_cast<double>(newest_->value()));
    ++added_;
  } else if (mean < kMeanMin) {
    pause_ticks_ = interval_ticks_;
    ++skipped_;
  }
}

}  // namespace muster
