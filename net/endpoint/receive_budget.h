// Limits the work for received datagrams. Work is counted in units and not in time, because the
// number of units is the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/endpoint/time_bucket.h"
#include "net/transport/call_rhythm.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// The cost of each kind of work. A unit stands for 100 ns of a server's processor time. According
/// to measurements, the work needs at most half of this time (tests/bench/RESULTS.md). A datagram
/// costs the sum of its kinds of work.
namespace receive_work {

inline constexpr double kUnitsPerSecond = 1e7;

inline constexpr std::uint32_t kDatagram = 8;  ///< A datagram is read and classified.
inline constexpr std::uint32_t kRequest = 8;   ///< The format is checked.
inline constexpr std::uint32_t kResponse = 8;  ///< The format and the cookie are checked.
inline constexpr std::uint32_t kAnswer = 20;   ///< A challenge, refusal or path challenge is sent.
inline constexpr std::uint32_t kRepeat = 30;   ///< A response is compared with an earlier response.
inline constexpr std::uint32_t kToken = 40;    ///< A token is opened.
inline constexpr std::uint32_t kHello = 500;   ///< A server computes one X25519 and opens a hello.
/// A server computes two X25519 and allocates a connection.
inline constexpr std::uint32_t kAccept = 1500;
inline constexpr std::uint32_t kHandshake = 500;  ///< A client checks its server's answer.

/// The seal of a packet is checked.
constexpr std::uint32_t opening(std::size_t bytes) {
  return 8 + static_cast<std::uint32_t>(bytes / 128);
}
/// An opened packet is applied.
constexpr std::uint32_t applying(std::size_t bytes) {
  return 10 + static_cast<std::uint32_t>(bytes / 256);
}

/// The number of packets with a close that an end sends at once.
inline constexpr std::uint32_t kClosePackets = 3;

/// The maximum cost of one datagram: a response that is accepted, and the closes to a pending
/// client that it removes. A call exceeds its limit by at most this cost.
inline constexpr std::uint32_t kDatagramMax =
    kDatagram + kResponse + kRepeat + kToken + kHello + kAccept + (1 + kClosePackets) * kAnswer;

}  // namespace receive_work

/// The limits of `receive`. Further datagrams stay in the socket.
struct ReceiveLimits {
  /// The share of time that `receive` may use, as estimated by `receive_work`. A loop slower than 4
  /// Hz gets a smaller share. Requires: the share is more than 0.
  double share = 0.5;
  /// The limit of one call, in estimated time. In a slow loop the limit is higher: `share` of the
  /// interval between two calls, up to `share` of 250 ms.
  Duration call_max = std::chrono::milliseconds(16);
  /// The limit of one call, in datagrams. When the time limit is higher than `call_max`, this limit
  /// is higher in proportion.
  std::size_t datagrams_max = 8192;
};

/// The result of one call of `receive`.
struct ReceiveReport {
  std::size_t datagrams = 0;
  std::uint64_t work = 0;  ///< In units of `receive_work`.
  /// True when the call ended at a limit. More datagrams may then wait in the socket for the next
  /// call.
  bool is_limited = false;
  /// The memory that the socket uses for unread datagrams after a limited call, in bytes; 0 if the
  /// system does not report it.
  std::size_t unread_bytes = 0;
};

/// Counts the work of all `receive` calls. The available work grows with time, up to the limit of
/// one call. As a result, several calls in one tick do no more work than one call. A call after a
/// long pause is also limited. The limit of one call grows with the interval between calls, so that
/// a slow loop can use its share of time.
class ReceiveBudget {
 public:
  ReceiveBudget(const ReceiveLimits& limits, Time now);

  /// Starts a call of `receive`.
  void begin(Time now);
  /// The number of datagrams that may be read now, at most `wanted`; 0 at the limit of the call.
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
  std::size_t datagrams_max_;  ///< The limit of the current call.
  CallRhythm rhythm_;
  TimeBucket bucket_;
  ReceiveReport report_;
  std::optional<Time> queried_at_;
  std::uint64_t dropped_unread_ = 0;
};

}  // namespace muster
