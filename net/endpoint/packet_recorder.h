// The interface for recording the decrypted packets of both directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "net/secure/packet_seal.h"
#include "net/transport/address.h"
#include "net/transport/channel.h"
#include "net/transport/connection.h"
#include "registry/base/clock.h"

namespace muster {

/// The start of a connection, with all options that affect its receiving side.
struct RecordedConnection {
  Time at{};
  std::uint32_t our_id = 0;    ///< The id in received packets, which identifies the connection.
  std::uint32_t their_id = 0;  ///< The id in sent packets.
  bool is_server = false;      ///< True if this end is the server.
  Cipher cipher = Cipher::none;
  Address local{};  ///< The socket's address.
  Address peer{};   ///< The peer's address at the start of the connection.
  std::size_t datagram_bytes_max = 0;
  std::size_t block_bytes_max = 0;
  Duration interrupted_after{};
  Duration closed_after{};
  std::array<Delivery, kChannelsMax> channels{};
  std::size_t channel_count = 0;
};

/// A packet that was sent, or that was received and opened.
struct RecordedPacket {
  Time at{};
  std::uint32_t connection = 0;  ///< `RecordedConnection::our_id`.
  bool is_outgoing = false;
  bool key_phase = false;
  std::uint32_t sequence = 0;
  std::size_t datagram_bytes = 0;
  PacketVerdict verdict = PacketVerdict::received;  ///< Always `received` for a sent packet.
  /// The decrypted body, without the tag. Valid during the call.
  std::span<const std::byte> body{};
};

/// A handshake datagram, unchanged.
struct RecordedHandshake {
  Time at{};
  bool is_outgoing = false;
  Address local{};
  Address peer{};
  std::span<const std::byte> datagram{};  ///< Valid during the call.
};

/// Receives every packet. An endpoint calls the recorder in `receive` and `send`. The recorder must
/// not call the endpoint, and should be fast.
class PacketRecorder {
 public:
  virtual ~PacketRecorder() = default;
  virtual void begin(const RecordedConnection& connection) = 0;
  virtual void packet(const RecordedPacket& packet) = 0;
  virtual void handshake(const RecordedHandshake& handshake) = 0;
};

/// Returns the recorded part of a connection's options. The caller sets ids, addresses and time.
inline RecordedConnection recorded_options(const ConnectionOptions& options) {
  RecordedConnection recorded{.datagram_bytes_max = options.datagram_bytes_max,
                              .block_bytes_max = options.block_bytes_max,
                              .interrupted_after = options.interrupted_after,
                              .closed_after = options.closed_after,
                              .channel_count = options.channels.size()};
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    recorded.channels[i] = options.channels[i].delivery;
  }
  return recorded;
}

}  // namespace muster
