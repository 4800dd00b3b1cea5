// A network in memory: delay, loss, queues and everything else that networks do, from one seed.
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

/// How the delay of a link varies from datagram to datagram.
enum class Jitter : std::uint8_t {
  uniform,      ///< From 0 to `jitter`.
  exponential,  ///< Mostly little, now and then much; `jitter` is the mean, ten times it the most.
};

/// What one moment of a recorded path was like. Replaces the link's own delay and loss.
struct LinkSample {
  Duration delay{};
  bool is_lost = false;
};

/// What a link is like from a moment on.
struct LinkMoment {
  Duration at{};
  Duration latency{};
  double loss = 0;
  double bytes_per_second = 0;  ///< 0: nothing passes.
};

/// What a link does to datagrams. The default does nothing.
struct LinkOptions {
  Duration latency{};
  Duration jitter{};
  Jitter jitter_kind = Jitter::uniform;
  /// Whether jitter lets datagrams overtake each other. If not, a late one delays those behind it.
  bool may_overtake = true;
  double loss = 0;              ///< Share of datagrams, each for itself.
  double burst_begin = 0;       ///< Gilbert–Elliott: per datagram, that a bad time begins;
  double burst_end = 1;         ///< that it ends;
  double burst_loss = 1;        ///< and the loss in it.
  double duplicate = 0;         ///< Share that arrives twice.
  double corrupt = 0;           ///< Share of which some bits are flipped.
  double bytes_per_second = 0;  ///< 0 is without limit.
  std::size_t queue_bytes = 0;  ///< What may wait for the limit; more is dropped. 0: one datagram.
  std::size_t mtu = 65535;      ///< Larger datagrams vanish.
  bool is_down = false;         ///< Nothing passes.
  /// When not empty: datagram `n` meets sample `n mod size`.
  std::vector<LinkSample> trace{};
  /// When not empty: replaces latency, loss and limit by those of the moment, counted from the
  /// network's time 0. The last moment says only when the first comes again.
  std::vector<LinkMoment> course{};
};

/// What a link has done.
struct LinkCounters {
  std::uint64_t datagrams = 0;
  std::uint64_t delivered = 0;  ///< Passed, with duplicates.
  std::uint64_t lost = 0;       ///< By chance, a trace, or since the link is down.
  std::uint64_t dropped = 0;    ///< Since the queue was full.
  std::uint64_t too_large = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  Duration queue_delay{};  ///< What the last datagram waited for those before it.
  Duration queue_delay_max{};
};

using LinkId = std::size_t;

/// A network of links and sockets. A datagram passes the upward links of its sender and then the
/// downward links of its receiver; links that several sockets name are shared bottlenecks. Time is
/// given; the same seed and the same calls give the same network. One thread.
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
  /// May be changed at any time; holds for datagrams that enter the link from now on.
  LinkOptions& link(LinkId link);
  const LinkCounters& counters(LinkId link) const;

  /// A socket at an address that nobody has. It must not outlive the network.
  std::unique_ptr<DatagramSocket> open(const Address& address, std::vector<LinkId> up = {},
                                       std::vector<LinkId> down = {});
  /// From now on the socket at `from` is seen at `to`, as when a NAT forgets: datagrams to the old
  /// address are lost.
  void rebind(const Address& from, const Address& to);

  /// Moves time on and lets arrive what arrives until then. Requires: not backwards.
  void advance(Time now);
  Time now() const { return now_; }
  /// When the next datagram arrives somewhere; `Time::max()` when none is on its way.
  Time next_event() const;

  /// A number from 0 to 1 from the network's own randomness, for scripts.
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
  std::vector<std::unique_ptr<Flight>> flights_;  ///< A heap, the next arrival on top.
  std::vector<std::unique_ptr<Flight>> spare_;
};

}  // namespace muster
