// What a connection knows of time: round trip, the peer's clock, and the delay in queues.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/transport/windowed_minimum.h"
#include "registry/base/clock.h"

namespace muster {

/// What the times in packets count.
inline constexpr Duration kWireTimeUnit = std::chrono::microseconds(100);

/// How long the least delay is remembered. Longer would follow a changed path too slowly, and the
/// drift between two clocks (50 µs a second) too badly.
inline constexpr Duration kPathMemory = std::chrono::seconds(10);

/// Round trips and ages are this exact: times in packets count 100 µs, ticks take some of them.
inline constexpr Duration kClockNoise = std::chrono::milliseconds(1);

/// The 16 bits of a time that travel.
constexpr std::uint16_t wire_time(Time time) {
  return static_cast<std::uint16_t>(time.time_since_epoch() / kWireTimeUnit);
}

/// Round trip time, smoothed as RFC 6298 does.
class RoundTrip {
 public:
  /// An answer came after `sample`, of which the peer says that it held it for `hold`.
  void add(Time now, Duration sample, Duration hold);

  bool has_sample() const { return has_sample_; }
  /// All zero before the first sample.
  Duration smoothed() const { return smoothed_; }
  Duration variation() const { return variation_; }
  Duration latest() const { return latest_; }
  /// The least of the last `kPathMemory`.
  Duration minimum() const { return minimum_.value(); }
  /// How long the peer holds an acknowledgement, smoothed.
  Duration hold() const { return answer_ - smoothed_; }
  /// After which time without any acknowledgement something is taken for lost; before the first
  /// sample `kFirstTimeout`.
  Duration probe_timeout() const;

 private:
  bool has_sample_ = false;
  Duration smoothed_{};
  Duration variation_{};
  Duration latest_{};
  WindowedMinimum<Duration> minimum_{kPathMemory};
  Duration answer_{};  ///< With the peer's holding, smoothed: for timeouts.
  Duration answer_variation_{};
};

/// How long a peer may take to answer: its tick, and the time that it holds an acknowledgement.
inline constexpr Duration kAckDelay = std::chrono::milliseconds(20);
/// The probe timeout before anything is known of the path.
inline constexpr Duration kFirstTimeout = std::chrono::milliseconds(500);

/// The speed of the peer's clock beside ours, from packets whose round trip is known. A round trip
/// is measured on one clock, so a change of age that the round trips do not explain is a change of
/// the clocks. Quartz clocks differ by less than can be seen here and count as equal.
class ClockSpeed {
 public:
  /// A packet of this age on the two clocks arrived, and its round trip was measured.
  void add(Time now, Duration age, Duration round_trip);
  /// Seconds by which the age of a packet grows in a second of ours. Zero for clocks alike.
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
  Duration unrest_{};  ///< By how much round trips differ from one to the next, smoothed.
  Mark best_{};        ///< The sample of this second with the smallest round trip.
  Time second_began_{};
  bool has_best_ = false;
  std::array<Mark, kMarks> marks_{};  ///< One a second, oldest first.
  std::size_t count_ = 0;
  double drift_ = 0;
};

/// The peer's clock and the delay of the way from it, from the times that its packets carry. A
/// clock that stands still, jumps, or runs at another speed is not taken for a queue: a queue
/// lengthens the round trip as well.
class PeerClock {
 public:
  /// A packet arrived that was sent at `sent`, the peer's clock. Packets may come in any order.
  void add(Time now, std::uint16_t sent);
  /// A round trip was measured with a packet that arrived just now. Delay beyond what it shows, and
  /// beyond `slack`, was added by a clock. Requires: `add` was called.
  void add_round_trip(Time now, Duration round_trip, Duration slack = kClockNoise);

  /// The least age is to be found again: a clock may have stood still.
  void forget_ages() {
    least_age_.clear();
    least_measured_age_.clear();
  }

  /// The delay in queues of the packet that came last: its age less the least age of the last
  /// `kPathMemory`, and never more than the latest round trip allowed.
  Duration queue_delay() const { return queue_delay_; }
  /// What the peer's clock shows when ours shows `now`, taking both ways as equally long. Counts
  /// from somewhere within the 6.5 s that 16 bits tell of. Nothing before a round trip is known.
  std::optional<Time> at(Time now) const;
  /// Whether the peer's clock runs at another speed than ours.
  bool drifts() const { return speed_.drift() != 0; }
  /// How long a time that the peer measured lasts on our clock.
  Duration on_our_clock(Duration theirs) const;

 private:
  /// A packet's time on the peer's clock, with the bits that did not travel.
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
  Time last_sent_{};  ///< On the peer's clock.
  Duration raw_age_{};
  Duration age_{};  ///< Without what the clocks added.
  Duration queue_delay_{};
  Duration clock_shift_{};  ///< What jumps and drift have added to ages since the start.
  Time shifted_at_{};
  ClockSpeed speed_;
  WindowedMinimum<Duration> least_age_{kPathMemory};
  WindowedMinimum<Duration> least_measured_age_{kPathMemory};  ///< With a measured round trip only.
  WindowedMinimum<Duration> least_trip_{kPathMemory};
  WindowedMinimum<OffsetSample> offset_{kPathMemory};
};

}  // namespace muster
