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
  /// Minimum bytes per second. This rate is used even if the path cannot carry it, because a game
  /// needs at least this much.
  double rate_min = 2'000;
};

/// The sending rate of one connection, computed from queueing delay and loss as described in
/// net/CONNECTION.md. It has no clock and sends nothing: the connection reports packets that are
/// sent, delivered and lost, and asks for its budget.
class SendRate {
 public:
  explicit SendRate(const SendRateLimits& limits = {});

  /// The bytes that may be sent now, in packets of any size. A connection that sends nothing saves
  /// up the bytes of at most `burst()`.
  std::size_t budget(Time now, std::size_t bytes_in_flight) const;
  /// The budget for a game that uses its whole budget at every tick. It is smaller than `budget`
  /// when the rate needs more than a tick for a small packet. A packet may still be as large as
  /// `budget` if other data waits.
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

  /// The intervals at which the games at both ends send.
  struct Loops {
    Duration interval{};  ///< Between two ticks, or two budget queries, at this end.
    Duration answers{};   ///< Between two answers of the peer.
    Duration hold{};      ///< How long the peer holds an acknowledgement.
  };
  /// A slow loop may save up the budget of its whole interval. The measurements of both ends are
  /// late by that interval.
  void set_loops(const Loops& loops);

  /// Sets the fields of a packet's record that are needed when its delivery is reported.
  void stamp(PacketRecord& record) const;
  /// Records that a packet is sent. `is_limited` is true if more data waits and the bytes in flight
  /// are at their limit.
  void sent(Time now, std::size_t bytes, bool is_limited);
  /// Records that a packet was delivered. `queue_delay` is the delay that the peer reported.
  void delivered(Time now, const PacketRecord& record, Duration queue_delay, const RoundTrip& path);
  void lost(const PacketRecord& record);
  /// Forgets all measurements, because the path changed.
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
  double growth_max_;  ///< The maximum growth per round, as a share. It is small after a loss that
                       ///< we caused.
  int rounds_of_growth_ = 0;

  Duration burst_;
  Duration hold_{};
  Duration slow_loop_{};      ///< The slower of the two loops; zero for 50 Hz and faster.
  Duration round_trip_;       ///< The minimum round trip.
  double mean_packet_ = 600;  ///< Bytes, smoothed.
  double target_ = 0;         ///< The wanted queueing delay, seconds.
  Time reported_at_{};
  double reported_delay_ = 0;  ///< The last reported delay, seconds.
  double step_ = 0;            ///< The last reported delay minus the one before it.
  double fluctuation_ = 0;     ///< Fluctuation of the reported delays, smoothed, seconds.
  WindowedMinimum<Duration> standing_delay_{std::chrono::milliseconds(30)};

  Time round_began_{};
  bool is_seen_ = false;     ///< A packet sent in this round has arrived.
  Time seen_from_{};         ///< When the first packet of this round arrived.
  double delay_before_ = 0;  ///< The delay at `seen_from_`, seconds.
  int same_side_ =
      0;  ///< Consecutive rounds in which the delay was on one side of the wanted delay.
  bool is_below_ = false;              ///< In these rounds the delay was below the wanted delay.
  double mean_error_ = 0;              ///< Mean of wanted minus measured delay, seconds.
  std::uint64_t delivered_bytes_ = 0;  ///< In this round.
  unsigned delivered_packets_ = 0;     ///< In this round.
  double delivered_max_ =
      0;  ///< The maximum delivered rate of recent rounds, bytes per second; fades.
  double delivered_rate_ = 0;  ///< The delivered rate, smoothed over rounds, bytes per second.
  bool is_full_ = false;       ///< The game wanted more than the budget in this round.

  bool is_shortening_ =
      false;                ///< The queue is much too long, and the rate is lowered to shorten it.
  double rate_before_ = 0;  ///< The rate before shortening began.
  double carried_ = 0;      ///< The maximum of `delivered_rate_` since shortening began.
  double through_ = 0;      ///< The maximum rate of a round since then, without the first round.
  bool is_through_full_ = false;  ///< In one of these rounds the game wanted more than the budget.
  Time shorten_from_{};           ///< When shortening began.
  double longest_ = 0;            ///< The longest delay since shortening began, seconds.
  Time level_from_{};  ///< Since this time the delay is about `level_`, although less is sent.
  double level_ = 0;
  double path_extra_ =
      0;  ///< The part of the reported delay that the path causes, not a queue; seconds.

  double loss_ = 0;          ///< Smoothed over packets.
  double counted_ = 0;       ///< Delivered or lost packets since the last test of the loss.
  double counted_lost_ = 0;  ///< The lost packets among `counted_`.
  double drained_ = 0;       ///< Packets sent while draining: their loss is the path's own. Fades.
  double drained_lost_ = 0;  ///< The lost packets among `drained_`. Fades.

  Time drain_at_{};  ///< When the rate is lowered next.
  Time drain_end_{};
  Time now_{};         ///< Time of the last event.
  Time paid_until_{};  ///< Pacing: all sent bytes are paid for at this time.
};

/// The minimum sending time that can be saved up: a little more than a tick at 60 Hz.
inline constexpr Duration kBurst = std::chrono::milliseconds(20);

}  // namespace muster
