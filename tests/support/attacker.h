// Makes malicious datagrams for a server: noise, forged packets, replayed and damaged handshakes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/endpoint/client.h"
#include "net/secure/handshake.h"
#include "registry/base/seed.h"
#include "tests/support/net_bytes.h"

namespace muster {

/// Makes malicious datagrams from noise, a valid request, and recently recorded datagrams.
class Attacker {
 public:
  explicit Attacker(const ClientOptions& options, std::uint64_t seed = 1)
      : random_(seed), handshake_(options.handshake, entropy_) {
    handshake_.write_request(request_);
  }

  /// Records a sent datagram for later replay.
  void overhear(std::span<const std::byte> datagram) {
    NetBytes& kept = received_[random_.below(received_.size())];
    kept.assign(datagram.begin(), datagram.end());
  }

  /// Writes one datagram of a random kind and its source address. Returns its size.
  std::size_t write(std::span<std::byte> memory, Address& from) {
    const auto byte = [this] { return static_cast<std::uint8_t>(random_.below(256)); };
    from = Address::ipv4({11, byte(), byte(), byte()}, 4000);
    switch (random_.below(6)) {
      case 0:  // Noise.
        return noise(memory.first(1 + random_.below(kDatagramBytesMax)));
      case 1: {  // A packet of a connection with an invalid seal.
        const std::size_t size = noise(memory.first(40 + random_.below(1400)));
        memory[0] = std::byte{0x80};
        return size;
      }
      case 2:  // A valid request.
        std::ranges::copy(request_, memory.begin());
        return kRequestBytes;
      case 3:  // A request with one bit changed.
        std::ranges::copy(request_, memory.begin());
        memory[random_.below(kRequestBytes)] ^= std::byte{1};
        return kRequestBytes;
      case 4:  // A response with a forged cookie.
        std::ranges::copy(request_, memory.begin());
        memory[0] = std::byte{0x03};
        noise(memory.subspan(48, 24));
        memory[74] = std::byte{40};
        noise(memory.subspan(76, 40));
        return kRequestBytes;
      default: {  // A recorded datagram from another address, unchanged or with one bit changed.
        const NetBytes& received = received_[random_.below(received_.size())];
        if (received.empty()) return noise(memory.first(100));
        std::ranges::copy(received, memory.begin());
        if (random_.below(2) == 0) memory[random_.below(received.size())] ^= std::byte{4};
        return received.size();
      }
    }
  }

 private:
  std::size_t noise(std::span<std::byte> memory) {
    for (std::size_t i = 0; i < memory.size(); i += 1 + i / 8) {
      memory[i] = static_cast<std::byte>(random_.below(256));
    }
    return memory.size();
  }

  Random random_;
  SeededEntropy entropy_{99};
  ClientHandshake handshake_;
  std::array<std::byte, kRequestBytes> request_{};
  std::array<NetBytes, 64> received_;
};

}  // namespace muster
