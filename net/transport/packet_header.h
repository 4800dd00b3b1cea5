// What stands at the head of every packet's body: acknowledgement, times, and which sections
// follow. The format is that of net/WIRE_FORMAT.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/wire/bit_stream.h"
#include "net/wire/sequence.h"

namespace muster {

/// How many packets an acknowledgement can tell of, and how far below the highest a packet may be
/// to be received at all.
inline constexpr std::uint32_t kAckWindow = 256;
inline constexpr unsigned kAckWordsMax = kAckWindow / 32;

/// Which packets were received, newest first: bit `i` of word `w` tells of packet
/// `ack - 32 * w - i`. What lies beyond `word_count` is not told of.
struct AckMask {
  std::array<std::uint32_t, kAckWordsMax> words{};
  unsigned word_count = 1;  ///< 1 to `kAckWordsMax`.

  /// Requires: `age < 32 * word_count`.
  bool contains(std::uint32_t age) const { return ((words[age / 32] >> (age % 32)) & 1U) != 0; }
  friend bool operator==(const AckMask&, const AckMask&) = default;
};

/// The parts of a packet's body, as bits of `PacketHeader::sections`.
enum SectionBit : std::uint8_t {
  kControlSection = 1,
  kPayloadSection = 2,
  kMessageSection = 4,
  kBlockSection = 8,
  kAllSections = 15,
};

/// The largest delay that can be told.
inline constexpr std::uint16_t kDelayMax = 0xFFF;

/// Says that there is no time to tell: nothing was received yet, or too long ago.
inline constexpr std::uint16_t kNoHold = 0xFFFF;

/// The head of a packet's body. Times count units of 100 µs.
struct PacketHeader {
  Sequence ack{};  ///< The highest number received; 0 is none.
  AckMask mask{.words = {0xFFFFFFFFU}, .word_count = 1};
  std::uint16_t sent = 0;        ///< The sender's clock, low bits.
  std::uint16_t hold = kNoHold;  ///< From the arrival of `ack` to the sending of this packet.
  std::uint16_t delay = 0;       ///< In queues on the way to this sender; 4095 is that or more.
  std::uint8_t sections = 0;     ///< `SectionBit`s of what follows.
  friend bool operator==(const PacketHeader&, const PacketHeader&) = default;
};

/// The most bytes that a head takes, and the least.
inline constexpr std::size_t kPacketHeaderBytesMax = (16 + 3 + kAckWordsMax * 33 + 44 + 8 + 7) / 8;
inline constexpr std::size_t kPacketHeaderBytesMin = 9;
/// A payload's size, before it.
inline constexpr std::size_t kPayloadHeadBytes = 2;

/// Writes a head and aligns. Requires: a mask of 1 to `kAckWordsMax` words with its first bit set.
void write_packet_header(BitWriter& writer, const PacketHeader& header);

/// Reads a head that anybody may have made. Fails the reader on everything that
/// `write_packet_header` would not have written; what is returned then means nothing.
PacketHeader read_packet_header(BitReader& reader);

}  // namespace muster
