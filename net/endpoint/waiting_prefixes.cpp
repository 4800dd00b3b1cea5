// In a sorted list, addresses with a common prefix are adjacent. So each prefix length needs one
// pass over the remaining clients.
#include "net/endpoint/waiting_prefixes.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace muster {

namespace {

/// The prefix lengths in bits of the IPv6 form, in which an IPv4 /8 is a /104. An Internet provider
/// has an IPv6 /32 or a shorter prefix. Each subscriber has a /48, /56 or /60, and a single network
/// has a /64.
constexpr unsigned kPrefixBitsIpv4 = 96 + 8;
constexpr std::array<unsigned, 9> kPrefixBits = {32,      48,      56, 60, 64, kPrefixBitsIpv4,
                                                 96 + 16, 96 + 24, 128};

/// Returns the prefix of an address. For IPv4, the prefix has at least 104 bits, because the first
/// 96 bits of all IPv4 addresses are equal.
Address network_of(const Address& from, unsigned bits) {
  return prefix_of(from, from.is_ipv4() ? std::max(bits, kPrefixBitsIpv4) : bits);
}

/// Returns the number of clients at the front that share a prefix.
std::size_t run_length(std::span<const WaitingClient> waiting, unsigned bits) {
  const Address prefix = network_of(waiting.front().from, bits);
  const auto end = std::ranges::find_if(
      waiting, [&](const WaitingClient& each) { return network_of(each.from, bits) != prefix; });
  return static_cast<std::size_t>(end - waiting.begin());
}

/// Moves the clients of the largest prefixes to the front, in order.
std::span<WaitingClient> keep_largest(std::span<WaitingClient> waiting, unsigned bits) {
  std::size_t maximum = 0;
  for (std::size_t i = 0, run = 0; i < waiting.size(); i += run) {
    run = run_length(waiting.subspan(i), bits);
    maximum = std::max(maximum, run);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0, run = 0; i < waiting.size(); i += run) {
    run = run_length(waiting.subspan(i), bits);
    if (run < maximum) continue;
    std::copy_n(waiting.begin() + static_cast<std::ptrdiff_t>(i), run,
                waiting.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += run;
  }
  return waiting.first(kept);
}

}  // namespace

std::uint32_t slot_to_vacate(std::span<WaitingClient> waiting) {
  assert(!waiting.empty());
  std::ranges::sort(waiting, [](const WaitingClient& a, const WaitingClient& b) {
    return a.from.ip() < b.from.ip();
  });
  for (const unsigned bits : kPrefixBits) waiting = keep_largest(waiting, bits);
  const auto oldest =
      std::ranges::min_element(waiting, [](const WaitingClient& a, const WaitingClient& b) {
        return a.since != b.since ? a.since < b.since : a.slot < b.slot;
      });
  return oldest->slot;
}

}  // namespace muster
