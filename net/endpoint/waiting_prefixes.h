// Which of the clients that have not sent a packet yet has to make room for another one.
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

/// The slot of the client to remove: the oldest of the greediest prefix. Addresses are counted
/// together at several lengths, from short to long. The prefix with the most clients is looked
/// into; where several have as many, all of them are. So an attacker that uses many addresses of
/// one network mostly removes its own clients. Requires: not empty. Changes the order and the
/// content of `waiting`; its work grows as that of sorting does.
std::uint32_t slot_to_vacate(std::span<WaitingClient> waiting);

}  // namespace muster
