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

/// The number of packets that an acknowledgement covers. A packet whose number is this far below
/// the highest received number is not received.
inline constexpr std::uint32_t kAckWindow = 256;
inline constexpr unsigned kAckWordsMax = kAckWindow / 32;

/// The set of received packets, newest first: bit `i` of word `w` is packet `ack - 32 * w - i`.
/// Packets beyond the first `word_count` words are not covered.
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

/// The largest delay that can be encoded.
inline constexpr std::uint16_t kDelayMax = 0xFFF;

/// No hold time is sent: nothing was received yet, or the last packet was received too long ago.
inline constexpr std::uint16_t kNoHold = 0xFFFF;

/// The header of a packet's body. Times are in units of 100 µs.
struct PacketHeader {
  Sequence ack{};  ///< The highest number received; 0 if nothing was received.
  AckMask mask{.words = {0xFFFFFFFFU}, .word_count = 1};
  std::uint16_t sent = 0;  ///< The sender's clock, low bits.
  /// Time from the arrival of packet `ack` to the sending of this packet.
  std::uint16_t hold = kNoHold;
  std::uint16_t delay = 0;  ///< Queueing delay on the way to this sender; 4095 means 4095 or more.
  std::uint8_t sections = 0;  ///< `SectionBit`s of the sections that follow.
  friend bool operator==(const PacketHeader&, const PacketHeader&) = default;
};

/// The maximum and minimum size of a header, in bytes.
inline constexpr std::size_t kPacketHeaderBytesMax = (16 + 3 + kAckWordsMax * 33 + 44 + 8 + 7) / 8;
inline constexpr std::size_t kPacketHeaderBytesMin = 9;
/// The size of the byte count before a payload.
inline constexpr std::size_t kPayloadHeadBytes = 2;

/// Writes a header and aligns. Requires: a mask of 1 to `kAckWordsMax` words with its first bit
/// set.
void write_packet_header(BitWriter& writer, const PacketHeader& header);

/// Reads a header from untrusted bytes. Fails the reader on any encoding that `write_packet_header`
/// does not produce; ignore the result then.
PacketHeader read_packet_header(BitReader& reader);

}  // namespace muster
