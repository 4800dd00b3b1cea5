// How much of its time an end spends on what arrives, counted in units of work instead of by a
// clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "net/endpoint/time_bucket.h"
#include "net/transport/call_rhythm.h"
#include "net/transport/datagram_socket.h"

namespace muster {

/// The cost of what a datagram can make an end do. A unit stands for about 100 ns of a server's
/// processor, generously estimated: an end takes half of this or less (tests/bench/RESULTS.md). All
/// costs of one datagram add up.
namespace receive_work {

inline constexpr double kUnitsPerSecond = 1e7;

inline constexpr std::uint32_t kDatagram = 8;   ///< Any: read from the socket, its kind known.
inline constexpr std::uint32_t kRequest = 8;    ///< Its format checked.
inline constexpr std::uint32_t kResponse = 8;   ///< Its format and its cookie checked.
inline constexpr std::uint32_t kAnswer = 20;    ///< A challenge, refusal or path question is sent.
inline constexpr std::uint32_t kRepeat = 30;    ///< A response is compared with an earlier one.
inline constexpr std::uint32_t kToken = 40;     ///< A token is opened.
inline constexpr std::uint32_t kHello = 500;    ///< X25519 once, at a server; a hello is opened.
inline constexpr std::uint32_t kAccept = 1500;  ///< X25519 twice, and a connection's memory.
inline constexpr std::uint32_t kHandshake = 500;  ///< A client checks an answer of its server.

/// The seal of a packet is checked.
constexpr std::uint32_t opening(std::size_t bytes) {
  return 8 + static_cast<std::uint32_t>(bytes / 128);
}
/// A packet that opened is applied.
constexpr std::uint32_t applying(std::size_t bytes) {
  return 10 + static_cast<std::uint32_t>(bytes / 256);
}

/// The most that one datagram costs. A call ends at most this far beyond its bound.
inline constexpr std::uint32_t kDatagramMax =
    kDatagram + kResponse + kRepeat + kToken + kHello + kAccept + kAnswer;

}  // namespace receive_work

/// What `receive` of a server or client may use. Datagrams beyond that stay in the socket.
struct ReceiveLimits {
  /// Share of all time, as estimated by `receive_work`, in any loop of 4 Hz or more. More than 0.
  double share = 0.5;
  /// The most of one call, as estimated. Where `share` of the time between two calls is longer,
  /// that is the most: a single call may take up to `share` of 250 ms in a loop of 4 Hz.
  Duration call_max = std::chrono::milliseconds(16);
  /// The most of one call, in datagrams; grows in proportion to the most of one call in time.
  std::size_t datagrams_max = 8192;
};

/// What one call of `receive` did.
struct ReceiveReport {
  std::size_t datagrams = 0;
  std::uint64_t work = 0;  ///< Units of `receive_work`.
  /// True when the call ended at a limit: more may wait in the socket. The next call goes on.
  bool is_limited = false;
  /// Memory that unread datagrams hold in the socket when a call was limited. 0 where the system
  /// does not report it.
  std::size_t unread_bytes = 0;
};

/// Counts the work of the calls of `receive` against the limits. Time that passes earns work, up to
/// that of one call: many calls in one tick do no more than one, and a call after a long pause no
/// more than any other. The longest intervals between the last calls decide how much one call may
/// do, so that a slow loop uses its share of the time, too.
class ReceiveBudget {
 public:
  ReceiveBudget(const ReceiveLimits& limits, Time now);

  /// A call of `receive` begins.
  void begin(Time now);
  /// How many datagrams may be read now, at most `wanted`. 0 ends the call.
  std::size_t may_read(std::size_t wanted) const;
  void count_datagram();
  void spend(std::uint32_t units);
  /// The call is over. Asks the socket for its backlog when the call was limited, else once a
  /// second.
  ReceiveReport end(Time now, bool is_limited, const DatagramSocket& socket);
  /// Datagrams that the socket has lost, when it was last asked.
  std::uint64_t dropped_unread() const { return dropped_unread_; }

 private:
  ReceiveLimits limits_;
  std::size_t datagrams_max_;  ///< Of this call.
  CallRhythm rhythm_;
  TimeBucket bucket_;
  ReceiveReport report_;
  std::optional<Time> asked_at_;
  std::uint64_t dropped_unread_ = 0;
};

}  // namespace muster
