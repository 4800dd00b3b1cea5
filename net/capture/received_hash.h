// A hash of all data that a connection passed to its game.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/transport/channel.h"
#include "net/transport/connection.h"

namespace muster {

/// Hashes the data that a game reads from a connection. Each channel, the payloads and the blocks
/// have separate hashes, so the order in which the game reads different kinds has no effect. The
/// hash is FNV-1a, which is enough to compare two runs but does not protect against an attacker.
class ReceivedHash {
 public:
  void add_message(std::size_t channel, std::span<const std::byte> message) {
    add(streams_[channel], message);
    ++messages_;
  }
  void add_payload(const ReceivedPayload& payload) {
    add_number(streams_[kPayloadStream], payload.sequence);
    add(streams_[kPayloadStream], payload.bytes);
    ++payloads_;
  }
  void add_block(std::span<const std::byte> block) {
    add(streams_[kBlockStream], block);
    ++blocks_;
  }
  /// Reads all unread data of a connection with this many channels.
  void drain(Connection& connection, std::size_t channel_count) {
    for (std::size_t channel = 0; channel < channel_count; ++channel) {
      for (; !connection.message(channel).empty(); connection.pop_message(channel)) {
        add_message(channel, connection.message(channel));
      }
    }
    for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
      add_payload(connection.payload());
    }
    for (; !connection.block().empty(); connection.pop_block()) add_block(connection.block());
  }

  std::uint64_t value() const {
    std::uint64_t all = kFnvStart;
    for (const std::uint64_t stream : streams_) add_number(all, stream);
    return all;
  }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t payloads() const { return payloads_; }
  std::uint64_t blocks() const { return blocks_; }

 private:
  static constexpr std::uint64_t kFnvStart = 0xCBF29CE484222325U;
  static constexpr std::uint64_t kFnvPrime = 0x100000001B3U;
  static constexpr std::size_t kPayloadStream = kChannelsMax;
  static constexpr std::size_t kBlockStream = kChannelsMax + 1;

  static void add_number(std::uint64_t& hash, std::uint64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ (number >> shift & 0xFFU)) * kFnvPrime;
    }
  }
  static void add(std::uint64_t& hash, std::span<const std::byte> bytes) {
    add_number(hash, bytes.size());
    for (const std::byte byte : bytes) {
      hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * kFnvPrime;
    }
  }

  std::array<std::uint64_t, kChannelsMax + 2> streams_{};
  std::uint64_t messages_ = 0;
  std::uint64_t payloads_ = 0;
  std::uint64_t blocks_ = 0;
};

}  // namespace muster
