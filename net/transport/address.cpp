#include "net/transport/address.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <span>

namespace muster {

namespace {

constexpr std::array<std::uint8_t, 12> kIpv4Prefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

/// Parses a number without sign, spaces or leading zeros. Returns nothing if the number is above
/// `maximum`.
std::optional<std::uint32_t> number_of(std::string_view text, int base, std::uint32_t maximum) {
  if (text.empty() || (base == 10 && text.size() > 1 && text.front() == '0')) return std::nullopt;
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || value > maximum)
    return std::nullopt;
  return value;
}

std::optional<std::array<std::uint8_t, 4>> ipv4_of(std::string_view text) {
  std::array<std::uint8_t, 4> ip{};
  for (std::size_t i = 0; i < 4; ++i) {
    const std::size_t dot = i < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const std::optional<std::uint32_t> part = number_of(text.substr(0, dot), 10, 255);
    if (!part.has_value()) return std::nullopt;
    ip[i] = static_cast<std::uint8_t>(*part);
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return ip;
}

/// Parses the groups on one side of `::` and appends them to `words`. Returns false if the text is
/// not valid or has too many groups.
bool read_groups(std::string_view text, std::array<std::uint16_t, 8>& words, std::size_t& count) {
  count = 0;
  while (!text.empty()) {
    if (count == 8) return false;
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view group = text.substr(0, colon);
    if (group.size() > 4) return false;
    const std::optional<std::uint32_t> value = number_of(group, 16, 0xFFFF);
    if (!value.has_value()) return false;
    words[count++] = static_cast<std::uint16_t>(*value);
    if (colon + 1 == text.size()) return false;
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return true;
}

std::optional<std::array<std::uint8_t, 16>> ipv6_of(std::string_view text) {
  const std::size_t gap = text.find("::");
  std::array<std::uint16_t, 8> front{};
  std::array<std::uint16_t, 8> back{};
  std::size_t front_count = 0;
  std::size_t back_count = 0;
  const std::string_view before = text.substr(0, gap);
  if (!read_groups(before, front, front_count)) return std::nullopt;
  if (gap != std::string_view::npos) {
    if (!read_groups(text.substr(gap + 2), back, back_count)) return std::nullopt;
    if (front_count + back_count > 7) return std::nullopt;
  } else if (front_count != 8) {
    return std::nullopt;
  }
  std::copy_n(back.begin(), back_count, front.end() - static_cast<std::ptrdiff_t>(back_count));
  std::array<std::uint8_t, 16> ip{};
  for (std::size_t i = 0; i < 8; ++i) {
    ip[2 * i] = static_cast<std::uint8_t>(front[i] >> 8U);
    ip[2 * i + 1] = static_cast<std::uint8_t>(front[i] & 0xFFU);
  }
  return ip;
}

/// Parses the text between the brackets: an address, and a scope if it is link-local.
std::optional<Address> parse_ipv6(std::string_view host, std::uint16_t port) {
  const std::size_t percent = host.find('%');
  const auto ip = ipv6_of(host.substr(0, percent));
  if (!ip.has_value()) return std::nullopt;
  const Address address(*ip, port);
  if (percent == std::string_view::npos) return address;
  const auto scope = number_of(host.substr(percent + 1), 10, 0xFFFFFFFF);
  const bool is_sound = scope.has_value() && *scope != 0 && address.is_link_local();
  return is_sound ? std::optional(address.with_scope(*scope)) : std::nullopt;
}

void append_number(std::string& text, std::uint32_t number, int base) {
  std::array<char, 10> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
  text.append(digits.data(), error == std::errc() ? end : digits.data());
}

}  // namespace

bool Address::is_ipv4() const {
  return std::ranges::equal(std::span(ip_).first<12>(), kIpv4Prefix);
}

bool Address::is_peer() const {
  if (port_ == 0 || is_unspecified()) return false;
  constexpr std::array<std::uint8_t, 4> kBroadcast = {255, 255, 255, 255};
  if (is_ipv4()) {
    const bool is_multicast = (ip_[12] & 0xF0U) == 0xE0;
    return !is_multicast && !std::ranges::equal(std::span(ip_).last<4>(), kBroadcast);
  }
  return ip_[0] != 0xFF;
}

std::optional<Address> Address::parse(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint32_t> port = number_of(text.substr(colon + 1), 10, 65535);
  if (!port.has_value()) return std::nullopt;
  const auto port_number = static_cast<std::uint16_t>(*port);
  std::string_view host = text.substr(0, colon);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') {
    return parse_ipv6(host.substr(1, host.size() - 2), port_number);
  }
  const auto ip = ipv4_of(host);
  return ip.has_value() ? std::optional(ipv4(*ip, port_number)) : std::nullopt;
}

std::string Address::text() const {
  std::string text;
  if (is_ipv4()) {
    for (std::size_t i = 12; i < 16; ++i) {
      if (i > 12) text.push_back('.');
      append_number(text, ip_[i], 10);
    }
  } else {
    text.push_back('[');
    for (std::size_t i = 0; i < 16; i += 2) {
      if (i > 0) text.push_back(':');
      append_number(text, static_cast<std::uint32_t>(ip_[i] << 8U | ip_[i + 1]), 16);
    }
    if (scope_ != 0) {
      text.push_back('%');
      append_number(text, scope_, 10);
    }
    text.push_back(']');
  }
  text.push_back(':');
  append_number(text, port_, 10);
  return text;
}

Address subscriber_of(const Address& address) {
  std::array<std::uint8_t, 16> ip = address.ip();
  if (!address.is_ipv4()) std::fill(ip.begin() + 8, ip.end(), std::uint8_t{0});
  return {ip, 0};
}

Address prefix_of(const Address& address, unsigned bits) {
  assert(bits <= 128);
  std::array<std::uint8_t, 16> ip = address.ip();
  for (unsigned i = 0; i < ip.size(); ++i) {
    const unsigned kept = std::clamp(bits, 8 * i, 8 * i + 8) - 8 * i;
    ip[i] = static_cast<std::uint8_t>(ip[i] & (0xFF00U >> kept));
  }
  return {ip, 0};
}

std::size_t hash_of(const Address& address) {
  // FNV-1a over all bytes.
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&hash](std::uint8_t byte) { hash = (hash ^ byte) * 0x100000001B3U; };
  for (const std::uint8_t byte : address.ip()) add(byte);
  add(static_cast<std::uint8_t>(address.port() & 0xFFU));
  add(static_cast<std::uint8_t>(address.port() >> 8U));
  for (unsigned i = 0; i < 4; ++i) add(static_cast<std::uint8_t>(address.scope() >> (8 * i)));
  return hash;
}

}  // namespace muster
