// Stores the contents of each packet in flight until the packet is delivered or lost.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "net/transport/block.h"

namespace muster {

/// A block that the receiver refuses.
struct RefusedBlock {
  std::uint16_t id = 0;
  BlockRefusal reason = BlockRefusal::too_large;
};

/// A part of a packet whose sender must know whether the packet was delivered.
struct PacketPart {
  enum class Kind : std::uint8_t { message, chunks, refusal, limit };
  Kind kind = Kind::message;
  std::uint8_t channel = 0;  ///< The channel of a message or limit, or the reason of a refusal.
  /// The id of a message, or the first id that a limit does not accept.
  std::uint32_t message_id = 0;
  ChunkRange chunks{};  ///< The chunks of a fragment. A refusal uses only `block`.
};

/// The parts of all packets in flight, in a ring buffer. Each packet stores the index of its first
/// part and the number of its parts. Allocates on construction only.
class PacketParts {
 public:
  PacketParts() : ring_(kCapacity) {}

  /// True when a packet of `count` parts fits. `oldest` is the first part of the oldest packet in
  /// flight; `next()` if no packet is in flight.
  bool has_room(std::uint32_t count, std::uint32_t oldest) const {
    return next_ - oldest + count <= kCapacity;
  }
  /// The index of the next part.
  std::uint32_t next() const { return next_; }
  void add(const PacketPart& part) { ring_[next_++ % kCapacity] = part; }
  const PacketPart& at(std::uint32_t number) const { return ring_[number % kCapacity]; }

 private:
  static constexpr std::uint32_t kCapacity = 2048;

  std::vector<PacketPart> ring_;
  std::uint32_t next_ = 0;
};

}  // namespace muster
