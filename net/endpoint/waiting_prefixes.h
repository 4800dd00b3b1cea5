// Chooses the pending client that is removed to make room for a new client.
#pragma once

#include <cstdint>
#include <span>

#include "net/transport/address.h"
#include "registry/base/clock.h"

namespace muster {

/// A client that was accepted and has not sent a packet yet.
struct WaitingClient {
  Address from;
  Time since{};
  std::uint32_t slot = 0;
};

/// Returns the slot of the client to remove. Addresses are grouped by prefixes of several lengths,
/// from short to long. At each length, only the clients of the largest groups remain. The result is
/// the oldest of the remaining clients. So an attacker with many addresses in one network mostly
/// removes its own clients. Reorders and changes `waiting`. Takes O(n log n) time. Requires:
/// `waiting` is not empty.
std::uint32_t slot_to_vacate(std::span<WaitingClient> waiting);

}  // namespace muster
