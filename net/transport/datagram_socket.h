// The interface between `net/` and the operating system: sends and receives datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// The size of the largest datagram that is sent or received: one Ethernet frame over IPv4.
inline constexpr std::size_t kDatagramBytesMax = 1472;
/// A datagram of this size is assumed to fit every path. Path MTU discovery may find more.
inline constexpr std::size_t kDatagramBytesSafe = 1200;

/// A datagram to send. The caller owns the bytes; they are read only during the call.
struct OutgoingDatagram {
  Address to;
  std::span<const std::byte> bytes;
  /// The local address to send from; its port is ignored. If it is unspecified, the system chooses
  /// one. A system that cannot send from a chosen address ignores it.
  Address from{};
};

/// A received datagram.
struct IncomingDatagram {
  Address from;
  /// The caller's memory, `kDatagramBytesMax + 1` bytes. A datagram that fills all of it was too
  /// large.
  std::span<std::byte> memory;
  std::size_t byte_count = 0;  ///< The size of the datagram.
  /// Time between arrival and reading; zero if the system does not report it.
  Duration waited{};
  /// The local address that the datagram was sent to. Send the answer from this address. It is set
  /// only if the socket listens on all addresses and the system reports it; otherwise it is
  /// unspecified.
  Address to{};
};

/// Both ends of a datagram's path.
struct DatagramPath {
  Address peer;
  Address local{};  ///< `IncomingDatagram::to`.
};

/// Datagrams in the socket that were not read yet. Values that the system does not report are zero.
struct SocketBacklog {
  std::size_t waiting_bytes = 0;  ///< Memory of unread datagrams, including the system's overhead.
  std::uint64_t dropped = 0;      ///< Datagrams lost since opening because the buffer was full.
};

/// The result of sending datagrams.
struct SendOutcome {
  std::size_t sent = 0;       ///< Accepted by the system. They may still be lost.
  std::size_t too_large = 0;  ///< Refused: larger than the path or the interface allows.
  std::size_t failed = 0;     ///< Refused for another reason: no route, no permission, full buffer.
};

/// A datagram socket. Only `wait` blocks. One thread at a time. Network errors are counted, not
/// returned: a protocol treats them as loss.
class DatagramSocket {
 public:
  virtual ~DatagramSocket() = default;

  /// Sends the datagrams in order. Each datagram is counted in exactly one field of the outcome.
  virtual SendOutcome send(std::span<const OutgoingDatagram> datagrams) = 0;
  /// Reads received datagrams, up to `datagrams.size()`, and returns their number. Sets their
  /// `from`, `to`, `byte_count` and `waited`.
  virtual std::size_t receive(std::span<IncomingDatagram> datagrams) = 0;
  /// Returns when a datagram may have arrived, or after `at_most`, whichever is first.
  virtual void wait(Duration at_most) = 0;
  /// The bound address, with the port that the system chose.
  virtual Address local_address() const = 0;
  /// The unread datagrams; all zero if the system does not report them.
  virtual SocketBacklog backlog() const { return {}; }
};

}  // namespace muster
