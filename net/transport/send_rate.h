// The sending rate: finds what the path can carry, and slows down before queues grow.
#pragma once

#include <cstddef>
#include <cstdint>

#include "net/transport/datagram_socket.h"
#include "net/transport/path_time.h"
#include "net/transport/sent_packets.h"
#include "net/transport/windowed_minimum.h"

namespace muster {

/// Limits that the game sets.
struct SendRateLimits {
  /// Maximum bytes per second, whatever the path can carry.
  double rate_max = 12.5e6;
  /// Minimum bytes per second, always sent. A game needs at least this.
  double rate_min = 2'000;
};

/// The sending rate of one connection, computed from queueing delay and loss as described in
/// net/CONNECTION.md. It has no clock and sends nothing: the connection reports packets that are
/// sent, delivered and lost, and asks for its budget.
class SendRate {
 public:
  explicit SendRate(const SendRateLimits& limits = {});

  /// The bytes that may be sent now, in packets of any size. An idle connection saves up at most
  /// `burst()` of sending time.
  std::size_t budget(Time now, std::size_t bytes_in_flight) const;
  /// The budget of a game that fills it at every tick. It is smaller than `budget` when a small
  /// packet takes longer than a tick. Data that already waits may still share a packet of `budget`.
  std::size_t game_budget(Time now, std::size_t bytes_in_flight) const;
  /// The bytes saved up; zero while earlier packets are not paid for.
  std::size_t left(Time now) const;
  /// The estimated rate of the path, in bytes per second.
  double bytes_per_second() const;
  /// The bytes that the rate allows in `time`.
  std::size_t bytes_in(Duration time) const {
    return static_cast<std::size_t>(rate_ * std::chrono::duration<double>(time).count());
  }
  /// The maximum sending time that is saved up: `kBurst`, or more for a slow loop.
  Duration burst() const { return burst_; }
  /// The maximum bytes in flight.
  std::size_t window() const;

  /// How often both ends call.
  struct Loops {
    Duration interval{};  ///< Between two ticks, or two budget queries, at this end.
    Duration answers{};   ///< Between two answers of the peer.
    Duration hold{};      ///< How long the peer holds an acknowledgement.
  };
  /// A slow loop may save up the time between two calls. Its measurements, and the peer's, are late
  /// by that time.
  void set_loops(const Loops& loops);

  /// Adds the fields to a packet's record that its delivery report will need.
  void stamp(PacketRecord& record) const;
  /// A packet is sent. `is_limited`: more data waits, and the bytes in flight are at their limit.
  void sent(Time now, std::size_t bytes, bool is_limited);
  /// A packet was delivered. `queue_delay` is the delay that the peer reported.
  void delivered(Time now, const PacketRecord& record, Duration queue_delay, const RoundTrip& path);
  void lost(const PacketRecord& record);
  /// The path changed: forgets all measurements.
  void restart();

  /// The estimated queueing delay: the minimum of the recent reports, over at least a few packets.
  Duration queue_delay() const { return standing_delay_.value(); }
  /// The recent share of lost packets, 0 to 1.
  double loss() const { return loss_; }

 private:
  std::size_t saved(Time now, std::size_t bytes_in_flight, double minimum) const;
  double packet_time() const;
  double target_delay() const;
  Duration noise_time() const;
  void measure_fluctuation(double reported_delay);
  bool is_far_above() const;
  void begin_round(Time now);
  void steer(double round, double delay, double slope);
  double pull(double error, double slope, double round);
  void shorten_queue(Time now, double delay, double through);
  double rate_after_queue(Time now, double delay) const;
  void count_as_path(double delay);
  bool was_another_queue(Time now, double delay) const;
  void count_delivery(const PacketRecord& record, bool is_lost);
  double loss_min() const;
  bool yields_to_loss();
  bool drain(Time now, double delay);

  SendRateLimits limits_;
  double rate_;  ///< Bytes per second.
  bool slow_start_ = true;
  double growth_max_;  ///< Per round; small after a loss that we caused.
  int rounds_of_growth_ = 0;

  Duration burst_;
  Duration hold_{};
  Duration slow_loop_{};      ///< The slower of the two loops; zero for 50 Hz and faster.
  Duration round_trip_;       ///< The minimum.
  double mean_packet_ = 600;  ///< Bytes, smoothed.
  double target_ = 0;         ///< The wanted queueing delay, seconds.
  Time reported_at_{};
  double reported_delay_ = 0;  ///< The last reported delay, seconds.
  double step_ = 0;            ///< Its difference from the one before.
  double fluctuation_ = 0;     ///< How much reports fluctuate, smoothed, seconds.
  WindowedMinimum<Duration> standing_delay_{std::chrono::milliseconds(30)};

  Time round_began_{};
  bool is_seen_ = false;               ///< A packet sent in this round has arrived.
  Time seen_from_{};                   ///< When the first one did.
  double delay_before_ = 0;            ///< The delay at that time, seconds.
  int same_side_ = 0;                  ///< Consecutive rounds on one side of the wanted delay.
  bool is_below_ = false;              ///< That side is below.
  double mean_error_ = 0;              ///< Mean of wanted minus measured delay, seconds.
  std::uint64_t delivered_bytes_ = 0;  ///< In this round.
  unsigned delivered_packets_ = 0;     ///< In this round.
  double delivered_max_ = 0;           ///< Bytes per second, recent maximum over rounds; fades.
  double delivered_rate_ = 0;          ///< Bytes a second, smoothed over rounds.
  bool is_full_ = false;               ///< The game wanted more than the budget in this round.

  bool is_shortening_ = false;    ///< The queue is much too long.
  double rate_before_ = 0;        ///< The rate before it was shortened.
  double carried_ = 0;            ///< Maximum since then of the mean delivered rate over rounds.
  double through_ = 0;            ///< Maximum delivered rate of these rounds, without the first.
  bool is_through_full_ = false;  ///< In one of them the game wanted more than the budget.
  Time shorten_from_{};           ///< When shortening began.
  double longest_ = 0;            ///< The longest delay since then, seconds.
  Time level_from_{};  ///< Since then the delay is about `level_`, although less is sent.
  double level_ = 0;
  double path_extra_ = 0;  ///< Part of the reported delay that is path, not queue; seconds.

  double loss_ = 0;          ///< Smoothed over packets.
  double counted_ = 0;       ///< Delivered or lost packets since the last test of the loss.
  double counted_lost_ = 0;  ///< The lost ones.
  double drained_ = 0;       ///< Packets sent while draining; their loss is the path's. Fades.
  double drained_lost_ = 0;  ///< The lost ones. Fades.

  Time drain_at_{};  ///< When the rate is lowered next.
  Time drain_end_{};
  Time now_{};         ///< Time of the last event.
  Time paid_until_{};  ///< Pacing: all sent bytes are paid for at this time.
};

/// The minimum sending time that can be saved up: a little more than a tick at 60 Hz.
inline constexpr Duration kBurst = std::chrono::milliseconds(20);

}  // namespace muster
