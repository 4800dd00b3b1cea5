// A UDP socket with one system call per datagram, for comparison in benchmarks.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>

#include "net/transport/address.h"

namespace muster {

/// An IPv4 socket on the loopback.
class PlainUdp {
 public:
  PlainUdp() : descriptor_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static_cast<void>(
        ::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
    const int size = 4 * 1024 * 1024;
    static_cast<void>(::setsockopt(descriptor_, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)));
  }
  ~PlainUdp() { ::close(descriptor_); }
  PlainUdp(const PlainUdp&) = delete;
  PlainUdp& operator=(const PlainUdp&) = delete;

  Address local_address() const {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    static_cast<void>(::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size));
    return Address::ipv4({127, 0, 0, 1}, ntohs(address.sin_port));
  }

  void send(const Address& to, std::span<const std::byte> bytes) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(to.port());
    std::memcpy(&address.sin_addr, to.ip().data() + 12, 4);
    static_cast<void>(::sendto(descriptor_, bytes.data(), bytes.size(), 0,
                               reinterpret_cast<const sockaddr*>(&address), sizeof(address)));
  }

  /// Reads the next datagram and returns its size; 0 if none is waiting.
  std::size_t receive(std::span<std::byte> memory, Address& from) {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    const ssize_t count = ::recvfrom(descriptor_, memory.data(), memory.size(), 0,
                                     reinterpret_cast<sockaddr*>(&address), &size);
    if (count <= 0) return 0;
    std::array<std::uint8_t, 4> ip{};
    std::memcpy(ip.data(), &address.sin_addr, ip.size());
    from = Address::ipv4(ip, ntohs(address.sin_port));
    return static_cast<std::size_t>(count);
  }

 private:
  int descriptor_;
};

}  // namespace muster
