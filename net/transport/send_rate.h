// How much may be sent: finds what the path carries, and yields before its queues grow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/transport/datagram_socket.h"
#include "net/transport/path_time.h"
#include "net/transport/sent_packets.h"
#include "net/transport/windowed_minimum.h"

namespace muster {

/// Bounds that the game sets.
struct SendRateLimits {
  /// Bytes a second at most, whatever the path carries.
  double rate_max = 12.5e6;
  /// Bytes a second that are always tried. A game cannot play with less.
  double rate_min = 2'000;
};

/// The rate of one connection, found from the delay in queues and from loss, as net/CONNECTION.md
/// says. Knows no clock and sends nothing: the connection tells what was sent, delivered and lost,
/// and asks for its budget.
class SendRate {
 public:
  explicit SendRate(const SendRateLimits& limits = {});

  /// Bytes that may go out now, in packets of any size. When the path is idle for a while, no more
  /// than `burst()` of time is saved up. `on_the_way` are the bytes whose fate is open.
  std::size_t budget(Time now, std::size_t on_the_way) const;
  /// The same for a game that fills it at its ticks: less where a small packet takes longer than a
  /// tick. What waits already may still share a packet of `budget`.
  std::size_t game_budget(Time now, std::size_t on_the_way) const;
  /// Bytes that are saved up, of the same: none while what was sent is not paid for.
  std::size_t left(Time now) const;
  /// Bytes a second that the path is thought to carry.
  double bytes_per_second() const;
  /// What it carries in a while.
  std::size_t bytes_in(Duration time) const {
    return static_cast<std::size_t>(rate_ * std::chrono::duration<double>(time).count());
  }
  /// How much unused time of sending is saved up: `kBurst`, or more for a slow loop.
  Duration burst() const { return burst_; }
  /// Bytes that may be on their way.
  std::size_t window() const;

  /// How often the two ends call.
  struct Loops {
    Duration interval{};  ///< Between two ticks of ours, or two questions for a budget.
    Duration answers{};   ///< Between two answers of the peer.
    Duration hold{};      ///< What the peer holds an acknowledgement for.
  };
  /// A loop that seldom calls may save up the time between two calls, and sees and is seen that
  /// much later.
  void set_loops(const Loops& loops);

  /// Adds to a packet's record what its delivery report will need.
  void stamp(PacketRecord& record) const;
  /// A packet goes out. `is_held`: more data waits, and too much is in flight.
  void sent(Time now, std::size_t bytes, bool is_held);
  /// A packet arrived. `queue_delay` is what the peer told of its way.
  void delivered(Time now, const PacketRecord& record, Duration queue_delay, const RoundTrip& path);
  void lost(const PacketRecord& record);
  /// The path is another: what was learnt of it is forgotten.
  void restart();

  /// The delay that the estimator believes in: the least that was told of late, of a few packets
  /// at least.
  Duration queue_delay() const { return standing_delay_.value(); }
  /// The share of packets that were lost of late, 0 to 1.
  double loss() const { return loss_; }

 private:
  std::size_t saved(Time now, std::size_t on_the_way, double least) const;
  double packet_time() const;
  double target_delay() const;
  Duration noise_time() const;
  void watch_unrest(double told);
  bool is_far_above() const;
  void begin_round(Time now);
  void steer(double round, double delay, double slope);
  double pull(double error, double slope, double round);
  void shorten_queue(Time now, double delay, double through);
  double rate_after_queue(Time now, double delay) const;
  void take_for_path(double delay);
  bool was_another_queue(Time now, double delay) const;
  void count_fate(const PacketRecord& record, bool is_lost);
  double least_loss() const;
  bool yields_to_loss();
  bool drain(Time now, double delay);

  SendRateLimits limits_;
  double rate_;  ///< Bytes a second.
  bool slow_start_ = true;
  double growth_max_;  ///< A round's; small after a loss of our making.
  int rounds_of_growth_ = 0;

  Duration burst_;
  Duration hold_{};
  Duration slow_loop_{};      ///< The slower of the two ends' loops; zero for a tick of 20 Hz.
  Duration round_trip_;       ///< The least.
  double mean_packet_ = 600;  ///< Bytes, smoothed.
  double target_ = 0;         ///< The queue that is wanted, seconds.
  Time told_at_{};
  double told_ = 0;    ///< The delay that was told last, seconds,
  double step_ = 0;    ///< how that differs from the one before,
  double unrest_ = 0;  ///< and by how much it goes to and fro, smoothed.
  WindowedMinimum<Duration> standing_delay_{std::chrono::milliseconds(30)};

  Time round_began_{};
  bool is_seen_ = false;               ///< What was sent in this round begins to arrive:
  Time seen_from_{};                   ///< since then,
  double delay_before_ = 0;            ///< with this delay, seconds.
  int same_side_ = 0;                  ///< Rounds that ended on one side of the wanted delay:
  bool is_below_ = false;              ///< below it.
  double mean_error_ = 0;              ///< Of what is wanted less what was seen, seconds.
  std::uint64_t delivered_bytes_ = 0;  ///< In this round,
  unsigned delivered_packets_ = 0;     ///< in so many packets.
  double most_delivered_ = 0;          ///< Bytes a second, in one of the last rounds.
  double delivered_rate_ = 0;          ///< Bytes a second, smoothed over rounds.
  bool is_full_ = false;               ///< More was wanted than the budget gave, in this round.

  bool is_shortening_ = false;    ///< The queue is far too long.
  double rate_before_ = 0;        ///< Before it was shortened,
  double carried_ = 0;            ///< and what came through meanwhile, as a mean over rounds;
  double through_ = 0;            ///< the most in one of them, after the first,
  bool is_through_full_ = false;  ///< in one of which more was wanted.
  Time shorten_from_{};           ///< Since then,
  double longest_ = 0;            ///< and the longest that it was, seconds.
  Time level_from_{};  ///< Since then it has been about this long, although less is sent.
  double level_ = 0;
  double path_extra_ = 0;  ///< Of the delay that is told: the path's, not a queue's; seconds.

  double loss_ = 0;          ///< Smoothed over packets.
  double fates_ = 0;         ///< Since the loss was last judged: packets whose fate became known,
  double fates_lost_ = 0;    ///< and those among them that were lost.
  double drained_ = 0;       ///< The same of packets sent while draining: their loss is the path's,
  double drained_lost_ = 0;  ///< not ours. Both fade.

  Time drain_at_{};  ///< When the rate is next lowered for a while.
  Time drain_end_{};
  Time now_{};         ///< Of the last event.
  Time paid_until_{};  ///< Pacing: what was sent is paid for at the present rate until then.
};

/// How much unused time of sending is saved up at least: a little more than a tick of 60 Hz.
inline constexpr Duration kBurst = std::chrono::milliseconds(20);

}  // namespace muster
