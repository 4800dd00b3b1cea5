// A second reader of the wire format, which only shows the contents. connection_read.cpp is the
// reader of a connection. tests/net/capture and tests/fuzz compare the two readers.
#include "net/capture/packet_view.h"

#include "net/wire/bit_stream.h"
#include "registry/base/bytes.h"

namespace muster {

namespace {

constexpr std::size_t kLongLength = 128;

void read_control_item(ByteReader& reader, ControlView& item) {
  switch (item.kind) {
    case ControlItem::ping:
      return;
    case ControlItem::path_challenge:
    case ControlItem::path_response:
      item.challenge = reader.u64();
      return;
    case ControlItem::probe:
      item.number = reader.u16();
      return;
    case ControlItem::close: {
      item.reason = reader.u8();
      const std::size_t size = reader.u8();
      if (size > kCloseTextBytesMax || item.reason == 0 ||
          item.reason > static_cast<std::uint8_t>(CloseReason::refused)) {
        reader.fail();
      }
      item.text = reader.bytes(size);
      return;
    }
    case ControlItem::block_refused:
      item.number = reader.u16();
      item.reason = reader.u8();
      if (item.reason < static_cast<std::uint8_t>(BlockRefusal::too_large) ||
          item.reason > static_cast<std::uint8_t>(BlockRefusal::no_memory)) {
        reader.fail();
      }
      return;
    case ControlItem::map:
      item.number = reader.u16();
      return;
    case ControlItem::channel_limit:
      item.channel = reader.u8();
      item.number = reader.u16();
      if (item.channel >= kChannelsMax) reader.fail();
      return;
  }
  reader.fail();
}

bool read_controls(ByteReader& reader, std::size_t datagram_bytes, PacketView& view,
                   bool& has_probe) {
  const std::size_t count = reader.u8();
  if (count < 1 || count > kControlItemsMax) return false;
  bool has_ping = false;
  bool has_map = false;
  bool has_close = false;
  unsigned limited_channels = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ControlView item{.kind = static_cast<ControlItem>(reader.u8())};
    read_control_item(reader, item);
    if (reader.failed() || has_close) return false;
    if (item.kind == ControlItem::ping && has_ping) return false;
    if (item.kind == ControlItem::probe) {
      if (has_probe || item.number != datagram_bytes || item.number <= kDatagramBytesSafe) {
        return false;
      }
      has_probe = true;
    }
    if (item.kind == ControlItem::map && has_map) return false;
    if (item.kind == ControlItem::channel_limit) {
      if ((limited_channels >> item.channel & 1U) != 0) return false;
      limited_channels |= 1U << item.channel;
    }
    has_map = has_map || item.kind == ControlItem::map;
    has_ping = has_ping || item.kind == ControlItem::ping;
    has_close = item.kind == ControlItem::close;
    view.controls[view.control_count++] = item;
  }
  return true;
}

bool read_messages(ByteReader& reader, PacketView& view) {
  const std::size_t count = reader.u8();
  if (count < 1 || count > kMessagesPerPacketMax) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t head = reader.u8();
    MessageView message{.channel = static_cast<std::uint8_t>(head & 7U),
                        .is_reliable = (head & 8U) != 0,
                        .is_ordered = (head & 16U) != 0};
    if (head >= 32 || (message.is_ordered && !message.is_reliable)) return false;
    if (message.is_reliable) message.id = reader.u16();
    std::size_t size = reader.u8();
    if (size >= kLongLength) {
      const std::size_t high = reader.u8();
      if (high == 0) return false;
      size = (size & (kLongLength - 1)) | (high << 7U);
    }
    if (size < 1 || size > kMessageBytesMax) return false;
    message.bytes = reader.bytes(size);
    if (reader.failed()) return false;
    view.messages[view.message_count++] = message;
  }
  return true;
}

bool read_fragments(ByteReader& reader, PacketView& view) {
  const std::size_t count = reader.u8();
  if (count < 1 || count > kFragmentsPerPacketMax) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const Fragment fragment = read_fragment(reader);
    if (reader.failed()) return false;
    view.fragments[view.fragment_count++] = fragment;
  }
  return true;
}

/// Returns the name of the invalid section, or an empty text.
std::string_view read_sections(ByteReader& reader, std::size_t datagram_bytes, PacketView& view) {
  const std::uint8_t sections = view.header.sections;
  bool has_probe = false;
  if ((sections & kControlSection) != 0 &&
      !read_controls(reader, datagram_bytes, view, has_probe)) {
    return "control section";
  }
  if ((sections & kPayloadSection) != 0) {
    view.payload = reader.bytes(reader.u16());
    if (view.payload.empty()) return "payload section";
  }
  if ((sections & kMessageSection) != 0 && !read_messages(reader, view)) return "message section";
  if ((sections & kBlockSection) != 0 && !read_fragments(reader, view)) return "block section";
  if (has_probe) {
    view.fill_bytes = reader.remaining();
    if (!reader.consume_zeros()) return "filling";
  }
  return reader.is_finished() ? "" : "bytes left over";
}

}  // namespace

void read_packet_view(std::span<const std::byte> body, std::size_t datagram_bytes,
                      PacketView& view) {
  view = {};
  BitReader bits(body);
  view.header = read_packet_header(bits);
  if (bits.failed()) {
    view.header = {};
    view.problem = "head";
    return;
  }
  view.header_bytes = bits.bit_position() / 8;
  ByteReader reader(body.subspan(view.header_bytes));
  view.problem = read_sections(reader, datagram_bytes, view);
}

}  // namespace muster
