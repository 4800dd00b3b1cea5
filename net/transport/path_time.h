// What a connection knows of time: round trip, the peer's clock, and the delay in queues.
#pragma once

#include <cstdint>
#include <optional>

#include "net/transport/windowed_minimum.h"
#include "net/wire/net_time.h"

namespace muster {

/// What the times in packets count.
inline constexpr NetDuration kWireTimeUnit = std::chrono::microseconds(100);

/// How long the least delay is remembered. Longer would follow a changed path too slowly, and the
/// drift between two clocks (50 µs a second) too badly.
inline constexpr NetDuration kPathMemory = std::chrono::seconds(10);

/// The 16 bits of a time that travel.
constexpr std::uint16_t wire_time(NetTime time) {
  return static_cast<std::uint16_t>(time.time_since_epoch() / kWireTimeUnit);
}

/// Round trip time, smoothed as RFC 6298 does.
class RoundTrip {
 public:
  /// An answer came after `sample`, of which the peer says that it held it for `hold`.
  void add(NetTime now, NetDuration sample, NetDuration hold);

  bool has_sample() const { return has_sample_; }
  /// All zero before the first sample.
  NetDuration smoothed() const { return smoothed_; }
  NetDuration variation() const { return variation_; }
  NetDuration latest() const { return latest_; }
  /// The least of the last `kPathMemory`.
  NetDuration minimum() const { return minimum_.value(); }
  /// After which time without any acknowledgement something is taken for lost; before the first
  /// sample `kFirstTimeout`.
  NetDuration probe_timeout() const;

 private:
  bool has_sample_ = false;
  NetDuration smoothed_{};
  NetDuration variation_{};
  NetDuration latest_{};
  WindowedMinimum<NetDuration> minimum_{kPathMemory};
  NetDuration answer_{};  ///< With the peer's holding, smoothed: for timeouts.
  NetDuration answer_variation_{};
};

/// How long a peer may take to answer: its tick, and the time that it holds an acknowledgement.
inline constexpr NetDuration kAckDelay = std::chrono::milliseconds(20);
/// The probe timeout before anything is known of the path.
inline constexpr NetDuration kFirstTimeout = std::chrono::milliseconds(500);

/// The peer's clock and the delay of the way from it, from the times that its packets carry.
class PeerClock {
 public:
  /// A packet arrived that was sent at `sent`, the peer's clock. Packets may come in any order.
  void add(NetTime now, std::uint16_t sent);
  /// A round trip was measured with a packet that arrived just now. Requires: `add` was called.
  void add_round_trip(NetTime now, NetDuration round_trip);

  /// The delay in queues of the packet that came last: its age less the least age of the last
  /// `kPathMemory`.
  NetDuration queue_delay() const { return queue_delay_; }
  /// What the peer's clock shows when ours shows `now`, taking both ways as equally long. Counts
  /// from somewhere within the 6.5 s that 16 bits tell of. Nothing before a round trip is known.
  std::optional<NetTime> at(NetTime now) const;

 private:
  /// A packet's time on the peer's clock, with the bits that did not travel.
  NetTime unwrap(NetTime now, std::uint16_t sent) const;

  struct OffsetSample {
    NetDuration round_trip{};
    NetDuration offset{};
    bool operator<(const OffsetSample& other) const { return round_trip < other.round_trip; }
  };

  bool has_packet_ = false;
  NetTime last_arrival_{};
  NetTime last_sent_{};  ///< On the peer's clock.
  NetDuration last_age_{};
  NetDuration queue_delay_{};
  WindowedMinimum<NetDuration> least_age_{kPathMemory};
  WindowedMinimum<OffsetSample> offset_{kPathMemory};
};

}  // namespace muster
