// Every field of a packet's body, for tools that show packets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "net/transport/block_receiver.h"
#include "net/transport/channel.h"
#include "net/transport/connection.h"
#include "net/transport/packet_header.h"

namespace muster {

/// An item of the control section. Fields that an item does not have are zero.
struct ControlView {
  ControlItem kind = ControlItem::ping;
  std::uint64_t challenge = 0;  ///< The bytes of a path challenge or response, little-endian.
  std::uint16_t number = 0;     ///< A probe's size, a refused block's id, a map, or a limit.
  std::uint8_t channel = 0;     ///< The channel of a limit.
  std::uint8_t reason = 0;      ///< The reason of a close or a refused block.
  std::span<const std::byte> text{};
};

/// A message. `id` is the 16-bit id on the wire; zero if it is unreliable.
struct MessageView {
  std::uint8_t channel = 0;
  bool is_reliable = false;
  bool is_ordered = false;
  std::uint16_t id = 0;
  std::span<const std::byte> bytes{};
};

/// The contents of a body, as views into it.
struct PacketView {
  PacketHeader header;
  std::size_t header_bytes = 0;
  std::array<ControlView, kControlItemsMax> controls{};
  std::size_t control_count = 0;
  std::span<const std::byte> payload{};
  std::array<MessageView, kMessagesPerPacketMax> messages{};
  std::size_t message_count = 0;
  std::array<Fragment, kFragmentsPerPacketMax> fragments{};
  std::size_t fragment_count = 0;
  std::size_t fill_bytes = 0;  ///< Zero bytes after a probe.
  /// What is wrong; empty if the body is valid. Everything before the error was read.
  std::string_view problem;
};

/// Parses an untrusted body by net/WIRE_FORMAT.md alone, without channels and earlier packets. So a
/// connection may refuse a body in which this finds no problem, but it refuses every body in which
/// this finds one.
void read_packet_view(std::span<const std::byte> body, std::size_t datagram_bytes,
                      PacketView& view);

}  // namespace muster
