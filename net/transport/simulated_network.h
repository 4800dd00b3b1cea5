// A simulated network with delay, loss and queues. All random effects come from one seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <queue>
#include <span>
#include <vector>

#include "net/transport/datagram_socket.h"

namespace muster {

/// How the delay of a link varies between datagrams.
enum class Jitter : std::uint8_t {
  uniform,  ///< The delay varies uniformly from 0 to `jitter`.
  /// An exponential distribution with the mean `jitter`, cut at ten times the mean.
  exponential,
};

/// One sample of a recorded path. It replaces the link's delay and loss for one datagram.
struct LinkSample {
  Duration delay{};
  bool is_lost = false;
};

/// The properties of a link from a given time on.
struct LinkMoment {
  Duration at{};
  Duration latency{};
  double loss = 0;
  double bytes_per_second = 0;  ///< With 0, every datagram is lost.
};

/// The effects of a link. By default, a link has no effects.
struct LinkOptions {
  Duration latency{};
  Duration jitter{};
  Jitter jitter_kind = Jitter::uniform;
  /// True if jitter lets datagrams overtake each other. If false, a late datagram also delays the
  /// datagrams behind it.
  bool may_overtake = true;
  double loss = 0;  ///< The probability that a datagram is lost, outside of bad periods.
  /// The probability per datagram that a bad period starts (the Gilbert–Elliott model).
  double burst_begin = 0;
  double burst_end = 1;         ///< The probability per datagram that a bad period ends.
  double burst_loss = 1;        ///< The probability that a datagram is lost during a bad period.
  double duplicate = 0;         ///< The probability that a datagram arrives twice.
  double corrupt = 0;           ///< The probability that some bits of a datagram are flipped.
  double bytes_per_second = 0;  ///< The rate of the link; 0 if unlimited.
  std::size_t queue_bytes =
      /// The maximum size of the queue. Further datagrams are dropped. With 0, one datagram is
      /// queued.
      0;
  std::size_t mtu = 65535;  ///< The size of the largest datagram. Larger datagrams are lost.
  bool is_down = false;     ///< True if all datagrams are lost.
  /// If not empty, datagram `n` uses sample `n mod size`.
  std::vector<LinkSample> trace{};
  /// If not empty, the course replaces latency, loss and rate. It begins at the network's time 0.
  /// At the time of its last moment, the course starts again at the first moment.
  std::vector<LinkMoment> course{};
};

/// Counters of a link.
struct LinkCounters {
  std::uint64_t datagrams = 0;
  std::uint64_t delivered = 0;  ///< Includes duplicates.
  /// The datagrams lost by chance, by a trace, or because the link is down.
  std::uint64_t lost = 0;
  std::uint64_t dropped = 0;  ///< The datagrams dropped because the queue was full.
  std::uint64_t too_large = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  Duration queue_delay{};  ///< The time that the last datagram waited in the queue.
  Duration queue_delay_max{};
};

using LinkId = std::size_t;

/// A network of links and sockets. A datagram passes the upward links of its sender, then the
/// downward links of its receiver. A link that several sockets use is a shared bottleneck. Time
/// moves only in `advance`. The same seed and the same calls give the same result. Only one thread
/// may use a network.
///
///     SimulatedNetwork network(seed);
///     LinkId up = network.add_link({.latency = 20ms, .loss = 0.05});
///     auto client = network.open(address, {up}, {});
///     network.advance(now);
class SimulatedNetwork {
 public:
  explicit SimulatedNetwork(std::uint64_t seed);
  ~SimulatedNetwork();

  LinkId add_link(const LinkOptions& options);
  /// The options may change at any time. A change applies to datagrams that enter the link later.
  LinkOptions& link(LinkId link);
  const LinkCounters& counters(LinkId link) const;

  /// Opens a socket at an unused address. The socket must not outlive the network.
  std::unique_ptr<DatagramSocket> open(const Address& address, std::vector<LinkId> up = {},
                                       std::vector<LinkId> down = {});
  /// Changes the visible address of the socket at `from` to `to`, as a NAT does when it drops a
  /// mapping. Datagrams to the old address are lost.
  void rebind(const Address& from, const Address& to);

  /// Moves time forward to `now` and delivers all datagrams that arrive until then. Requires: `now`
  /// is not earlier than in the last call.
  void advance(Time now);
  Time now() const { return now_; }
  /// The time at which the next datagram arrives; `Time::max()` if no datagram is in flight.
  Time next_event() const;

  /// Returns a random number from 0 to 1, from the network's seed.
  double chance();

 private:
  class Socket;
  struct Link;
  struct Flight;
  struct FlightOrder;

  std::uint64_t random();
  SendOutcome send(Socket& from, std::span<const OutgoingDatagram> datagrams);
  void enter(std::unique_ptr<Flight> flight, Time at);
  static void follow_course(Link& link, Time at);
  bool pass(Link& link, Flight& flight, Time at, Time& leaves);
  Duration delay_of(Link& link);
  void arrive(std::unique_ptr<Flight> flight);
  std::unique_ptr<Flight> new_flight();

  std::uint64_t random_state_;
  Time now_{};
  std::uint64_t flight_count_ = 0;
  std::vector<std::unique_ptr<Link>> links_;
  std::vector<Socket*> sockets_;
  std::vector<std::unique_ptr<Flight>> flights_;  ///< A heap; the next arrival is on top.
  std::vector<std::unique_ptr<Flight>> spare_;
};

}  // namespace muster
