// The UDP socket of Windows: one system call for each datagram. Winsock has batches only with
// registered I/O.
#include <winsock2.h>
#include <ws2tcpip.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "net/transport/system_address.h"
#include "net/transport/udp_socket.h"

namespace muster {

namespace {

// Old SDKs do not define these three constants.
constexpr int kIpMtuDiscover = 71;
constexpr int kIpPmtudiscProbe = 3;
constexpr DWORD kSioUdpConnReset = 0x9800000C;
/// The maximum number of errors of earlier datagrams that one call skips. An attacker can cause
/// many such errors with ICMP.
constexpr int kErrorsSkippedMax = 8;

/// Keeps Winsock loaded while a socket exists.
class WinsockUse {
 public:
  WinsockUse() {
    WSADATA data;
    is_loaded_ = WSAStartup(MAKEWORD(2, 2), &data) == 0;
  }
  ~WinsockUse() {
    if (is_loaded_) WSACleanup();
  }
  WinsockUse(const WinsockUse&) = delete;
  WinsockUse& operator=(const WinsockUse&) = delete;

 private:
  bool is_loaded_ = false;
};

class UdpSocket final : public DatagramSocket {
 public:
  UdpSocket(std::unique_ptr<WinsockUse> winsock, SOCKET handle)
      : winsock_(std::move(winsock)), handle_(handle) {}
  ~UdpSocket() override { closesocket(handle_); }
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    for (const OutgoingDatagram& datagram : datagrams) {
      const sockaddr_in6 to = to_system_v6(datagram.to);
      const int result = sendto(handle_, reinterpret_cast<const char*>(datagram.bytes.data()),
                                static_cast<int>(datagram.bytes.size()), 0,
                                reinterpret_cast<const sockaddr*>(&to), sizeof(to));
      if (result != SOCKET_ERROR) {
        ++outcome.sent;
      } else {
        ++(WSAGetLastError() == WSAEMSGSIZE ? outcome.too_large : outcome.failed);
      }
    }
    return outcome;
  }

  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    std::size_t count = 0;
    for (int errors = 0; count < datagrams.size() && errors < kErrorsSkippedMax;) {
      IncomingDatagram& into = datagrams[count];
      sockaddr_in6 from{};
      int from_size = sizeof(from);
      const int result = recvfrom(handle_, reinterpret_cast<char*>(into.memory.data()),
                                  static_cast<int>(into.memory.size()), 0,
                                  reinterpret_cast<sockaddr*>(&from), &from_size);
      const int error = result == SOCKET_ERROR ? WSAGetLastError() : 0;
      if (error == WSAEWOULDBLOCK) break;
      if (error != 0 && error != WSAEMSGSIZE) {
        // ICMP reported the failure of a sent datagram. Received datagrams follow this error.
        if (error != WSAECONNRESET && error != WSAENETRESET) break;
        ++errors;
        continue;
      }
      into.from = from_system_v6(from);
      into.byte_count =
          error == WSAEMSGSIZE ? into.memory.size() : static_cast<std::size_t>(result);
      ++count;
    }
    return count;
  }

  void wait(Duration timeout) override {
    WSAPOLLFD wanted{.fd = handle_, .events = POLLRDNORM, .revents = 0};
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count();
    static_cast<void>(WSAPoll(&wanted, 1, static_cast<INT>(std::max<long long>(milliseconds, 1))));
  }

  Address local_address() const override {
    sockaddr_in6 address{};
    int size = sizeof(address);
    if (getsockname(handle_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
    return from_system_v6(address);
  }

 private:
  std::unique_ptr<WinsockUse> winsock_;
  SOCKET handle_;
};

bool set(SOCKET handle, int level, int name, DWORD value) {
  return setsockopt(handle, level, name, reinterpret_cast<const char*>(&value), sizeof(value)) == 0;
}

}  // namespace

OpenedUdp open_udp(const UdpOptions& options) {
  auto winsock = std::make_unique<WinsockUse>();
  // A dual-stack socket: its IPv4 addresses are mapped into IPv6.
  const SOCKET handle = ::socket(AF_INET6, SOCK_DGRAM, IPPROTO_UDP);
  const auto fail = [&](const char* what) {
    OpenedUdp failed;
    failed.error = std::string("cannot ") + what + " " + options.local.text() + ": Winsock error " +
                   std::to_string(WSAGetLastError());
    if (handle != INVALID_SOCKET) closesocket(handle);
    return failed;
  };
  if (handle == INVALID_SOCKET) return fail("open a UDP socket for");
  u_long is_nonblocking = 1;
  if (ioctlsocket(handle, FIONBIO, &is_nonblocking) != 0) return fail("prepare");
  if (!set(handle, IPPROTO_IPV6, IPV6_V6ONLY, 0)) return fail("accept IPv4 and IPv6 at");
  BOOL reports_resets = FALSE;
  DWORD ignored = 0;
  static_cast<void>(WSAIoctl(handle, kSioUdpConnReset, &reports_resets, sizeof(reports_resets),
                             nullptr, 0, &ignored, nullptr, nullptr));
  const auto buffer = static_cast<DWORD>(std::min<std::size_t>(options.buffer_bytes, 1U << 30U));
  static_cast<void>(set(handle, SOL_SOCKET, SO_RCVBUF, buffer));
  static_cast<void>(set(handle, SOL_SOCKET, SO_SNDBUF, buffer));
  // Datagrams are never fragmented. Older systems do not support this for mapped addresses.
  static_cast<void>(set(handle, IPPROTO_IP, kIpMtuDiscover, kIpPmtudiscProbe));
  static_cast<void>(set(handle, IPPROTO_IPV6, kIpMtuDiscover, kIpPmtudiscProbe));
  const sockaddr_in6 address = to_system_v6(options.local);
  if (bind(handle, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return fail("use");
  }
  OpenedUdp opened;
  opened.socket = std::make_unique<UdpSocket>(std::move(winsock), handle);
  return opened;
}

}  // namespace muster
