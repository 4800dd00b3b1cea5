// The seam through which somebody sees what connections sent and received, opened and with time.
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

/// A connection begins: all that its receiving side depends on.
struct RecordedConnection {
  Time at{};
  std::uint32_t our_id = 0;  ///< In packets that the recording end receives; names the connection.
  std::uint32_t their_id = 0;  ///< In packets that it sends.
  bool is_server = false;      ///< The recording end is.
  Cipher cipher = Cipher::none;
  Address local{};  ///< Of the socket.
  Address peer{};   ///< As it was when the connection began.
  std::size_t datagram_bytes_max = 0;
  std::size_t block_bytes_max = 0;
  Duration interrupted_after{};
  Duration closed_after{};
  std::array<Delivery, kChannelsMax> channels{};
  std::size_t channel_count = 0;
};

/// A packet that was sent, or that opened.
struct RecordedPacket {
  Time at{};
  std::uint32_t connection = 0;  ///< `RecordedConnection::our_id`.
  bool is_outgoing = false;
  bool key_phase = false;
  std::uint32_t sequence = 0;
  std::size_t datagram_bytes = 0;
  PacketVerdict verdict = PacketVerdict::received;  ///< Of a packet that was sent always this.
  std::span<const std::byte> body{};                ///< Without tag; good during the call.
};

/// A datagram of a handshake, as it travelled.
struct RecordedHandshake {
  Time at{};
  bool is_outgoing = false;
  Address local{};
  Address peer{};
  std::span<const std::byte> datagram{};  ///< Good during the call.
};

/// Is told of every packet. Called from within `receive` and `send` of an endpoint, by its thread;
/// must not call the endpoint, and should be quick.
class PacketRecorder {
 public:
  virtual ~PacketRecorder() = default;
  virtual void begin(const RecordedConnection& connection) = 0;
  virtual void packet(const RecordedPacket& packet) = 0;
  virtual void handshake(const RecordedHandshake& handshake) = 0;
};

/// What of a connection's options is recorded. The ids, addresses and the time are left to set.
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
