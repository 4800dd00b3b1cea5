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
    fresh,      ///< Store it.
    duplicate,  ///< Was stored before; do nothing.
    /// The game has not read enough. If the message is reliable, its packet must not be received.
    no_room,
};

/// The inbox of one channel. Check each message of a packet with `classify`, and store the messages
/// only if the whole packet can be received. Memory is kept for reuse: at most `kMessageWindow`
/// messages of `kMessageBytesMax`.
class MessageReceiver {
 public:
  explicit MessageReceiver(Delivery delivery);

  /// Returns the id with the given low 16 bits; 0 if that is outside the window.
  std::uint32_t widen_id(std::uint16_t low) const;
  /// Classifies a message and changes nothing. `id` is ignored for an unreliable channel.
  Arrival classify(std::uint32_t id) const;
  /// Requires: `classify` returned `fresh`.
  void store(std::uint32_t id, std::span<const std::byte> message);

  /// The next message for the game, or an empty span. Valid until `pop`.
  std::span<const std::byte> front() const;
  /// Removes the front message. Requires: `front` was not empty.
  void pop();

  /// The first message of a reliable channel that does not fit before the game reads more.
  std::uint32_t limit() const { return floor_ + kMessageWindow; }

  /// Unread messages, including those that wait for an earlier one.
  std::size_t unread() const;
  /// Removes all messages; their ids start again.
  void clear();

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    bool is_full = false;  ///< Holds an unread message.
    bool has_arrived =
        false;  ///< True if the message arrived whose id follows from `base_` and the slot's index.
  };

  Slot& slot_of(std::uint32_t id) { return slots_[id % kMessageWindow]; }
  const Slot& slot_of(std::uint32_t id) const { return slots_[id % kMessageWindow]; }
  void advance_base();
  void advance_floor();

  Delivery delivery_;
  std::vector<Slot> slots_;
  /// For reliable channels: the lowest id that did not arrive (unordered) or was not read
  /// (ordered).
  std::uint32_t base_ = 1;
  std::uint32_t floor_ = 1;  ///< For reliable channels: all lower ids were read. At most `base_`.
  /// The ids of stored messages in reading order, for channels that are not ordered.
  std::array<std::uint32_t, kMessageWindow> ready_{};
  std::uint32_t ready_begin_ = 0;
  std::uint32_t ready_end_ = 0;
  std::uint32_t next_unreliable_ = 0;
};

}  // namespace muster
