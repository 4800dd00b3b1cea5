// The UDP socket of BSD and macOS: one system call for each datagram. The local address of a
// datagram can be read and chosen only for IPv6, because these systems differ for IPv4 on a
// dual-stack socket.
#define __APPLE_USE_RFC_3542  // macOS: defines IPV6_RECVPKTINFO.
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

/// The maximum number of errors of earlier datagrams that one call skips. An attacker can cause
/// many such errors with ICMP.
constexpr int kErrorsSkippedMax = 8;

struct alignas(cmsghdr) Control {
  std::array<char, CMSG_SPACE(sizeof(in6_pktinfo))> bytes{};
};

/// Returns the address that a datagram was sent to; unspecified if an answer cannot be sent from
/// it.
Address local_of(msghdr& header) {
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != IPPROTO_IPV6 || each->cmsg_type != IPV6_PKTINFO) continue;
    in6_pktinfo info{};
    std::memcpy(&info, CMSG_DATA(each), sizeof(info));
    std::array<std::uint8_t, 16> ip{};
    std::memcpy(ip.data(), &info.ipi6_addr, ip.size());
    const Address local = Address(ip, 0).with_scope(info.ipi6_ifindex);
    return local.with_port(1).is_peer() ? local : Address();
  }
  return {};
}

void append_source(msghdr& header, Control& control, const Address& from) {
  in6_pktinfo info{};
  std::memcpy(&info.ipi6_addr, from.ip().data(), from.ip().size());
  info.ipi6_ifindex = from.scope();
  header.msg_control = control.bytes.data();
  header.msg_controllen = control.bytes.size();
  cmsghdr* const each = CMSG_FIRSTHDR(&header);
  each->cmsg_level = IPPROTO_IPV6;
  each->cmsg_type = IPV6_PKTINFO;
  each->cmsg_len = CMSG_LEN(sizeof(info));
  std::memcpy(CMSG_DATA(each), &info, sizeof(info));
}

class UdpSocket final : public DatagramSocket {
 public:
  explicit UdpSocket(int descriptor) : descriptor_(descriptor) {}
  ~UdpSocket() override { close(descriptor_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    for (const OutgoingDatagram& datagram : datagrams) {
      sockaddr_in6 to = to_system_v6(datagram.to);
      // The system only reads through this pointer, although its type is not const.
      iovec vector{.iov_base = const_cast<std::byte*>(datagram.bytes.data()),
                   .iov_len = datagram.bytes.size()};
      Control control;
      msghdr header{};
      header.msg_name = &to;
      header.msg_namelen = sizeof(to);
      header.msg_iov = &vector;
      header.msg_iovlen = 1;
      if (!datagram.from.is_unspecified() && !datagram.from.is_ipv4()) {
        append_source(header, control, datagram.from);
      }
      const ssize_t result = sendmsg(descriptor_, &header, MSG_DONTWAIT);
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
    for (int errors = 0; count < datagrams.size() && errors < kErrorsSkippedMax;) {
      IncomingDatagram& into = datagrams[count];
      sockaddr_in6 from{};
      iovec vector{.iov_base = into.memory.data(), .iov_len = into.memory.size()};
      Control control;
      msghdr header{};
      header.msg_name = &from;
      header.msg_namelen = sizeof(from);
      header.msg_iov = &vector;
      header.msg_iovlen = 1;
      header.msg_control = control.bytes.data();
      header.msg_controllen = control.bytes.size();
      const ssize_t result = recvmsg(descriptor_, &header, MSG_DONTWAIT);
      if (result < 0) {
        if (errno != EINTR && errno != ECONNREFUSED) break;
        ++errors;
        continue;
      }
      into.from = from_system_v6(from);
      into.to = local_of(header);
      into.byte_count = static_cast<std::size_t>(result);
      ++count;
    }
    return count;
  }

  void wait(Duration timeout) override {
    pollfd wanted{.fd = descriptor_, .events = POLLIN, .revents = 0};
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
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
    return fail("accept IPv4 and IPv6 at");
  }
  if (options.local.is_unspecified()) {
    static_cast<void>(set(descriptor, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1));
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
