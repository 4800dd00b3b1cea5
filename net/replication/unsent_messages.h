// Messages that wait for room in their channel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "net/transport/connection.h"

namespace muster {

/// Keeps a few messages in order until the connection accepts them. The caller must check
/// `has_room` first, and must drop a message if there is no room.
class UnsentMessages {
 public:
  /// The maximum number of messages. Without a limit, a peer that sends requests but never reads
  /// could exhaust the memory.
  static constexpr std::size_t kMax = 64;

  bool has_room() const { return messages_.size() < kMax; }
  bool is_empty() const { return messages_.empty(); }
  void push(std::vector<std::byte> message) { messages_.push_back(std::move(message)); }
  void clear() { messages_.clear(); }
  /// Sends as many messages as the channel has room for.
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
