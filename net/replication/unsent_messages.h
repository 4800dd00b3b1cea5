// Messages that wait for room in their channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "net/transport/connection.h"

namespace muster {

/// Keeps a few messages in their order until the connection takes them; what is too much is dropped
/// by whoever asks for room first.
class UnsentMessages {
 public:
  /// More would let a peer that asks and never listens claim memory.
  static constexpr std::size_t kMax = 64;

  bool has_room() const { return messages_.size() < kMax; }
  bool is_empty() const { return messages_.empty(); }
  void push(std::vector<std::byte> message) { messages_.push_back(std::move(message)); }
  void clear() { messages_.clear(); }
  /// Sends what the channel has room for.
  void send(Connection& connection, std::size_t channel) {
    const auto left = std::ranges::find_if_not(messages_, [&](const auto& message) {
      return connection.send_message(channel, message) == SendStatus::queued;
    });
    messages_.erase(messages_.begin(), left);
  }

 private:
  std::vector<std::vector<std::byte>> messages_;
};

}  // namespace muster
