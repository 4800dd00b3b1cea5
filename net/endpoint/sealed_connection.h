// A connection with its keys: seals packet bodies into datagrams, and opens received datagrams.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/endpoint/packet_recorder.h"
#include "net/secure/handshake.h"
#include "net/secure/packet_seal.h"
#include "net/transport/connection.h"
#include "net/wire/section_writer.h"
#include "net/wire/sequence.h"
#include "registry/base/bytes.h"

namespace muster {

inline constexpr std::size_t kPacketHeadBytes = 7;

/// The connection ends after this many packets with a broken seal, so that an attacker cannot forge
/// packets by trial.
inline constexpr std::uint64_t kForgedMax = std::uint64_t{1} << 36U;

/// The result of reading a datagram of a connection.
enum class [[nodiscard]] DatagramVerdict : std::uint8_t{
    received,
    not_new,    ///< The packet is a duplicate, or too old.
    forged,     ///< The packet's seal is broken.
    malformed,  ///< The seal is valid, but the body violates the format. The connection was closed.
    refused,    ///< Too much data is unread. The peer sends the reliable contents again.
};

/// Returns the connection id in a packet's header; 0 if the datagram is not a packet.
inline std::uint32_t connection_id_of(std::span<const std::byte> datagram) {
  if (datagram.size() < kPacketHeadBytes) return 0;
  const auto first = std::to_integer<unsigned>(datagram[0]);
  if ((first & kPacketBit) == 0 || (first & 0x3FU) != 0) return 0;
  return ByteReader(datagram.subspan(1)).u32();
}

/// One end of a connection, with the keys of both directions. Servers and clients use it.
class SealedConnection {
 public:
  struct Ids {
    std::uint32_t ours = 0;    ///< The id in received packets.
    std::uint32_t theirs = 0;  ///< The id in sent packets.
  };

  SealedConnection(const ConnectionOptions& options, Cipher cipher, const SecretKey& send_key,
                   const SecretKey& receive_key, const Ids& ids, Time now)
      : connection_(with_overhead(options, cipher), now),
        sender_(cipher, send_key, now),
        receiver_(cipher, receive_key),
        ids_(ids),
        seal_bytes_(seal_bytes(cipher)) {}

  Connection& connection() { return connection_; }
  const Connection& connection() const { return connection_; }
  std::uint32_t our_id() const { return ids_.ours; }
  std::uint64_t forged() const { return forged_; }

  /// Reports every later packet to a recorder, which must outlive the connection. The ids in
  /// `about` are ignored.
  void record(PacketRecorder& recorder, RecordedConnection about) {
    about.our_id = ids_.ours;
    about.their_id = ids_.theirs;
    recorder.begin(about);
    recorder_ = &recorder;
  }

  /// Writes the next packet into `memory`, and returns the datagram's size. Requires: `memory` has
  /// `kDatagramBytesMax` bytes.
  std::size_t write(Time now, std::span<std::byte> memory) {
    const std::uint32_t sequence = connection_.next_sequence();
    const auto body = connection_.write_packet(now, body_buffer(memory));
    return seal(now, sequence, memory, body.size());
  }
  std::size_t write_path_challenge(Time now, std::uint64_t challenge, std::span<std::byte> memory) {
    const std::uint32_t sequence = connection_.next_sequence();
    const auto body = connection_.write_path_challenge(now, challenge, body_buffer(memory));
    return seal(now, sequence, memory, body.size());
  }

  /// Opens a datagram in place and passes the body to the connection. Sets `is_highest` to true if
  /// the packet's number is the highest so far. Requires: `connection_id_of` returns `our_id()`.
  DatagramVerdict read(Time now, std::span<std::byte> datagram, bool& is_highest) {
    is_highest = false;
    ByteReader head(datagram.subspan(5));
    const auto sequence = widen(Sequence(head.u16()), connection_.highest_received());
    if (connection_.classify(sequence) != Reception::fresh) return DatagramVerdict::not_new;
    const bool phase = (std::to_integer<unsigned>(datagram[0]) & kPhaseBit) != 0;
    const std::span<std::byte> sealed = datagram.subspan(kPacketHeadBytes);
    if (!receiver_.open(phase, *sequence, datagram.first(kPacketHeadBytes), sealed)) {
      if (++forged_ == kForgedMax) {
        connection_.close(CloseReason::forged, "too many packets could not be decrypted", now);
      }
      return DatagramVerdict::forged;
    }
    is_highest = *sequence > connection_.highest_received();
    const auto body = sealed.first(sealed.size() - seal_bytes_);
    const bool is_open = connection_.state() != ConnectionState::closed;
    const PacketVerdict verdict = connection_.read_packet(now, *sequence, datagram.size(), body);
    if (recorder_ != nullptr && is_open) {
      recorder_->packet({.at = now,
                         .connection = ids_.ours,
                         .is_outgoing = false,
                         .key_phase = phase,
                         .sequence = *sequence,
                         .datagram_bytes = datagram.size(),
                         .verdict = verdict,
                         .body = body});
    }
    switch (verdict) {
      case PacketVerdict::received:
        return DatagramVerdict::received;
      case PacketVerdict::no_room:
        return DatagramVerdict::refused;
      case PacketVerdict::malformed:
      case PacketVerdict::unbelievable:
        break;
    }
    // The seal was valid, so the peer itself is faulty or malicious.
    connection_.close(CloseReason::malformed, "a packet broke the protocol", now);
    return DatagramVerdict::malformed;
  }

 private:
  static ConnectionOptions with_overhead(ConnectionOptions options, Cipher cipher) {
    options.overhead_bytes = kPacketHeadBytes + seal_bytes(cipher);
    return options;
  }
  static std::span<std::byte> body_buffer(std::span<std::byte> memory) {
    return memory.subspan(kPacketHeadBytes);
  }

  std::size_t seal(Time now, std::uint32_t sequence, std::span<std::byte> memory,
                   std::size_t body_bytes) {
    sender_.refresh(now, connection_.highest_delivered());
    SectionWriter head(memory.first(kPacketHeadBytes));
    head.write_u8(kPacketBit | (sender_.phase() ? kPhaseBit : 0U));
    head.write_u32(ids_.theirs);
    head.write_u16(sequence & 0xFFFFU);
    const std::size_t datagram_bytes = kPacketHeadBytes + body_bytes + seal_bytes_;
    if (recorder_ != nullptr) {
      recorder_->packet({.at = now,
                         .connection = ids_.ours,
                         .is_outgoing = true,
                         .key_phase = sender_.phase(),
                         .sequence = sequence,
                         .datagram_bytes = datagram_bytes,
                         .verdict = PacketVerdict::received,
                         .body = body_buffer(memory).first(body_bytes)});
    }
    sender_.seal(sequence, memory.first(kPacketHeadBytes), memory.subspan(kPacketHeadBytes),
                 body_bytes);
    return datagram_bytes;
  }

  Connection connection_;
  SealSender sender_;
  SealReceiver receiver_;
  Ids ids_;
  std::size_t seal_bytes_;
  std::uint64_t forged_ = 0;
  PacketRecorder* recorder_ = nullptr;
};

}  // namespace muster
