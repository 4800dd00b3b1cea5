#include "runtime/session/view_history.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "registry/vocabulary/interpolation.h"

namespace muster {
namespace {

/// The delay falls by this fraction of a second per second.
constexpr double kDelayFall = 0.02;
/// The server's time may drift by this fraction against ours before the offset follows.
constexpr double kDrift = 0.001;
/// A jump beyond this is taken at once: the first snapshot after a pause.
constexpr Duration kJump = std::chrono::milliseconds(500);
constexpr Duration kDelayMax = std::chrono::milliseconds(500);

Duration scaled(Duration duration, double factor) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(duration.count()) * factor));
}

}  // namespace

ViewClock::ViewClock(std::uint32_t ticks_per_second, std::uint32_t snapshot_ticks)
    : tick_length_(Duration(std::chrono::seconds(1)) / ticks_per_second),
      snapshot_length_(tick_length_ * snapshot_ticks),
      delay_(snapshot_length_ + tick_length_) {}

void ViewClock::note(Tick tick, Time now) {
  const Duration offset = now.time_since_epoch() - tick_length_ * std::int64_t{tick.value()};
  if (!has_begun_ || offset < offset_ || offset > offset_ + 4 * kJump) {
    offset_ = offset;
    lateness_ = {};
    has_begun_ = true;
  } else {
    const Duration since = now - last_note_;
    offset_ += std::min(scaled(since, kDrift), offset - offset_);
    lateness_ = std::max(offset - offset_, lateness_ - scaled(since, kDelayFall));
  }
  last_note_ = now;
  delay_ = std::min(snapshot_length_ + tick_length_ + lateness_, kDelayMax);
}

double ViewClock::shown(Time now) {
  if (!has_begun_) return 0;
  const Duration server_time = now.time_since_epoch() - offset_ - delay_;
  const double target =
      static_cast<double>(server_time.count()) / static_cast<double>(tick_length_.count());
  const double passed =
      static_cast<double>((now - shown_at_).count()) / static_cast<double>(tick_length_.count());
  const double jump =
      static_cast<double>(kJump.count()) / static_cast<double>(tick_length_.count());
  const double gap = target - (shown_ + passed);
  shown_at_ = now;
  if (shown_ <= 0 || std::abs(gap) > jump) {
    shown_ = std::max(target, 0.0);
  } else {
    // Time is stretched by at most 5 %, so that nothing is seen of a correction.
    shown_ += std::max(0.0, passed + std::clamp(gap, -0.05 * passed, 0.05 * passed));
  }
  return shown_;
}

bool is_interpolated(const ComponentDescription& description) {
  return std::ranges::any_of(description.fields, [](const FieldDescription& field) {
    return field.interpolation != Interpolation::step;
  });
}

Bytes ComponentHistory::value_of(const Entry& entry, std::uint32_t index) const {
  const std::size_t bytes = description_->size_bytes;
  return Bytes(entry.values).subspan((index % kStates) * bytes, bytes);
}

void ComponentHistory::note(EntityId entity, std::uint32_t tick, Bytes value) {
  if (entries_.size() <= entity.slot()) entries_.resize(entity.slot() + std::size_t{1});
  Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity) {
    entry.entity = entity;
    entry.count = 0;
    entry.values.resize(std::size_t{kStates} * description_->size_bytes);
  }
  if (entry.count > 0 && entry.ticks[(entry.count - 1) % kStates] >= tick) --entry.count;
  const std::uint32_t index = entry.count++ % kStates;
  entry.ticks[index] = tick;
  std::ranges::copy(
      value, entry.values.begin() + static_cast<std::ptrdiff_t>(index * description_->size_bytes));
}

bool ComponentHistory::state_at(EntityId entity, double tick, std::span<std::byte> out) const {
  if (entity.slot() >= entries_.size()) return false;
  const Entry& entry = entries_[entity.slot()];
  if (entry.entity != entity || entry.count == 0) return false;
  const std::uint32_t oldest = entry.count > kStates ? entry.count - kStates : 0;
  std::uint32_t after = entry.count;
  while (after > oldest && static_cast<double>(entry.ticks[(after - 1) % kStates]) > tick) --after;
  if (after == oldest || after == entry.count) {
    std::ranges::copy(value_of(entry, after == oldest ? oldest : after - 1), out.begin());
    return true;
  }
  const double from = entry.ticks[(after - 1) % kStates];
  const double to = entry.ticks[after % kStates];
  const auto fraction = static_cast<float>(std::clamp((tick - from) / (to - from), 0.0, 1.0));
  std::ranges::copy(value_of(entry, after - 1), out.begin());
  interpolate(*description_, value_of(entry, after - 1), value_of(entry, after), fraction, out);
  return true;
}

void ComponentHistory::forget(EntityId entity) {
  if (entity.slot() < entries_.size() && entries_[entity.slot()].entity == entity) {
    entries_[entity.slot()].entity = {};
  }
}

}  // namespace muster
