// Limits the work for received datagrams. Work is counted in units, not measured by a clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/endpoint/time_bucket.h"
#include "net/transport/call_rhythm.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// The cost of each kind of work. A unit stands for 100 ns of a server's processor, but the work
/// really needs at most half of this time (tests/bench/RESULTS.md). The costs of one datagram add
/// up.
namespace receive_work {

inline constexpr double kUnitsPerSecond = 1e7;

inline constexpr std::uint32_t kDatagram = 8;   ///< A datagram is read and classified.
inline constexpr std::uint32_t kRequest = 8;    ///< The format is checked.
inline constexpr std::uint32_t kResponse = 8;   ///< The format and the cookie are checked.
inline constexpr std::uint32_t kAnswer = 20;    ///< A challenge, refusal or path challenge is sent.
inline constexpr std::uint32_t kRepeat = 30;    ///< A response is compared with an earlier one.
inline constexpr std::uint32_t kToken = 40;     ///< A token is opened.
inline constexpr std::uint32_t kHello = 500;    ///< One X25519 at a server; a hello is opened.
inline constexpr std::uint32_t kAccept = 1500;  ///< Two X25519, and a connection's memory.
inline constexpr std::uint32_t kHandshake = 500;  ///< A client checks its server's answer.

/// The seal of a packet is checked.
constexpr std::uint32_t opening(std::size_t bytes) {
  return 8 + static_cast<std::uint32_t>(bytes / 128);
}
/// An opened packet is applied.
constexpr std::uint32_t applying(std::size_t bytes) {
  return 10 + static_cast<std::uint32_t>(bytes / 256);
}

/// The maximum cost of one datagram. A call exceeds its limit by at most this.
inline constexpr std::uint32_t kDatagramMax =
    kDatagram + kResponse + kRepeat + kToken + kHello + kAccept + kAnswer;

}  // namespace receive_work

/// The limits of `receive`. Further datagrams stay in the socket.
struct ReceiveLimits {
  /// The share of time that `receive` may use, as estimated by `receive_work`. It is reached in
  /// every loop of 4 Hz or faster. Requires: more than 0.
  double share = 0.5;
  /// The limit of one call, in estimated time. If `share` of the time between two calls is longer,
  /// that time is the limit. In a loop of 4 Hz it is `share` of 250 ms, which is the maximum.
  Duration call_max = std::chrono::milliseconds(16);
  /// The limit of one call, in datagrams. It grows in proportion to the time limit of one call.
  std::size_t datagrams_max = 8192;
};

/// The result of one call of `receive`.
struct ReceiveReport {
  std::size_t datagrams = 0;
  std::uint64_t work = 0;  ///< In units of `receive_work`.
  /// True when the call ended at a limit. Then more datagrams may wait in the socket, and the next
  /// call reads them.
  bool is_limited = false;
  /// Memory of unread datagrams in the socket after a limited call. 0 if the system does not report
  /// it.
  std::size_t unread_bytes = 0;
};

/// Counts the work of all `receive` calls. Elapsed time earns work, up to the limit of one call. So
/// many calls in one tick do no more work than one call, and a call after a long pause does no more
/// work than other calls. The limit of one call depends on the longest interval between the last
/// calls, so that a slow loop can also use its share of time.
class ReceiveBudget {
 public:
  ReceiveBudget(const ReceiveLimits& limits, Time now);

  /// Starts a call of `receive`.
  void begin(Time now);
  /// The number of datagrams that may be read now, at most `wanted`. 0 ends the call.
  std::size_t may_read(std::size_t wanted) const;
  void count_datagram();
  void spend(std::uint32_t units);
  /// Ends the call. Queries the socket's backlog after each limited call, and otherwise once per
  /// second.
  ReceiveReport end(Time now, bool is_limited, const DatagramSocket& socket);
  /// The number of datagrams that the socket had dropped by the last query.
  std::uint64_t dropped_unread() const { return dropped_unread_; }

 private:
  ReceiveLimits limits_;
  std::size_t datagrams_max_;  ///< The limit of this call.
  CallRhythm rhythm_;
  TimeBucket bucket_;
  ReceiveReport report_;
  std::optional<Time> asked_at_;
  std::uint64_t dropped_unread_ = 0;
};

}  // namespace muster
