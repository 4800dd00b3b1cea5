// The receiving side of one channel: keeps messages until the game reads them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/channel.h"

namespace muster {

/// The classification of a received message.
enum class [[nodiscard]] Arrival : std::uint8_t{
    fresh,      ///< The message can be stored.
    duplicate,  ///< The message was stored before.
    /// Too many messages are unread. If the message is reliable, its packet must be rejected.
    no_room,
};

/// The received messages of one channel. Check each message of a packet with `classify`, and store
/// the messages only if the whole packet can be received. Memory is kept for reuse, for at most
/// `kMessageWindow` messages of `kMessageBytesMax` bytes each.
class MessageReceiver {
 public:
  explicit MessageReceiver(Delivery delivery);

  /// Returns the id whose low 16 bits are `low`; 0 if this id is outside the window.
  std::uint32_t widen_id(std::uint16_t low) const;
  /// Classifies a message and changes nothing. `id` is ignored for an unreliable channel.
  Arrival classify(std::uint32_t id) const;
  /// Requires: `classify` returned `fresh`.
  void store(std::uint32_t id, std::span<const std::byte> message);

  /// The next message for the game; empty if none waits. Valid until `pop`.
  std::span<const std::byte> front() const;
  /// Removes the front message. Requires: `front` was not empty.
  void pop();

  /// The limit of a reliable channel: the first id that does not fit before the game reads more.
  std::uint32_t limit() const { return floor_ + kMessageWindow; }

  /// The number of unread messages. The number includes messages that wait until an earlier message
  /// arrives.
  std::size_t unread() const;
  /// Removes all messages. The ids start again at 1.
  void clear();

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    bool is_full = false;  ///< True if the slot holds an unread message.
    /// True if the slot's message has arrived and its id is at least `base_`.
    bool has_arrived = false;
  };

  Slot& slot_of(std::uint32_t id) { return slots_[id % kMessageWindow]; }
  const Slot& slot_of(std::uint32_t id) const { return slots_[id % kMessageWindow]; }
  void advance_base();
  void advance_floor();

  Delivery delivery_;
  std::vector<Slot> slots_;
  /// For reliable channels, the lowest id that has not arrived (unordered) or was not read
  /// (ordered).
  std::uint32_t base_ = 1;
  std::uint32_t floor_ = 1;  ///< For reliable channels, the lowest unread id; at most `base_`.
  /// The ids of stored messages in reading order, for channels that are not ordered.
  std::array<std::uint32_t, kMessageWindow> ready_{};
  std::uint32_t ready_begin_ = 0;
  std::uint32_t ready_end_ = 0;
  std::uint32_t next_unreliable_ = 0;
};

}  // namespace muster
