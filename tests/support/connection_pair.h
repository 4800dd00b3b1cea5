// Two ends of a connection over a simulated network, without handshake and encryption.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "net/transport/connection.h"
#include "net/transport/simulated_network.h"
#include "net/wire/sequence.h"

namespace muster {

/// A connection and its socket. A datagram is a sequence number of two bytes and a packet body.
class ConnectionEnd {
 public:
  ConnectionEnd(const ConnectionOptions& options, std::unique_ptr<DatagramSocket> socket,
                const Address& peer, Time now)
      : connection(options, now), socket_(std::move(socket)), peer_(peer) {}

  void receive(Time now) {
    std::array<std::byte, kDatagramBytesMax + 1> memory;
    IncomingDatagram datagram{.from = {}, .memory = memory};
    while (socket_->receive(std::span(&datagram, 1)) == 1) {
      if (datagram.byte_count < 2) continue;
      const std::span<const std::byte> bytes = datagram.memory.first(datagram.byte_count);
      const auto low = static_cast<std::uint16_t>(std::to_integer<unsigned>(bytes[0]) |
                                                  std::to_integer<unsigned>(bytes[1]) << 8U);
      const auto sequence = widen(Sequence(low), connection.highest_received());
      if (!sequence.has_value() || *sequence == 0) continue;
      if (connection.classify(*sequence) != Reception::fresh) continue;
      verdicts[connection.read_packet(now - datagram.waited, *sequence, bytes.size(),
                                      bytes.subspan(2))]++;
    }
  }

  void send(Time now) {
    connection.tick(now);
    std::array<std::byte, kDatagramBytesMax + 2> memory;
    for (int i = 0; i < 1000 && connection.wants_to_send(now); ++i) {
      const std::uint32_t sequence = connection.next_sequence();
      const auto body = connection.write_packet(now, std::span(memory).subspan(2));
      memory[0] = static_cast<std::byte>(sequence & 0xFFU);
      memory[1] = static_cast<std::byte>(sequence >> 8U & 0xFFU);
      const OutgoingDatagram out{.to = peer_, .bytes = std::span(memory).first(body.size() + 2)};
      static_cast<void>(socket_->send(std::span(&out, 1)));
    }
  }

  DatagramSocket& socket() { return *socket_; }

  Connection connection;
  std::map<PacketVerdict, int> verdicts;

 private:
  std::unique_ptr<DatagramSocket> socket_;
  Address peer_;
};

/// Two ends, `a` and `b`, with a link in each direction.
class ConnectionPair {
 public:
  ConnectionPair(std::uint64_t seed, const ConnectionOptions& options, const LinkOptions& there,
                 const LinkOptions& back)
      : network(seed), there_link(network.add_link(there)), back_link(network.add_link(back)) {
    now = Time(std::chrono::seconds(1));
    network.advance(now);
    ConnectionOptions plain = options;
    plain.overhead_bytes = 2;
    plain.leads_maps = true;
    const Address at_a = Address::ipv4({10, 0, 0, 1}, 1000);
    const Address at_b = Address::ipv4({10, 0, 0, 2}, 2000);
    a.emplace(plain, network.open(at_a, {there_link}, {back_link}), at_b, now);
    plain.leads_maps = false;
    b.emplace(plain, network.open(at_b), at_a, now);
  }

  /// Runs one tick of both ends.
  void step(Duration tick) {
    now += tick;
    network.advance(now);
    a->receive(now);
    b->receive(now);
    a->send(now);
    b->send(now);
  }

  void run(Duration duration, Duration tick) {
    for (const Time end = now + duration; now < end;) step(tick);
  }

  SimulatedNetwork network;
  LinkId there_link;
  LinkId back_link;
  Time now;
  std::optional<ConnectionEnd> a;
  std::optional<ConnectionEnd> b;
};

}  // namespace muster
