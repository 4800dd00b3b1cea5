// The sending rate: estimates the rate of the path, and slows down before queues grow.
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
  /// The maximum rate in bytes per second, even if the path can carry more.
  double rate_max = 12.5e6;
  /// The minimum rate in bytes per second, even if the path cannot carry it.
  double rate_min = 2'000;
};

/// The sending rate of one connection, computed from queueing delay and loss as described in
/// net/CONNECTION.md. The class has no clock and sends nothing. The connection reports packets that
/// were sent, delivered and lost, and calls `budget`.
class SendRate {
 public:
  explicit SendRate(const SendRateLimits& limits = {});

  /// The bytes that may be sent now, in packets of any size. The budget grows at the rate while
  /// nothing is sent, up to the bytes of the time `burst()`.
  std::size_t budget(Time now, std::size_t bytes_in_flight) const;
  /// The budget for a game that uses its whole budget at every tick. The result is smaller than
  /// `budget` when a small packet takes longer than a tick at this rate. If other data waits, a
  /// packet may still be as large as `budget`.
  std::size_t game_budget(Time now, std::size_t bytes_in_flight) const;
  /// The unused bytes of the rate since the last packets; zero while sent packets exceed the rate.
  std::size_t left(Time now) const;
  /// The estimated rate of the path, in bytes per second.
  double bytes_per_second() const;
  /// The bytes that the rate allows in `time`.
  std::size_t bytes_in(Duration time) const {
    return static_cast<std::size_t>(rate_ * std::chrono::duration<double>(time).count());
  }
  /// The maximum time for which unused bytes are kept: `kBurst`, or more for a slow loop.
  Duration burst() const { return burst_; }
  /// The maximum bytes in flight.
  std::size_t window() const;

  /// The intervals at which the games at both ends send.
  struct Loops {
    /// The interval between two ticks, or two calls of `budget`, at this end.
    Duration interval{};
    Duration answers{};  ///< The interval between two answers of the peer.
    Duration hold{};     ///< The time that the peer holds an acknowledgement.
  };
  /// Sets the intervals. A slow loop gets the budget of its whole interval, and makes the
  /// measurements of both ends late by that interval.
  void set_loops(const Loops& loops);

  /// Sets the fields of a packet's record that are needed when its delivery is reported.
  void stamp(PacketRecord& record) const;
  /// Records that a packet is sent. `is_limited`: more data waits, and the bytes in flight are at
  /// their limit.
  void sent(Time now, std::size_t bytes, bool is_limited);
  /// Records that a packet was delivered. `queue_delay` is the delay that the peer reported.
  void delivered(Time now, const PacketRecord& record, Duration queue_delay, const RoundTrip& path);
  void lost(const PacketRecord& record);
  /// Drops all measurements, because the path changed.
  void restart();

  /// The estimated queueing delay: the minimum delay of the most recent packets.
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
  /// The maximum growth per round, as a share of the rate. The growth is small after a loss that we
  /// caused.
  double growth_max_;
  int rounds_of_growth_ = 0;

  Duration burst_;
  Duration hold_{};
  Duration slow_loop_{};  ///< The interval of the slower of the two loops; zero if both are fast.
  Duration round_trip_;   ///< The minimum round trip.
  double mean_packet_ = 600;  ///< Bytes, smoothed.
  double target_ = 0;         ///< The wanted queueing delay, in seconds.
  Time reported_at_{};
  double reported_delay_ = 0;  ///< The last reported delay, in seconds.
  double step_ = 0;            ///< The change of the reported delay in the last report, in seconds.
  double fluctuation_ = 0;     ///< The fluctuation of the reported delays, smoothed, in seconds.
  WindowedMinimum<Duration> standing_delay_{std::chrono::milliseconds(30)};

  Time round_began_{};
  bool is_seen_ = false;     ///< True if a packet sent in this round has arrived.
  Time seen_from_{};         ///< The arrival of this round's first packet.
  double delay_before_ = 0;  ///< The delay at `seen_from_`, in seconds.
  /// The number of consecutive rounds with the delay on the same side of `target_`.
  int same_side_ = 0;
  bool is_below_ = false;              ///< True if the delay was below `target_` in these rounds.
  double mean_error_ = 0;              ///< The mean of wanted minus measured delay, in seconds.
  std::uint64_t delivered_bytes_ = 0;  ///< In this round.
  unsigned delivered_packets_ = 0;     ///< In this round.
  double delivered_max_ = 0;  ///< The maximum delivered rate of recent rounds, in bytes per second.
  double delivered_rate_ = 0;  ///< The delivered rate, smoothed over rounds, in bytes per second.
  bool is_full_ = false;       ///< True if the game used the whole budget in this round.

  bool is_shortening_ = false;  ///< True while the rate is lowered to shorten a long queue.
  double rate_before_ = 0;      ///< The rate before shortening began.
  double carried_ = 0;          ///< The maximum of `delivered_rate_` since shortening began.
  /// The maximum delivered rate of a round since shortening began, without the first round.
  double through_ = 0;
  /// True if the game used the whole budget in one of these rounds.
  bool is_through_full_ = false;
  Time shorten_from_{};  ///< The time at which shortening began.
  double longest_ = 0;   ///< The maximum delay since shortening began, in seconds.
  /// The delay has been about `level_` since this time, although the rate is lower.
  Time level_from_{};
  double level_ = 0;
  /// The part of the reported delay that the path causes without a queue, in seconds.
  double path_extra_ = 0;

  double loss_ = 0;          ///< The share of lost packets, smoothed over packets.
  double counted_ = 0;       ///< The delivered and lost packets since the last test of the loss.
  double counted_lost_ = 0;  ///< The lost packets among `counted_`.
  /// The number of packets that were sent while draining. Congestion does not cause the loss of
  /// these packets. Older packets count less.
  double drained_ = 0;
  double drained_lost_ = 0;  ///< The lost packets among `drained_`.

  Time drain_at_{};  ///< The time at which the next draining begins.
  Time drain_end_{};
  Time now_{};         ///< Time of the last event.
  Time paid_until_{};  ///< The time until which the sent bytes use up the rate.
};

/// The minimum of `SendRate::burst`: a little more than a tick at 60 Hz.
inline constexpr Duration kBurst = std::chrono::milliseconds(20);

}  // namespace muster
