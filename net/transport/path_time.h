// The timing of a path: round trip, the peer's clock, and the delay in queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/transport/windowed_minimum.h"
#include "registry/base/clock.h"

namespace muster {

/// The unit of times in packets.
inline constexpr Duration kWireTimeUnit = std::chrono::microseconds(100);

/// The time for which a minimum delay is valid. With a longer time, this end would adapt too slowly
/// to path changes and clock drift (50 µs per second).
inline constexpr Duration kPathWindow = std::chrono::seconds(10);

/// The assumed error of a measured round trip or age. The error is larger than 100 µs, the unit of
/// times in packets, because packets are read only at ticks.
inline constexpr Duration kClockNoise = std::chrono::milliseconds(1);

/// Returns the low 16 bits of a time in units of 100 µs, as packets contain them.
constexpr std::uint16_t wire_time(Time time) {
  return static_cast<std::uint16_t>(time.time_since_epoch() / kWireTimeUnit);
}

/// Round trip time, smoothed as in RFC 6298.
class RoundTrip {
 public:
  /// Adds a measurement. `sample` is the time from the sending of a packet to the arrival of its
  /// answer. `hold` is the time between the packet's arrival and the answer, as the peer reports
  /// it.
  void add(Time now, Duration sample, Duration hold);

  bool has_sample() const { return has_sample_; }
  /// The next three values are zero before the first sample.
  Duration smoothed() const { return smoothed_; }
  Duration variation() const { return variation_; }
  Duration latest() const { return latest_; }
  /// The minimum round trip within the last `kPathWindow`.
  Duration minimum() const { return minimum_.value(); }
  /// The time that the peer waits before it acknowledges a packet, smoothed.
  Duration hold() const { return answer_ - smoothed_; }
  /// The time without an acknowledgement after which a packet is treated as lost; `kFirstTimeout`
  /// before the first sample.
  Duration probe_timeout() const;

 private:
  bool has_sample_ = false;
  Duration smoothed_{};
  Duration variation_{};
  Duration latest_{};
  WindowedMinimum<Duration> minimum_{kPathWindow};
  Duration answer_{};  ///< The round trip including the peer's hold time, smoothed.
  Duration answer_variation_{};
};

/// The time that a peer may need to answer: the interval of its ticks, and the time that it holds
/// an acknowledgement.
inline constexpr Duration kAckDelay = std::chrono::milliseconds(20);
/// The probe timeout before the first round trip is measured.
inline constexpr Duration kFirstTimeout = std::chrono::milliseconds(500);

/// The speed of the peer's clock relative to ours, measured with packets of known round trip. The
/// age of a packet is the difference between two clocks, but a round trip is measured on one clock.
/// So when ages change more than round trips, the clocks drift. The drift of ordinary quartz clocks
/// is too small to be measured here, and counts as zero.
class ClockSpeed {
 public:
  /// Adds the age and the round trip of a packet. The age is the time of arrival on our clock minus
  /// the time of sending on the peer's clock.
  void add(Time now, Duration age, Duration round_trip);
  /// The growth of a packet's age, in seconds per second of our clock. Zero if both clocks run at
  /// the same speed.
  double drift() const { return drift_; }

 private:
  struct Mark {
    Time at{};
    Duration age{};
    Duration round_trip{};
  };
  static constexpr std::size_t kMarks = 8;

  void push(const Mark& mark);
  void judge();

  Duration last_trip_{};
  Duration fluctuation_{};  ///< The mean difference of consecutive round trips, smoothed.
  Mark best_{};             ///< The sample of this second with the shortest round trip.
  Time second_began_{};
  bool has_best_ = false;
  std::array<Mark, kMarks> marks_{};  ///< One sample per second, oldest first.
  std::size_t count_ = 0;
  double drift_ = 0;
};

/// Estimates the peer's clock and the queueing delay on the way from the peer, from the times in
/// its packets. If a clock stops, jumps or drifts, the change is not mistaken for a queue, because
/// only a queue lengthens the round trip.
class PeerClock {
 public:
  /// Adds a received packet that was sent at `sent` on the peer's clock. Packets may be added in
  /// any order.
  void add(Time now, std::uint16_t sent);
  /// Adds the round trip that was measured with the last packet. The round trip limits the delay.
  /// If the delay exceeds this limit by more than `slack`, the excess is attributed to a clock.
  /// Requires: `add` was called.
  void add_round_trip(Time now, Duration round_trip, Duration slack = kClockNoise);

  /// Measures the minimum age again, because a clock may have stopped.
  void forget_ages() {
    age_min_.clear();
    measured_age_min_.clear();
  }

  /// The queueing delay of the last packet: its age minus the minimum age of the last
  /// `kPathWindow`. The delay is at most what the latest measured round trip allows.
  Duration queue_delay() const { return queue_delay_; }
  /// Returns the time on the peer's clock at our time `now`, assuming that the delay is equal in
  /// both directions. The result is exact only modulo 6.5 s, the range of 16 bits. Returns nothing
  /// before a round trip is measured.
  std::optional<Time> at(Time now) const;
  /// True when the peer's clock runs measurably faster or slower than our clock.
  bool drifts() const { return speed_.drift() != 0; }
  /// Converts a duration that the peer measured to our clock.
  Duration on_our_clock(Duration theirs) const;

 private:
  /// Restores the high bits of a packet's time on the peer's clock.
  Time unwrap(Time now, std::uint16_t sent) const;
  void add_offset(Time now, Duration round_trip, Duration excess);

  struct OffsetSample {
    Duration round_trip{};
    Duration offset{};
    Time at{};
    bool operator<(const OffsetSample& other) const { return round_trip < other.round_trip; }
  };

  bool has_packet_ = false;
  Time last_arrival_{};
  Time last_sent_{};  ///< The time of the last packet on the peer's clock.
  Duration raw_age_{};
  Duration age_{};  ///< `raw_age_` without the part that the clocks added.
  Duration queue_delay_{};
  Duration clock_shift_{};  ///< The total time that jumps and drift of the clocks added to ages.
  Time shifted_at_{};
  ClockSpeed speed_;
  WindowedMinimum<Duration> age_min_{kPathWindow};
  WindowedMinimum<Duration> measured_age_min_{
      kPathWindow};  ///< Uses only packets with a measured round trip.
  WindowedMinimum<Duration> trip_min_{kPathWindow};
  WindowedMinimum<OffsetSample> offset_{kPathWindow};
};

}  // namespace muster
