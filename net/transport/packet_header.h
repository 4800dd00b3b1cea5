// The header of every packet's body: acknowledgement, times, and the list of sections that follow.
// The format is defined in net/WIRE_FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/wire/bit_stream.h"
#include "net/wire/sequence.h"

namespace muster {

/// The number of packets that an acknowledgement covers. A packet is rejected if the highest
/// received number minus the packet's number is at least this value.
inline constexpr std::uint32_t kAckWindow = 256;
inline constexpr unsigned kAckWordsMax = kAckWindow / 32;

/// The set of received packets, newest first: bit `i` of word `w` is packet `ack - 32 * w - i`. The
/// mask covers only packets in the first `word_count` words.
struct AckMask {
  std::array<std::uint32_t, kAckWordsMax> words{};
  unsigned word_count = 1;  ///< 1 to `kAckWordsMax`.

  /// Requires: `age < 32 * word_count`.
  bool contains(std::uint32_t age) const { return ((words[age / 32] >> (age % 32)) & 1U) != 0; }
  friend bool operator==(const AckMask&, const AckMask&) = default;
};

/// The sections of a packet's body, as bits of `PacketHeader::sections`.
enum SectionBit : std::uint8_t {
  kControlSection = 1,
  kPayloadSection = 2,
  kMessageSection = 4,
  kBlockSection = 8,
  kAllSections = 15,
};

/// The largest delay that can be encoded, in units of 100 µs.
inline constexpr std::uint16_t kDelayMax = 0xFFF;

/// The value of `hold` if nothing was received, or if the last packet was received too long ago.
inline constexpr std::uint16_t kNoHold = 0xFFFF;

/// The header of a packet's body. Times are in units of 100 µs.
struct PacketHeader {
  Sequence ack{};  ///< The highest received number; 0 if nothing was received.
  AckMask mask{.words = {0xFFFFFFFFU}, .word_count = 1};
  std::uint16_t sent = 0;  ///< The low 16 bits of the sender's clock.
  /// The time from the arrival of packet `ack` to the sending of this packet.
  std::uint16_t hold = kNoHold;
  /// The queueing delay on the way to this packet's sender; 4095 means 4095 or more.
  std::uint16_t delay = 0;
  std::uint8_t sections = 0;  ///< `SectionBit`s of the sections that follow.
  friend bool operator==(const PacketHeader&, const PacketHeader&) = default;
};

/// The maximum and minimum size of a header, in bytes.
inline constexpr std::size_t kPacketHeaderBytesMax = (16 + 3 + kAckWordsMax * 33 + 44 + 8 + 7) / 8;
inline constexpr std::size_t kPacketHeaderBytesMin = 9;
/// The size of the byte count before a payload.
inline constexpr std::size_t kPayloadHeadBytes = 2;

/// Writes a header and pads it to a whole byte. Requires: `mask` has 1 to `kAckWordsMax` words, and
/// its first bit is set.
void write_packet_header(BitWriter& writer, const PacketHeader& header);

/// Reads a header from untrusted bytes. Fails the reader if `write_packet_header` does not produce
/// this encoding. The result is then meaningless.
PacketHeader read_packet_header(BitReader& reader);

}  // namespace muster
