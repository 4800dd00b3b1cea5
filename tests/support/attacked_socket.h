// A server's socket that also receives malicious datagrams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/datagram_socket.h"
#include "registry/base/seed.h"
#include "tests/support/attacker.h"

namespace muster {

/// A server's socket that receives malicious datagrams in addition to the datagrams of another
/// socket. Some malicious datagrams have the addresses of clients.
class AttackedSocket final : public DatagramSocket {
 public:
  AttackedSocket(DatagramSocket& inner, const ClientOptions& options, std::uint64_t seed)
      : inner_(inner), attacker_(options, seed), random_(seed) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) overhear(each.bytes);
    return inner_.send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    std::size_t count = 0;
    for (; hostile_left > 0 && 2 * count < datagrams.size(); ++count, --hostile_left) {
      IncomingDatagram& into = datagrams[count];
      into.waited = {};
      into.to = {};
      into.byte_count = attacker_.write(into.memory, into.from);
      if (!client_addresses.empty() && random_.below(4) == 0) {
        into.from = client_addresses[random_.below(client_addresses.size())];
      }
      ++hostile;
    }
    const std::size_t honest = inner_.receive(datagrams.subspan(count));
    for (const IncomingDatagram& each : datagrams.subspan(count, honest)) {
      overhear(each.memory.first(each.byte_count));
    }
    return count + honest;
  }
  void wait(Duration) override {}
  Address local_address() const override { return inner_.local_address(); }

  std::vector<Address> client_addresses;
  std::uint64_t hostile_left = 0;  ///< The number of malicious datagrams that are not read yet.
  std::uint64_t hostile = 0;       ///< The number of malicious datagrams that were read.

 private:
  void overhear(std::span<const std::byte> bytes) {
    if (random_.below(16) == 0) attacker_.overhear(bytes);
  }

  DatagramSocket& inner_;
  Attacker attacker_;
  Random random_;
};

}  // namespace muster
