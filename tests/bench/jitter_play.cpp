#include "tests/bench/jitter_play.h"

#include <algorithm>
#include <optional>

namespace muster {
namespace {

double arrival(const SentPacket& packet) { return packet.sent_ms + packet.delay_ms; }

/// Indices of the packets that arrived, in order of arrival.
std::vector<std::size_t> arrival_order(const std::vector<SentPacket>& packets) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    if (!packets[i].is_lost) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return arrival(packets[i]); });
  return order;
}

double percent(std::size_t part, std::size_t whole) {
  return 100.0 * static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1));
}

}  // namespace

PlayResult play(const SnapshotSeries& series, PlaybackRule& rule, const PlayOptions& options) {
  const std::vector<SentPacket>& packets = series.snapshots;
  const std::vector<std::size_t> order = arrival_order(packets);
  PlayResult result;
  std::size_t arrived = 0;
  std::size_t reached = 0;
  std::optional<std::size_t> newest;
  std::size_t late = 0;
  std::size_t measured = 0;
  std::size_t beyond = 0;
  std::size_t stopped = 0;
  double sum = 0;
  for (std::size_t frame = 0;; ++frame) {
    const double now = static_cast<double>(frame) * 1000 / options.frames_per_second;
    if (now > packets.back().sent_ms) break;
    for (; arrived < order.size() && arrival(packets[order[arrived]]) <= now; ++arrived) {
      const std::size_t index = order[arrived];
      if (newest && index < *newest) continue;
      newest = index;
      rule.receive(packets[index].sent_ms, now, arrival(packets[index]));
    }
    if (!newest) continue;
    const double shown = rule.frame(now);
    const bool is_measured = now >= options.skip_ms;
    for (; reached < packets.size() && packets[reached].sent_ms <= shown; ++reached) {
      if (is_measured) ++measured;
      if (is_measured && reached > *newest) ++late;
    }
    if (!result.frames.empty()) {
      const PlayedFrame& last = result.frames.back();
      const double step = shown - (last.now_ms - last.shown_behind_ms);
      result.backward_ms = std::max(result.backward_ms, -step);
      if (is_measured && step < 1e-6) ++stopped;
    }
    result.frames.push_back({now, now - shown, now - packets[*newest].sent_ms});
    if (!is_measured) continue;
    sum += now - shown;
    if (shown > packets[*newest].sent_ms) ++beyond;
  }
  const auto is_after = [&](const PlayedFrame& one) { return one.now_ms >= options.skip_ms; };
  const auto counted = static_cast<std::size_t>(std::ranges::count_if(result.frames, is_after));
  result.late_percent = percent(late, measured);
  result.beyond_percent = percent(beyond, counted);
  result.stopped_percent = percent(stopped, counted);
  result.added_ms =
      sum / static_cast<double>(std::max<std::size_t>(counted, 1)) - series.median_delay_ms;
  return result;
}

}  // namespace muster
