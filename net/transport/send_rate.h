// How much may be sent: finds what the path carries, and yields before its queues grow.
#pragma once

#include <cstddef>
#include <cstdint>

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

/// The rate of one connection, found from the delay in queues and from loss. Follows Copa (Arun,
/// Balakrishnan, NSDI 2018) with the changes that net/CONNECTION.md names. Knows no clock and sends
/// nothing: the connection tells what was sent, delivered and lost, and asks for its budget.
class SendRate {
 public:
  explicit SendRate(const SendRateLimits& limits = {});

  /// Bytes that may go out now, in packets of any size. When the path is idle for a while, no more
  /// than `kBurst` of time is saved up. `on_the_way` are the bytes whose fate is open.
  std::size_t budget(NetTime now, std::size_t on_the_way) const;
  /// Bytes a second that the path is thought to carry.
  double bytes_per_second() const;
  /// Bytes that may be on their way.
  std::size_t window() const { return static_cast<std::size_t>(window_); }
  /// True when more was wanted than the budget gave, since the last round trip.
  bool is_full() const { return was_full_; }

  /// Adds to a packet's record what `delivered` will want to know of it.
  void stamp(PacketRecord& record) const;
  /// A packet goes out. `is_full` tells that more waits than the budget allows.
  void sent(NetTime now, std::size_t bytes, bool is_full);
  /// A packet arrived. `queue_delay` is what the peer told of its way.
  void delivered(NetTime now, const PacketRecord& record, NetDuration queue_delay,
                 const RoundTrip& path);
  void lost(const PacketRecord& record);
  /// The path is another: what was learnt of it is forgotten.
  void restart();

  /// The delay that the estimator believes in: the least that was told in half a round trip.
  NetDuration queue_delay() const { return standing_delay_.value(); }
  /// The share of packets that were lost of late, 0 to 1.
  double loss() const { return loss_; }

 private:
  enum class Direction : std::uint8_t { up, down };

  double present_rate() const;
  double queue_bytes_wanted() const;
  void measure_rate(NetTime now, const PacketRecord& record);
  void steer(double acknowledged);
  void begin_round(NetTime now);
  void end_slow_start();
  void count_fate(const PacketRecord& record, bool is_lost);
  double least_loss() const;
  void yield_to_loss();
  void drain(NetTime now);

  SendRateLimits limits_;
  double window_;  ///< Bytes.
  bool slow_start_ = true;
  Direction direction_ = Direction::up;
  double velocity_ = 1;
  int rounds_one_way_ = 0;
  double window_at_round_ = 0;

  NetDuration round_trip_{};  ///< Smoothed.
  NetDuration round_trip_min_{};
  WindowedMinimum<NetDuration> standing_delay_{std::chrono::milliseconds(50)};
  double mean_packet_ = 600;  ///< Bytes, smoothed.

  std::uint64_t delivered_bytes_ = 0;
  NetTime delivered_at_{};
  WindowedMinimum<double> negated_rate_{std::chrono::seconds(2)};  ///< So the least is the most.
  double best_rate_at_stage_ = 0;
  int stages_without_growth_ = 0;

  NetTime round_began_{};
  double loss_ = 0;          ///< Smoothed over packets.
  double drained_sent_ = 0;  ///< Packets sent at half the rate, and how many of them were lost:
  double drained_lost_ = 0;  ///< this loss is the path's, not ours. Both fade.

  NetTime drain_at_{};  ///< When the window is next halved for a round trip.
  NetTime drain_end_{};
  NetTime now_{};  ///< Of the last event.
  bool was_full_ = false;
  bool full_this_round_ = false;
  NetTime paid_until_{};  ///< Pacing: what was sent is paid for at the present rate until then.
};

/// How much unused time of sending is saved up: a little more than a tick of 60 Hz.
inline constexpr NetDuration kBurst = std::chrono::milliseconds(20);

}  // namespace muster
