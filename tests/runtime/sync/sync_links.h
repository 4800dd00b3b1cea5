// Simulated links and clients for tests of clocks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "registry/base/seed.h"
#include "runtime/sync/clock_servo.h"
#include "runtime/sync/jitter_buffer.h"

namespace muster {

inline Time at_ms(double ms) { return Time(Duration(std::llround(ms * 1e6))); }
inline double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// Returns the delay in ms of a packet that is sent at this time in ms; nothing if the packet is
/// lost.
using Link = std::function<std::optional<double>(double sent_ms)>;

/// A frame of a client that plays snapshots.
struct ShownFrame {
  double now_ms = 0;
  double shown_ms = 0;   ///< The shown tick, converted to ms.
  double newest_ms = 0;  ///< The tick of the newest snapshot, converted to ms.
};

struct StageOptions {
  std::uint32_t ticks_per_second = 60;
  std::uint32_t snapshot_ticks = 3;
  std::uint32_t first_tick = 1000;
  double seconds = 30;
  double frame_ms = 1000.0 / 60;
  double server_speed = 1;  ///< The speed of the server's clock relative to the client's clock.
  /// The client is stopped between these times, in ms, and shows no frames.
  double stopped_from_ms = 0;
  double stopped_until_ms = 0;
};

/// Plays snapshots over a link into a jitter buffer, and returns the shown frames. Time 0 is the
/// sending of the first snapshot.
inline std::vector<ShownFrame> play_link(JitterBuffer& buffer, const Link& link,
                                         const StageOptions& options) {
  struct Arrival {
    double at_ms = 0;
    std::uint32_t tick = 0;
  };
  const double tick_ms = 1000.0 / options.ticks_per_second;
  std::vector<Arrival> arrivals;
  for (std::uint32_t tick = 0;; tick += options.snapshot_ticks) {
    const double sent = tick * tick_ms / options.server_speed;
    if (sent > options.seconds * 1000) break;
    const std::optional<double> delay = link(sent);
    if (delay) arrivals.push_back({.at_ms = sent + *delay, .tick = tick});
  }
  std::ranges::stable_sort(arrivals, {}, &Arrival::at_ms);
  std::vector<ShownFrame> frames;
  std::size_t arrived = 0;
  double newest = 0;
  for (double now = 0; now < options.seconds * 1000; now += options.frame_ms) {
    if (now > options.stopped_from_ms && now < options.stopped_until_ms) continue;
    for (; arrived < arrivals.size() && arrivals[arrived].at_ms <= now; ++arrived) {
      buffer.note(Tick(arrivals[arrived].tick + options.first_tick), at_ms(now));
      newest = std::max(newest, arrivals[arrived].tick * tick_ms);
    }
    if (arrived == 0) continue;
    const double shown = (buffer.shown(at_ms(now)) - options.first_tick) * tick_ms;
    frames.push_back({.now_ms = now, .shown_ms = shown, .newest_ms = newest});
  }
  return frames;
}

/// Returns a link with jitter, loss, and random stalls that also delay the following packets.
inline Link random_link(std::uint64_t seed) {
  struct State {
    Random random;
    double free_ms = 0;
  };
  return [state = State{.random = Random(seed)}](double sent) mutable -> std::optional<double> {
    Random& random = state.random;
    if (random.below(150) == 0) state.free_ms = sent + 60 + static_cast<double>(random.below(340));
    if (random.below(50) == 0) return std::nullopt;
    return std::max(20 + static_cast<double>(random.below(15)), state.free_ms - sent);
  };
}

/// A command that a client sent, and its result.
struct LedCommand {
  std::uint32_t tick = 0;
  double sent_ms = 0;
  /// The time from the arrival to the start of the command's tick on the server; negative if late.
  double early_ms = 0;
};

struct LeadStageOptions {
  double seconds = 20;
  double back_ms = 20;
  double report_ms = 1000.0 / 60;  ///< The interval of reports.
  double server_speed = 1;
  std::function<double(double now_ms)> frame_ms = [](double) { return 1000.0 / 120; };
};

/// Sends commands of a client over a link to a server that runs tick 1000 at time 0. Each report
/// contains the latest of the commands that arrived since the last report.
inline std::vector<LedCommand> lead_link(ClockServo& servo, const Link& up,
                                         const LeadStageOptions& options) {
  constexpr double kTickMs = 1000.0 / 60;
  constexpr double kFirstTick = 1000;
  struct Report {
    double at_ms = 0;
    CommandArrival arrival;
  };
  struct Arrival {
    double at_ms = 0;
    std::uint32_t tick = 0;
  };
  std::vector<LedCommand> sent;
  std::vector<Arrival> in_flight;
  std::deque<Report> reports;
  double next_report = 0;
  servo.begin({.tick = Tick(static_cast<std::uint32_t>(kFirstTick)),
               .round_trip = at_ms(2 * options.back_ms) - Time{}},
              at_ms(0));
  for (double now = 0; now < options.seconds * 1000; now += options.frame_ms(now)) {
    for (; next_report <= now; next_report += options.report_ms) {
      std::optional<CommandArrival> worst;
      std::erase_if(in_flight, [&](const Arrival& one) {
        if (one.at_ms > next_report) return false;
        const double due = (one.tick - kFirstTick) * kTickMs / options.server_speed;
        const Duration early = at_ms(due - one.at_ms) - Time{};
        if (!worst || early < worst->early) worst = {.tick = Tick(one.tick), .early = early};
        return true;
      });
      if (worst) reports.push_back({.at_ms = next_report + options.back_ms, .arrival = *worst});
    }
    for (; !reports.empty() && reports.front().at_ms <= now; reports.pop_front()) {
      servo.note(reports.front().arrival, at_ms(now));
    }
    const std::uint32_t count = servo.due(at_ms(now));
    for (std::uint32_t i = count; i > 0; --i) {
      const std::uint32_t tick = servo.tick().value() + 1 - i;
      const double due = (tick - kFirstTick) * kTickMs / options.server_speed;
      const std::optional<double> delay = up(now);
      const double arrives = now + delay.value_or(0);
      if (delay) in_flight.push_back({.at_ms = arrives, .tick = tick});
      if (delay) sent.push_back({.tick = tick, .sent_ms = now, .early_ms = due - arrives});
    }
  }
  return sent;
}

}  // namespace muster
