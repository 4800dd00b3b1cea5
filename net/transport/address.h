// The source or target of a datagram: an IPv4 or IPv6 address and a port.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

/// An address and a port, as a value. An IPv4 address is stored as IPv6 with the prefix
/// `::ffff:0:0/96`. So each address has exactly one value, and a dual-stack socket can send to
/// every address. A link-local IPv6 address (`fe80::/10`) also has a scope: the index of its
/// network interface. Two link-local addresses that differ only in scope belong to two machines.
class Address {
 public:
  /// No address: `::`, port 0.
  constexpr Address() = default;
  constexpr Address(const std::array<std::uint8_t, 16>& ip, std::uint16_t port)
      : ip_(ip), port_(port) {}
  static constexpr Address ipv4(const std::array<std::uint8_t, 4>& ip, std::uint16_t port) {
    return Address({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, ip[0], ip[1], ip[2], ip[3]}, port);
  }

  /// Parses `127.0.0.1:7913`, `[::1]:7913` or, for a link-local address on interface 2,
  /// `[fe80::1%2]:7913`. Returns nothing for any other text. Host names and interface names
  /// (`%eth0`) are not resolved. Only link-local addresses may have a scope.
  static std::optional<Address> parse(std::string_view text);
  std::string text() const;

  bool is_ipv4() const;
  /// True for `::` and `0.0.0.0`.
  bool is_unspecified() const { return ip_ == Address().ip_ || ip_ == ipv4({}, 0).ip_; }
  /// True for `fe80::/10`.
  bool is_link_local() const { return ip_[0] == 0xFE && (ip_[1] & 0xC0U) == 0x80; }
  /// True when one machine can send a datagram from this address and receive the answer. False for
  /// port 0 and for unspecified, multicast and broadcast (`255.255.255.255`) addresses. An attacker
  /// can send a datagram with such a source address. The broadcast address of a subnet is not
  /// recognised.
  bool is_peer() const;
  const std::array<std::uint8_t, 16>& ip() const { return ip_; }
  std::uint16_t port() const { return port_; }
  /// The interface index of a link-local address; 0 for every other address, or if unknown.
  std::uint32_t scope() const { return scope_; }
  Address with_port(std::uint16_t port) const {
    Address changed = *this;
    changed.port_ = port;
    return changed;
  }
  /// Returns the same address with the scope `scope`. If the address is not link-local, the scope
  /// is 0.
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

/// Returns the part of an address that identifies one subscriber of an Internet provider, without a
/// port. For IPv4, this part is the whole address. For IPv6, it is the /64, because one subscriber
/// can use any address in a /64. Every limit per address counts all addresses of one subscriber as
/// one address.
Address subscriber_of(const Address& address);

/// Returns the first `bits` bits of an address, with the other bits zero and without port and
/// scope. The bits of an IPv4 address are counted from the start of its IPv6 form: `bits` is 96 + 8
/// for an IPv4 /8. Requires: `bits <= 128`.
Address prefix_of(const Address& address, unsigned bits);

/// Returns a hash for hash tables. The hash of an address is equal on every machine, so an attacker
/// can choose addresses with equal hashes.
std::size_t hash_of(const Address& address);

}  // namespace muster
