// The interface between `net/` and the operating system: sends and receives datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// The size of the largest datagram that is sent or received. A datagram of this size fills one
/// Ethernet frame over IPv4.
inline constexpr std::size_t kDatagramBytesMax = 1472;
/// A datagram of this size is assumed to fit every path. Path MTU discovery may find more.
inline constexpr std::size_t kDatagramBytesSafe = 1200;

/// A datagram to send. The caller owns the bytes; they are read only during the call.
struct OutgoingDatagram {
  Address to;
  std::span<const std::byte> bytes;
  /// The local address to send from; its port is ignored. If the address is unspecified, the system
  /// chooses an address. A system that cannot send from a chosen address ignores this field.
  Address from{};
};

/// A received datagram.
struct IncomingDatagram {
  Address from;
  /// The caller's memory, `kDatagramBytesMax + 1` bytes. A datagram that fills the whole memory was
  /// too large.
  std::span<std::byte> memory;
  std::size_t byte_count = 0;
  /// The time between arrival and reading; zero if the system does not report it.
  Duration waited{};
  /// The local address that the datagram was sent to. Send the answer from this address. The
  /// address is unspecified if the socket listens on one address, or if the system does not report
  /// the address.
  Address to{};
};

/// Both ends of a datagram's path.
struct DatagramPath {
  Address peer;
  Address local{};  ///< `IncomingDatagram::to`.
};

/// The unread datagrams of a socket. A value is zero if the system does not report it.
struct SocketBacklog {
  /// The memory of the unread datagrams, including the system's overhead.
  std::size_t waiting_bytes = 0;
  /// The datagrams that were lost because the buffer was full, since the socket was opened.
  std::uint64_t dropped = 0;
};

/// The result of sending datagrams.
struct SendOutcome {
  /// The datagrams that the system accepted. The network may still lose them.
  std::size_t sent = 0;
  /// The datagrams refused because they exceed the limit of the path or the interface.
  std::size_t too_large = 0;
  /// The datagrams refused for another reason: no route, no permission, full buffer.
  std::size_t failed = 0;
};

/// A datagram socket. Only `wait` blocks. Only one thread at a time may use this object. Network
/// errors are counted in `SendOutcome` and not returned, because a protocol treats them as loss.
class DatagramSocket {
 public:
  virtual ~DatagramSocket() = default;

  /// Sends the datagrams in order. Each datagram is counted in exactly one field of the outcome.
  virtual SendOutcome send(std::span<const OutgoingDatagram> datagrams) = 0;
  /// Reads received datagrams, up to `datagrams.size()`, and returns their number. Sets their
  /// `from`, `to`, `byte_count` and `waited`.
  virtual std::size_t receive(std::span<IncomingDatagram> datagrams) = 0;
  /// Blocks until a datagram may have arrived, but not longer than `timeout`.
  virtual void wait(Duration timeout) = 0;
  /// The bound address, with the port that the system chose.
  virtual Address local_address() const = 0;
  /// Returns the unread datagrams.
  virtual SocketBacklog backlog() const { return {}; }
};

}  // namespace muster
