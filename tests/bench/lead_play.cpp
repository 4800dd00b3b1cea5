#include "tests/bench/lead_play.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>

namespace muster {
namespace {

constexpr double kTickMs = 1000.0 / 60;
constexpr long kRedundant = 3;
/// The first tick. This number is above 0, so that earlier packets also have a number.
constexpr long kFirstTick = 1000;

struct CommandPacket {
  double sent_ms = 0;
  double arrives_ms = 0;
  long newest = 0;
};

struct Later {
  bool operator()(const CommandPacket& a, const CommandPacket& b) const {
    return a.arrives_ms > b.arrives_ms;
  }
};

/// The server: records arrivals and reports them at the start of each tick.
class LeadServer {
 public:
  LeadServer(double end_ms, double back_ms)
      : arrivals_(static_cast<std::size_t>(end_ms / kTickMs) + 2), back_ms_(back_ms) {}

  static double due_ms(long tick) { return static_cast<double>(tick - kFirstTick) * kTickMs; }

  void receive(const CommandPacket& packet, std::vector<ReceivedCommand>& received) {
    const double now_tick = packet.arrives_ms / kTickMs + kFirstTick;
    for (long tick = packet.newest; tick > packet.newest - kRedundant; --tick) {
      Arrival* const arrival = find(tick);
      if (arrival == nullptr || arrival->has_come) continue;
      *arrival = {.has_come = true, .at_ms = packet.arrives_ms};
      received.push_back({.tick = tick, .early_ms = due_ms(tick) - packet.arrives_ms});
    }
    if (packet.newest > newest_) round_trip_ms_ = packet.arrives_ms - packet.sent_ms + back_ms_;
    newest_ = std::max(newest_, packet.newest);
    const double age = std::floor(now_tick) - static_cast<double>(packet.newest) + 1;
    command_age_ = has_age_ ? command_age_ + (age - command_age_) / 8 : age;
    has_age_ = true;
  }
  ServerReport report(long tick, std::vector<ReceivedCommand> received) const {
    return {.server_tick = tick,
            .newest_command = newest_,
            .command_age_ticks = has_age_ ? command_age_ : -2,
            .round_trip_ms = round_trip_ms_,
            .received = std::move(received)};
  }
  /// Returns the time at which the tick's command arrived, or nothing if it never arrived.
  std::optional<double> arrival_ms(long tick) const {
    const auto index = static_cast<std::size_t>(tick - kFirstTick);
    if (!arrivals_[index].has_come) return std::nullopt;
    return arrivals_[index].at_ms;
  }
  long tick_end() const { return kFirstTick + static_cast<long>(arrivals_.size()) - 2; }

 private:
  struct Arrival {
    bool has_come = false;
    double at_ms = 0;
  };
  Arrival* find(long tick) {
    const auto index = static_cast<std::size_t>(std::max(tick - kFirstTick, 0L));
    return tick < kFirstTick || index >= arrivals_.size() ? nullptr : &arrivals_[index];
  }
  std::vector<Arrival> arrivals_;
  double back_ms_;
  long newest_ = 0;
  bool has_age_ = false;
  double command_age_ = 0;
  double round_trip_ms_ = 0;
};

/// Returns the delay of a packet that is sent at `at_ms`, or nothing if the packet is lost. `row`
/// is the index at which the last search ended.
std::optional<double> delay_at(const DelayFile& file, double at_ms, std::size_t& row) {
  const std::vector<SentPacket>& rows = file.packets;
  while (row + 1 < rows.size() && rows[row + 1].sent_ms <= at_ms) ++row;
  if (rows[row].is_lost) return std::nullopt;
  if (row + 1 == rows.size() || rows[row + 1].is_lost) return rows[row].delay_ms;
  const double gap = rows[row + 1].sent_ms - rows[row].sent_ms;
  if (gap <= 0) return rows[row].delay_ms;
  const double share = std::clamp((at_ms - rows[row].sent_ms) / gap, 0.0, 1.0);
  return rows[row].delay_ms + share * (rows[row + 1].delay_ms - rows[row].delay_ms);
}

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

void measure(const LeadServer& server, const LeadOptions& options, LeadResult& result,
             const std::vector<double>& sent_ms) {
  std::vector<double> early;
  std::size_t starved = 0;
  std::size_t count = 0;
  for (long tick = kFirstTick; tick < server.tick_end(); ++tick) {
    const double due = LeadServer::due_ms(tick);
    if (due < options.skip_ms) continue;
    ++count;
    const std::optional<double> at = server.arrival_ms(tick);
    if (!at || *at > due) ++starved;
    if (!at) continue;
    early.push_back(due - *at);
    const double sent = sent_ms[static_cast<std::size_t>(tick - kFirstTick)];
    result.ticks.push_back({.due_ms = due, .lead_ms = due - sent, .early_ms = due - *at});
  }
  std::ranges::sort(early);
  result.early_p50_ms = quantile(early, 0.5);
  result.early_p99_ms = quantile(early, 0.99);
  result.starved_per_10000 = 10'000.0 * static_cast<double>(starved) /
                             static_cast<double>(std::max<std::size_t>(count, 1));
}

}  // namespace

LeadResult play_lead(const DelayFile& file, const std::string& rule, const LeadOptions& options) {
  std::vector<double> delays;
  for (const SentPacket& packet : file.packets) {
    if (!packet.is_lost) delays.push_back(packet.delay_ms);
  }
  const double back_ms = options.back_ms > 0 ? options.back_ms : median(std::move(delays));
  const double end_ms = file.packets.back().sent_ms;
  LeadServer server(end_ms, back_ms);
  const std::unique_ptr<LeadRule> lead = make_lead_rule(rule, 2 * back_ms);
  std::priority_queue<CommandPacket, std::vector<CommandPacket>, Later> up;
  std::vector<std::pair<double, ServerReport>> down;
  std::vector<double> sent_ms(static_cast<std::size_t>(end_ms / kTickMs) + 2);
  LeadResult result;
  std::size_t read = 0;
  std::size_t row = 0;
  long server_tick = kFirstTick;
  std::optional<long> issued;
  for (long frame = 0;; ++frame) {
    const double now = static_cast<double>(frame) * 1000 / options.frames_per_second;
    if (now > end_ms) break;
    for (; LeadServer::due_ms(server_tick) <= now; ++server_tick) {
      std::vector<ReceivedCommand> received;
      const double due = LeadServer::due_ms(server_tick);
      for (; !up.empty() && up.top().arrives_ms <= due; up.pop())
        server.receive(up.top(), received);
      down.emplace_back(due + back_ms, server.report(server_tick, std::move(received)));
    }
    for (; read < down.size() && down[read].first <= now; ++read) {
      lead->receive(down[read].second, now);
      down[read].second.received = {};
    }
    if (read == 0) continue;
    const auto reached = static_cast<long>(lead->frame(now));
    if (!issued) issued = reached - 1;
    for (long tick = *issued + 1; tick <= reached; ++tick) {
      const auto index = static_cast<std::size_t>(std::max(tick - kFirstTick, 0L));
      if (index < sent_ms.size()) sent_ms[index] = now;
      const std::optional<double> delay = delay_at(file, now, row);
      if (delay) up.push({.sent_ms = now, .arrives_ms = now + *delay, .newest = tick});
    }
    issued = std::max(*issued, reached);
  }
  result.reseats = lead->reseats();
  measure(server, options, result, sent_ms);
  return result;
}

}  // namespace muster
