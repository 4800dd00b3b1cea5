// BSD and macOS: one call for each datagram.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "net/transport/system_address.h"
#include "net/transport/udp_socket.h"

namespace muster {

namespace {

class UdpSocket final : public DatagramSocket {
 public:
  explicit UdpSocket(int descriptor) : descriptor_(descriptor) {}
  ~UdpSocket() override { close(descriptor_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    for (const OutgoingDatagram& datagram : datagrams) {
      const sockaddr_in6 to = to_system_v6(datagram.to);
      const ssize_t result =
          sendto(descriptor_, datagram.bytes.data(), datagram.bytes.size(), MSG_DONTWAIT,
                 reinterpret_cast<const sockaddr*>(&to), sizeof(to));
      if (result >= 0) {
        ++outcome.sent;
      } else {
        ++(errno == EMSGSIZE ? outcome.too_large : outcome.failed);
      }
    }
    return outcome;
  }

  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    std::size_t count = 0;
    while (count < datagrams.size()) {
      IncomingDatagram& into = datagrams[count];
      sockaddr_in6 from{};
      socklen_t from_size = sizeof(from);
      const ssize_t result = recvfrom(descriptor_, into.memory.data(), into.memory.size(),
                                      MSG_DONTWAIT, reinterpret_cast<sockaddr*>(&from), &from_size);
      if (result < 0) {
        if (errno == EINTR || errno == ECONNREFUSED) continue;
        break;
      }
      into.from = from_system_v6(from);
      into.byte_count = static_cast<std::size_t>(result);
      ++count;
    }
    return count;
  }

  void wait(NetDuration at_most) override {
    pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count();
    static_cast<void>(poll(&wanted, 1, static_cast<int>(std::max<long long>(milliseconds, 1))));
  }

  Address local_address() const override {
    sockaddr_in6 address{};
    socklen_t size = sizeof(address);
    if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
    return from_system_v6(address);
  }

 private:
  int descriptor_;
};

bool set(int descriptor, int level, int name, int value) {
  return setsockopt(descriptor, level, name, &value, sizeof(value)) == 0;
}

}  // namespace

OpenedUdp open_udp(const UdpOptions& options) {
  const int descriptor = socket(AF_INET6, SOCK_DGRAM, 0);
  const auto fail = [&](const char* what) {
    OpenedUdp failed;
    failed.error =
        std::string("cannot ") + what + " " + options.local.text() + ": " + std::strerror(errno);
    if (descriptor >= 0) close(descriptor);
    return failed;
  };
  if (descriptor < 0) return fail("open a UDP socket for");
  if (!set(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, 0)) {
    return fail("take both kinds of addresses at");
  }
  const auto buffer = static_cast<int>(std::min<std::size_t>(options.buffer_bytes, 1U << 30U));
  static_cast<void>(set(descriptor, SOL_SOCKET, SO_RCVBUF, buffer));
  static_cast<void>(set(descriptor, SOL_SOCKET, SO_SNDBUF, buffer));
#ifdef IP_DONTFRAG
  static_cast<void>(set(descriptor, IPPROTO_IP, IP_DONTFRAG, 1));
#endif
#ifdef IPV6_DONTFRAG
  static_cast<void>(set(descriptor, IPPROTO_IPV6, IPV6_DONTFRAG, 1));
#endif
  const sockaddr_in6 address = to_system_v6(options.local);
  if (bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail(errno == EADDRINUSE ? "use (another program has it)" : "use");
  }
  OpenedUdp opened;
  opened.socket = std::make_unique<UdpSocket>(descriptor);
  return opened;
}

}  // namespace muster
