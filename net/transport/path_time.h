// The timing of a path: round trip, the peer's clock, and the delay in queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/transport/windowed_minimum.h"
#include "net/wire/net_time.h"

namespace muster {

/// The unit of times in packets.
inline constexpr NetDuration kWireTimeUnit = std::chrono::microseconds(100);

/// How long the minimum delay is remembered. A longer time would follow path changes and clock
/// drift (50 µs a second) too slowly.
inline constexpr NetDuration kPathMemory = std::chrono::seconds(10);

/// The accuracy of round trips and ages: times in packets count 100 µs, and ticks add to that.
inline constexpr NetDuration kClockNoise = std::chrono::milliseconds(1);

/// Returns the 16 bits of a time that are sent.
constexpr std::uint16_t wire_time(NetTime time) {
  return static_cast<std::uint16_t>(time.time_since_epoch() / kWireTimeUnit);
}

/// Round trip time, smoothed as in RFC 6298.
class RoundTrip {
 public:
  /// Adds a measurement: an answer arrived after `sample`, and the peer reports that it held the
  /// packet for `hold`.
  void add(NetTime now, NetDuration sample, NetDuration hold);

  bool has_sample() const { return has_sample_; }
  /// All zero before the first sample.
  NetDuration smoothed() const { return smoothed_; }
  NetDuration variation() const { return variation_; }
  NetDuration latest() const { return latest_; }
  /// The minimum over the last `kPathMemory`.
  NetDuration minimum() const { return minimum_.value(); }
  /// How long the peer holds an acknowledgement, smoothed.
  NetDuration hold() const { return answer_ - smoothed_; }
  /// The time without an acknowledgement after which a packet is treated as lost; `kFirstTimeout`
  /// before the first sample.
  NetDuration probe_timeout() const;

 private:
  bool has_sample_ = false;
  NetDuration smoothed_{};
  NetDuration variation_{};
  NetDuration latest_{};
  WindowedMinimum<NetDuration> minimum_{kPathMemory};
  NetDuration answer_{};  ///< Includes the peer's hold time; smoothed. For timeouts.
  NetDuration answer_variation_{};
};

/// The time that a peer may need to answer: its tick, and how long it holds an acknowledgement.
inline constexpr NetDuration kAckDelay = std::chrono::milliseconds(20);
/// The probe timeout before the first round trip is measured.
inline constexpr NetDuration kFirstTimeout = std::chrono::milliseconds(500);

/// The speed of the peer's clock relative to ours, from packets with a known round trip. A round
/// trip is measured on one clock, so a change of age that the round trips do not explain is clock
/// drift. Quartz clocks differ by less than this can measure and count as equal.
class ClockSpeed {
 public:
  /// Adds a packet with its age on the two clocks and its measured round trip.
  void add(NetTime now, NetDuration age, NetDuration round_trip);
  /// The growth of a packet's age, in seconds per second of our clock. Zero for equal clocks.
  double drift() const { return drift_; }

 private:
  struct Mark {
    NetTime at{};
    NetDuration age{};
    NetDuration round_trip{};
  };
  static constexpr std::size_t kMarks = 8;

  void push(const Mark& mark);
  void judge();

  NetDuration last_trip_{};
  NetDuration unrest_{};  ///< How much consecutive round trips differ, smoothed.
  Mark best_{};           ///< This second's sample with the smallest round trip.
  NetTime second_began_{};
  bool has_best_ = false;
  std::array<Mark, kMarks> marks_{};  ///< One per second, oldest first.
  std::size_t count_ = 0;
  double drift_ = 0;
};

/// The peer's clock and the queueing delay on the way from the peer, from the times in its packets.
/// A clock that stops, jumps or runs at another speed is not mistaken for a queue, because a queue
/// also lengthens the round trip.
class PeerClock {
 public:
  /// Adds a received packet that was sent at `sent` on the peer's clock. Packets may come in any
  /// order.
  void add(NetTime now, std::uint16_t sent);
  /// Adds the round trip that the last packet measured. Delay that exceeds it by more than `slack`
  /// was added by a clock. Requires: `add` was called.
  void add_round_trip(NetTime now, NetDuration round_trip, NetDuration slack = kClockNoise);

  /// Measures the minimum age again: a clock may have stopped.
  void forget_ages() {
    least_age_.clear();
    least_measured_age_.clear();
  }

  /// The queueing delay of the last packet: its age minus the minimum age of the last
  /// `kPathMemory`. Never more than the latest round trip allows.
  NetDuration queue_delay() const { return queue_delay_; }
  /// Returns the peer's clock when ours is `now`, assuming equal delay in both directions. The
  /// start is arbitrary within the 6.5 s that 16 bits cover. Returns nothing before a round trip is
  /// measured.
  std::optional<NetTime> at(NetTime now) const;
  /// True when the peer's clock runs at another speed than ours.
  bool drifts() const { return speed_.drift() != 0; }
  /// Converts a duration that the peer measured to our clock.
  NetDuration on_our_clock(NetDuration theirs) const;

 private:
  /// Restores the high bits of a packet's time on the peer's clock.
  NetTime unwrap(NetTime now, std::uint16_t sent) const;
  void add_offset(NetTime now, NetDuration round_trip, NetDuration excess);

  struct OffsetSample {
    NetDuration round_trip{};
    NetDuration offset{};
    NetTime at{};
    bool operator<(const OffsetSample& other) const { return round_trip < other.round_trip; }
  };

  bool has_packet_ = false;
  NetTime last_arrival_{};
  NetTime last_sent_{};  ///< On the peer's clock.
  NetDuration raw_age_{};
  NetDuration age_{};  ///< Without the part that the clocks added.
  NetDuration queue_delay_{};
  NetDuration clock_shift_{};  ///< What jumps and drift added to ages since the start.
  NetTime shifted_at_{};
  ClockSpeed speed_;
  WindowedMinimum<NetDuration> least_age_{kPathMemory};
  WindowedMinimum<NetDuration> least_measured_age_{
      kPathMemory};  ///< Only packets with a measured round trip.
  WindowedMinimum<NetDuration> least_trip_{kPathMemory};
  WindowedMinimum<OffsetSample> offset_{kPathMemory};
};

}  // namespace muster
