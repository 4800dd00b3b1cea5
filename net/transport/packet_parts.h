// The contents of the packets in flight: when a packet is delivered or lost, each of its parts is
// notified.
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

/// A part of a packet that needs a delivery report.
struct PacketPart {
  enum class Kind : std::uint8_t { message, chunks, refusal, limit };
  Kind kind = Kind::message;
  std::uint8_t channel = 0;  ///< For a message or limit: its channel. For a refusal: the reason.
  std::uint32_t message_id = 0;  ///< For a limit: the first message that is not accepted.
  ChunkRange chunks{};           ///< For a refusal, only `block` is used.
};

/// The parts of all packets in flight, one packet after another in a ring. Each packet stores the
/// index of its first part and their number. Allocates on construction only.
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
