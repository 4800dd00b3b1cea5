// The operating system's UDP sockets. Only this unit of `net/` uses them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "net/transport/datagram_socket.h"

namespace muster {

/// Options of a UDP socket.
struct UdpOptions {
  /// The address to listen on. For example, `[::]:7000` accepts IPv4 and IPv6, and `0.0.0.0:7000`
  /// accepts only IPv4. With port 0 the system chooses a free port. A socket that listens on all
  /// addresses of a machine reports the local address of each datagram (`IncomingDatagram::to`).
  /// Such a socket can also send from a chosen local address (`OutgoingDatagram::from`). Linux
  /// supports this for IPv4 and IPv6, and BSD and macOS support it for IPv6. On other systems,
  /// listen on one address. Otherwise the system's routing chooses the local address of an answer,
  /// and a client drops an answer from an unexpected address.
  Address local{};
  /// The size of the system's buffer, for each direction. The system may grant less.
  std::size_t buffer_bytes = 4 * 1024 * 1024;
};

/// A socket, or an error text.
struct OpenedUdp {
  std::unique_ptr<DatagramSocket> socket{};  ///< Null on failure.
  std::string error{};                       ///< A text that names the failure and the remedy.
};

/// Opens a non-blocking UDP socket that never fragments datagrams. If IPv6 is disabled, `[::]`
/// falls back to IPv4.
OpenedUdp open_udp(const UdpOptions& options);

}  // namespace muster
