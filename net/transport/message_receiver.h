// The receiving side of one channel: keeps what arrived until the game reads it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "net/transport/channel.h"

namespace muster {

/// What is to be done with a message that arrived.
enum class [[nodiscard]] Arrival : std::uint8_t{
    fresh,      ///< To be stored.
    duplicate,  ///< Was stored before: nothing to do.
    no_room,    ///< The game has not read enough. A reliable one's packet must not be received.
};

/// The inbox of one channel. A message is looked at first, and stored when all of its packet may be
/// received. Memory grows to what was needed once, at most `kMessageWindow` messages of
/// `kMessageBytesMax`.
class MessageReceiver {
 public:
  explicit MessageReceiver(Delivery delivery);

  /// The id whose low 16 bits travelled. Nothing outside the window has a meaning: 0 then.
  std::uint32_t widen_id(std::uint16_t low) const;
  /// Changes nothing. `id` is ignored for an unreliable channel.
  Arrival look(std::uint32_t id) const;
  /// Requires: `look` said fresh.
  void store(std::uint32_t id, std::span<const std::byte> message);

  /// The next message for the game; empty when there is none. Good until `pop`.
  std::span<const std::byte> front() const;
  /// The game has read it. Requires: `front` was not empty.
  void pop();

  /// The first message of a reliable channel for which there is no room before the game reads more.
  std::uint32_t limit() const { return floor_ + kMessageWindow; }

  /// Messages that wait, also such that others have to come before.
  std::size_t unread() const;
  /// Forgets all messages; their numbers begin anew.
  void clear();

 private:
  struct Slot {
    std::vector<std::byte> bytes;
    bool is_full = false;      ///< Holds a message that was not read.
    bool has_arrived = false;  ///< Of the id that `base_` and the slot's number give.
  };

  Slot& slot_of(std::uint32_t id) { return slots_[id % kMessageWindow]; }
  const Slot& slot_of(std::uint32_t id) const { return slots_[id % kMessageWindow]; }
  void advance_base();
  void advance_floor();

  Delivery delivery_;
  std::vector<Slot> slots_;
  /// Reliable: the lowest id that did not arrive (unordered), or was not read (ordered).
  std::uint32_t base_ = 1;
  std::uint32_t floor_ = 1;  ///< Reliable: all below were read. Never above `base_`.
  /// The ids of stored messages in the order of reading: all but ordered channels.
  std::array<std::uint32_t, kMessageWindow> ready_{};
  std::uint32_t ready_begin_ = 0;
  std::uint32_t ready_end_ = 0;
  std::uint32_t next_unreliable_ = 0;
};

}  // namespace muster
