#include "net/transport/packet_header.h"

#include <cassert>

namespace muster {

namespace {

constexpr std::uint32_t kAllSet = 0xFFFFFFFFU;

}  // namespace

void write_packet_header(BitWriter& writer, const PacketHeader& header) {
  assert(header.mask.word_count >= 1);
  assert(header.mask.word_count <= kAckWordsMax);
  assert(header.mask.contains(0));
  assert(header.delay <= kDelayMax);
  writer.write(header.ack.value(), 16);
  writer.write(header.mask.word_count - 1, 3);
  for (unsigned i = 0; i < header.mask.word_count; ++i) {
    const std::uint32_t word = header.mask.words[i];
    writer.write_flag(word == kAllSet);
    if (word != kAllSet) writer.write(word, 32);
  }
  writer.write(header.sent, 16);
  writer.write(header.hold, 16);
  writer.write(header.delay, 12);
  writer.write(header.sections, 8);
  writer.align();
}

PacketHeader read_packet_header(BitReader& reader) {
  PacketHeader header;
  header.ack = Sequence(static_cast<std::uint16_t>(reader.read(16)));
  header.mask.word_count = reader.read(3) + 1;
  for (unsigned i = 0; i < header.mask.word_count; ++i) {
    const bool all_set = reader.read_flag();
    header.mask.words[i] = all_set ? kAllSet : reader.read(32);
    if (!all_set && header.mask.words[i] == kAllSet) reader.fail();
  }
  if (!header.mask.contains(0)) reader.fail();
  header.sent = static_cast<std::uint16_t>(reader.read(16));
  header.hold = static_cast<std::uint16_t>(reader.read(16));
  header.delay = static_cast<std::uint16_t>(reader.read(12));
  header.sections = static_cast<std::uint8_t>(reader.read(8));
  if ((header.sections & ~kAllSections) != 0) reader.fail();
  reader.align();
  return header;
}

}  // namespace muster
