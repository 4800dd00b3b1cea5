// What the packets on their way carried, so that each part hears of its packet's fate.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "net/transport/block.h"

namespace muster {

/// A block that a receiver does not take.
struct RefusedBlock {
  std::uint16_t id = 0;
  BlockRefusal reason = BlockRefusal::too_large;
};

/// One thing in a packet that has to know whether it arrived.
struct PacketPart {
  enum class Kind : std::uint8_t { message, chunks, refusal, limit };
  Kind kind = Kind::message;
  std::uint8_t channel = 0;      ///< Of a message or limit; of a refusal its reason.
  std::uint32_t message_id = 0;  ///< Of a limit the first message that is not taken.
  ChunkRange chunks{};           ///< Of a refusal only the block.
};

/// The parts of all packets on their way, one packet after the other in a ring. A packet knows its
/// first part and how many there are. Allocates on construction only.
class PacketParts {
 public:
  PacketParts() : ring_(kCapacity) {}

  /// True when a packet of `count` parts fits, given the first part of the oldest packet whose fate
  /// is open (`next()` when there is none).
  bool has_room(std::uint32_t count, std::uint32_t oldest) const {
    return next_ - oldest + count <= kCapacity;
  }
  /// The number that the next part gets.
  std::uint32_t next() const { return next_; }
  void add(const PacketPart& part) { ring_[next_++ % kCapacity] = part; }
  const PacketPart& at(std::uint32_t number) const { return ring_[number % kCapacity]; }

 private:
  static constexpr std::uint32_t kCapacity = 2048;

  std::vector<PacketPart> ring_;
  std::uint32_t next_ = 0;
};

}  // namespace muster
