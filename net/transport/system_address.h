// Converts addresses to and from the system's IPv6 type, for the UDP sockets of this folder.
#pragma once

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netinet/in.h>
#endif

#include <array>
#include <cstring>

#include "net/transport/address.h"

namespace muster {

inline sockaddr_in6 to_system_v6(const Address& address) {
  sockaddr_in6 out{};
  out.sin6_family = AF_INET6;
  out.sin6_port = htons(address.port());
  std::memcpy(&out.sin6_addr, address.ip().data(), address.ip().size());
  out.sin6_scope_id = address.scope();
  return out;
}

inline Address from_system_v6(const sockaddr_in6& in) {
  std::array<std::uint8_t, 16> ip{};
  std::memcpy(ip.data(), &in.sin6_addr, ip.size());
  return Address(ip, ntohs(in.sin6_port)).with_scope(in.sin6_scope_id);
}

}  // namespace muster
