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
/// each address has one spelling and a socket that takes both can send to it. A link-local IPv6
/// address (`fe80::/10`) also has a scope: the number of the interface whose link it belongs to.
/// Two link-local addresses that differ only in scope are two machines.
class Address {
 public:
  /// No address: `::`, port 0.
  constexpr Address() = default;
  constexpr Address(const std::array<std::uint8_t, 16>& ip, std::uint16_t port)
      : ip_(ip), port_(port) {}
  static constexpr Address ipv4(const std::array<std::uint8_t, 4>& ip, std::uint16_t port) {
    return Address({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, ip[0], ip[1], ip[2], ip[3]}, port);
  }

  /// Reads `127.0.0.1:7913`, `[::1]:7913` or, for a link-local address on interface 2,
  /// `[fe80::1%2]:7913`. Nothing for any other spelling: names of machines and of interfaces
  /// (`%eth0`) are not resolved, and only link-local addresses have a scope.
  static std::optional<Address> parse(std::string_view text);
  std::string text() const;

  bool is_ipv4() const;
  /// True for `::` and `0.0.0.0`.
  bool is_unspecified() const { return ip_ == Address().ip_ || ip_ == ipv4({}, 0).ip_; }
  /// True for `fe80::/10`.
  bool is_link_local() const { return ip_[0] == 0xFE && (ip_[1] & 0xC0U) == 0x80; }
  /// True when one machine can send a datagram from there and get the answer. False for port 0 and
  /// for unspecified, multicast and broadcast (`255.255.255.255`) addresses: an attacker can write
  /// each of them into a datagram. The broadcast address of a subnet is not recognised.
  bool is_peer() const;
  const std::array<std::uint8_t, 16>& ip() const { return ip_; }
  std::uint16_t port() const { return port_; }
  /// The interface of a link-local address; 0 for every other address, and where it is unknown.
  std::uint32_t scope() const { return scope_; }
  Address with_port(std::uint16_t port) const {
    Address changed = *this;
    changed.port_ = port;
    return changed;
  }
  /// The same address on the link of an interface. Only link-local addresses keep the scope.
  Address with_scope(std::uint32_t scope) const {
    Address changed = *this;
    changed.scope_ = is_link_local() ? scope : 0;
    return changed;
  }

  friend constexpr auto operator<=>(const Address&, const Address&) = default;

 private:
  std::array<std::uint8_t, 16> ip_{};
  std::uint16_t port_ = 0;
  std::uint32_t scope_ = 0;
};

/// The part of an address that one subscriber of an Internet provider holds, without a port: a
/// whole IPv4 address, or a /64 of IPv6, in which a subscriber can use any number of addresses.
/// Every limit per address counts by this.
Address subscriber_of(const Address& address);

/// The first bits of an address, the others zero, without port and scope. An IPv4 address counts
/// its bits from the start of its IPv6 form: 96 + 8 is an IPv4 /8. Requires: at most 128.
Address prefix_of(const Address& address, unsigned bits);

/// A hash for tables; the same on every machine, so not to be trusted against chosen addresses.
std::size_t hash_of(const Address& address);

}  // namespace muster
