// Writes a packet body, valid or invalid, for tests of the receiving side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "net/transport/block.h"
#include "net/transport/packet_header.h"
#include "net/wire/section_writer.h"
#include "tests/support/net_bytes.h"

namespace muster {

/// A body of a header and sections, in the order in which a test adds them.
class PacketDraft {
 public:
  PacketHeader header;

  SectionWriter& section(SectionBit bit) {
    header.sections |= bit;
    return writer_;
  }
  PacketDraft& control(std::initializer_list<unsigned> bytes) {
    return add(kControlSection, bytes_of(bytes));
  }
  PacketDraft& messages(std::initializer_list<unsigned> bytes) {
    return add(kMessageSection, bytes_of(bytes));
  }
  PacketDraft& payload(std::span<const std::byte> bytes) {
    section(kPayloadSection).write_u16(static_cast<std::uint32_t>(bytes.size()));
    writer_.write_bytes(bytes);
    return *this;
  }
  /// Adds the count byte of the block section.
  PacketDraft& fragments(unsigned count) {
    section(kBlockSection).write_u8(count);
    return *this;
  }
  /// Adds a fragment of zero bytes, with the correct size for its numbers.
  PacketDraft& fragment(std::uint16_t block, std::uint32_t block_bytes, std::uint32_t first,
                        unsigned count = 1) {
    writer_.write_u16(block);
    writer_.write_u32(block_bytes);
    writer_.write_u8(count);
    writer_.write_u24(first);
    const std::size_t begin = first * kChunkBytes;
    if (begin < block_bytes) {
      writer_.write_zeros(std::min<std::size_t>(count * kChunkBytes, block_bytes - begin));
    }
    return *this;
  }
  PacketDraft& add(SectionBit bit, std::span<const std::byte> bytes) {
    section(bit).write_bytes(bytes);
    return *this;
  }

  NetBytes body() const {
    NetBytes memory(kPacketHeaderBytesMax + writer_.used());
    BitWriter bits(memory);
    write_packet_header(bits, header);
    NetBytes body = copy_of(bits.finish());
    const auto sections = writer_.written();
    body.insert(body.end(), sections.begin(), sections.end());
    return body;
  }

 private:
  NetBytes memory_ = NetBytes(8192);
  SectionWriter writer_{memory_};
};

}  // namespace muster
