// The seam between the net and the operating system: datagrams in, datagrams out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// The largest datagram that is ever sent or received: what an Ethernet frame carries over IPv4.
inline constexpr std::size_t kDatagramBytesMax = 1472;
/// The datagram that every path is taken to carry until more is known.
inline constexpr std::size_t kDatagramBytesSafe = 1200;

/// A datagram to send. The bytes belong to the caller and are read during the call only.
struct OutgoingDatagram {
  Address to;
  std::span<const std::byte> bytes;
  /// The address of this machine that it leaves from; its port is not used. Unspecified: the system
  /// chooses. A system that cannot choose ignores it.
  Address from{};
};

/// A datagram that arrived.
struct IncomingDatagram {
  Address from;
  /// The caller's memory, `kDatagramBytesMax + 1` bytes: a datagram that fills it was too large.
  std::span<std::byte> memory;
  std::size_t byte_count = 0;  ///< How much of it the datagram fills.
  /// How long it lay in the socket until it was taken; zero where the system does not tell.
  Duration waited{};
  /// The address of this machine that it was sent to, where the socket listens at all of them and
  /// the system reports it; else unspecified. An answer has to leave from there.
  Address to{};
};

/// The two ends of a datagram's way, seen from this machine.
struct DatagramPath {
  Address peer;
  Address local{};  ///< `IncomingDatagram::to`.
};

/// Datagrams that a socket has not handed over, as far as the system reports them.
struct SocketBacklog {
  std::size_t waiting_bytes = 0;  ///< Memory that unread datagrams hold, with the system's own.
  std::uint64_t dropped = 0;      ///< Datagrams lost since the socket was opened: it was full.
};

/// What became of datagrams that were to be sent.
struct SendOutcome {
  std::size_t sent = 0;       ///< Taken by the system. Whether they arrive is another matter.
  std::size_t too_large = 0;  ///< Refused, as larger than the path or the interface takes.
  std::size_t failed = 0;     ///< Refused for any other reason: no route, no permission, full.
};

/// A socket for datagrams, which never blocks but in `wait`. One thread at a time. Errors of the
/// network are counted, not returned: to a protocol they are losses.
class DatagramSocket {
 public:
  virtual ~DatagramSocket() = default;

  /// Sends in the given order. Every datagram is in exactly one count of the outcome.
  virtual SendOutcome send(std::span<const OutgoingDatagram> datagrams) = 0;
  /// Takes what has arrived, at most as many as there is memory for, and returns how many. Sets
  /// `from`, `to`, `byte_count` and `waited` of those.
  virtual std::size_t receive(std::span<IncomingDatagram> datagrams) = 0;
  /// Returns when something may have arrived, or after the given time, whichever is first.
  virtual void wait(Duration at_most) = 0;
  /// The address that it is bound to, with the port that the system chose.
  virtual Address local_address() const = 0;
  /// All zero where the system does not report it.
  virtual SocketBacklog backlog() const { return {}; }
};

}  // namespace muster
