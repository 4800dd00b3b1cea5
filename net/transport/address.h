// Where a datagram comes from or goes to: an IPv4 or IPv6 address and a port.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// An address and a port as a value. IPv4 is kept as IPv6 with the prefix `::ffff:0:0/96`, so that
/// each address has one spelling and a socket that takes both can send to it.
class Address {
 public:
  /// No address: `::`, port 0.
  constexpr Address() = default;
  constexpr Address(const std::array<std::uint8_t, 16>& ip, std::uint16_t port)
      : ip_(ip), port_(port) {}
  static constexpr Address ipv4(const std::array<std::uint8_t, 4>& ip, std::uint16_t port) {
    return Address({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, ip[0], ip[1], ip[2], ip[3]}, port);
  }

  /// Reads `127.0.0.1:7913` or `[::1]:7913`. Nothing for any other spelling: a name is not looked
  /// up, a zone (`%eth0`) not taken.
  static std::optional<Address> parse(std::string_view text);
  std::string text() const;

  bool is_ipv4() const;
  const std::array<std::uint8_t, 16>& ip() const { return ip_; }
  std::uint16_t port() const { return port_; }
  Address with_port(std::uint16_t port) const { return Address(ip_, port); }

  friend constexpr auto operator<=>(const Address&, const Address&) = default;

 private:
  std::array<std::uint8_t, 16> ip_{};
  std::uint16_t port_ = 0;
};

/// What one subscriber gets, without a port: an IPv4 address, or a /64 of IPv6, in which everybody
/// has as many addresses as he likes. Whoever counts by address counts by this.
Address subscriber_of(const Address& address);

/// A hash for tables; the same on every machine, so not to be trusted against chosen addresses.
std::size_t hash_of(const Address& address);

}  // namespace muster
