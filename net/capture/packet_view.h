// Parses every field of a packet's body, for tools that show packets.
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

/// A message. `id` is the 16-bit id of a reliable message; zero for an unreliable message.
struct MessageView {
  std::uint8_t channel = 0;
  bool is_reliable = false;
  bool is_ordered = false;
  std::uint16_t id = 0;
  std::span<const std::byte> bytes{};
};

/// The contents of a body. Spans are views into the body.
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
  std::size_t fill_bytes = 0;  ///< The number of zero bytes after a probe.
  /// The name of the invalid part; empty if the body is valid. All fields before the error are set.
  std::string_view problem;
};

/// Parses an untrusted body without knowledge of channels and earlier packets. A connection refuses
/// every body in which this function finds a problem. A connection also refuses some other bodies,
/// because it knows the channels and earlier packets.
void read_packet_view(std::span<const std::byte> body, std::size_t datagram_bytes,
                      PacketView& view);

}  // namespace muster
