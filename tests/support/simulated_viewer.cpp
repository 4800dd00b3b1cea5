#include "tests/support/simulated_viewer.h"

#include <algorithm>
#include <cmath>

namespace muster::samples {

void SimulatedViewer::send_until(double time) {
  for (; next_send_ <= time; next_send_ += options_.snapshot_ticks) {
    const double delay = options_.delay_ticks - options_.jitter_ticks * std::log(1 - unit()) +
                         (unit() < options_.spikes ? 6 : 0);
    const bool is_out = std::fmod(next_send_, 600) < options_.outage_ticks && next_send_ > 900;
    if (unit() < options_.loss || is_out) continue;
    in_flight_.push_back({next_send_ + delay, next_send_});
  }
}

void SimulatedViewer::receive(double time) {
  std::ranges::sort(in_flight_, {}, &Arrival::time);
  std::size_t count = 0;
  while (count < in_flight_.size() && in_flight_[count].time <= time) {
    // A frame uses the snapshots that have arrived before its start.
    const Arrival arrival{time, in_flight_[count++].tick};
    if (received_.empty() || arrival.tick > received_.back()) note(arrival);
  }
  in_flight_.erase(in_flight_.begin(), in_flight_.begin() + static_cast<std::ptrdiff_t>(count));
}

void SimulatedViewer::note(const Arrival& arrival) {
  received_.push_back(arrival.tick);
  const double offset = arrival.time - arrival.tick;
  const double since = arrival.time - last_arrival_;
  last_arrival_ = arrival.time;
  if (!has_offset_ || offset < offset_) {
    offset_ = offset;
    has_offset_ = true;
  } else {
    offset_ += std::min(since * 0.001, offset - offset_);
  }
  lateness_ = std::max(offset - offset_, lateness_ - since * 0.02);
  residuals_.push_back(offset - offset_);
  if (residuals_.size() > 100) residuals_.erase(residuals_.begin());
  double needed = lateness_;
  if (options_.rule != ViewRule::peak) {
    std::vector<double> sorted = residuals_;
    std::ranges::sort(sorted);
    needed = sorted[sorted.size() * 95 / 100];
  }
  delay_ = std::min(options_.snapshot_ticks + 1 + needed, 25.0);
}

void SimulatedViewer::draw(double passed) {
  if (!has_offset_) return;
  drawn_newest_ = received_.back();
  const double target = time_ - offset_ - delay_;
  const double gap = target - (shown_ + passed);
  if (shown_ <= 0 || std::abs(gap) > 30) {
    shown_ = target;
  } else {
    shown_ += passed + std::clamp(gap, -0.05 * passed, 0.05 * passed);
  }
  if (options_.rule == ViewRule::stopping) {
    shown_ = std::min(shown_, static_cast<double>(received_.back()));
  }
}

ViewedCommand SimulatedViewer::command_at(double shown) {
  shown = std::min(shown, static_cast<double>(received_.back()));
  // The newest snapshot at the time when the claimed view was drawn.
  const std::uint32_t newest = shown <= drawn_newest_ ? drawn_newest_ : received_.back();
  const auto after = std::ranges::upper_bound(received_, static_cast<std::uint32_t>(shown));
  const std::uint32_t to = after == received_.end() ? received_.back() : *after;
  const std::uint32_t from = after == received_.begin() ? to : *(after - 1);
  ViewedCommand made;
  made.claim = make_claim(Tick(newest), Tick(from), Tick(to), shown);
  made.shown = made.claim.ticks();
  const double arrives = time_ + options_.delay_ticks + 2;
  server_tick_ = std::max(server_tick_, static_cast<std::uint32_t>(arrives));
  const double reached = std::max(time_ - options_.delay_ticks, 0.0);
  const auto possible = static_cast<std::uint32_t>(reached);
  made.context = {.command = CommandNumber(number_),
                  .now = Tick(server_tick_),
                  .received_min = Tick(drawn_newest_),
                  .received_max = Tick(std::max(possible, received_.back()))};
  return made;
}

void SimulatedViewer::frame(std::vector<ViewedCommand>& out) {
  out.clear();
  double passed = 60 / options_.frames_per_second;
  if (options_.frames_per_second <= 0) passed = unit() < 0.005 ? 6 : 0.3 + unit();
  time_ += passed;
  send_until(time_);
  receive(time_);
  // Commands are made before the frame is drawn, so the player has seen the previous frame.
  const bool is_fast = options_.changes_lead && std::fmod(time_, 600) < 60;
  const double rate = (is_fast ? 1.1 : 1) * (1 + options_.drift);
  due_ += passed * rate;
  for (int i = 0; due_ >= 1; due_ -= 1, ++i) {
    ++number_;
    if (shown_ > 0) out.push_back(command_at(shown_ + i / rate));
  }
  draw(passed);
}

}  // namespace muster::samples
