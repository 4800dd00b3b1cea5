// Datagrams over the operating system's UDP: the one place of the net that touches it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "net/transport/datagram_socket.h"

namespace muster {

/// How a socket is opened.
struct UdpOptions {
  /// Where it listens: `[::]:7000` takes IPv4 and IPv6, `0.0.0.0:7000` IPv4 alone. Port 0: any.
  /// On a machine with several addresses, such a socket reports at which of them a datagram arrived
  /// (`IncomingDatagram::to`) and sends from a chosen one (`OutgoingDatagram::from`): Linux for
  /// both kinds of addresses, BSD and macOS for IPv6. Elsewhere the system's routes choose, and a
  /// client drops an answer from an address that it did not ask: listen at one address there.
  Address local{};
  /// What the system may keep for us, each way. It may give less.
  std::size_t buffer_bytes = 4 * 1024 * 1024;
};

/// A socket, or why there is none.
struct OpenedUdp {
  std::unique_ptr<DatagramSocket> socket{};  ///< Null when it failed.
  std::string error{};                       ///< For a person: what failed, and what to do.
};

/// Opens a UDP socket that never blocks and never lets a datagram be cut into fragments on the way.
/// Where IPv6 is switched off, `[::]` falls back to IPv4.
OpenedUdp open_udp(const UdpOptions& options);

}  // namespace muster
