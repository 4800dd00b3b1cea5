// A client whose handshake datagrams a test sends one by one.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>

#include "net/secure/handshake.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {

/// A client at an address of a stage's network, without a link. With a copy of another client's
/// entropy, it has the same secrets as that client.
class SteppedHandshake {
 public:
  SteppedHandshake(NetStage& stage, const Address& from, SeededEntropy entropy)
      : SteppedHandshake(stage, from, entropy, stage.client_options().handshake) {}
  SteppedHandshake(NetStage& stage, const Address& from, SeededEntropy entropy,
                   const ClientHandshake::Options& options)
      : stage_(stage), socket_(stage.network.open(from)), handshake_(options, entropy) {}

  NetBytes request() const {
    NetBytes bytes(kRequestBytes);
    handshake_.write_request(std::span<std::byte, kRequestBytes>(bytes));
    return bytes;
  }
  /// Requires: a challenge was accepted.
  NetBytes response() {
    NetBytes bytes(kRequestBytes);
    handshake_.write_response(std::span<std::byte, kRequestBytes>(bytes));
    return bytes;
  }

  /// Sends a datagram to the server, runs one step of all ends, and returns the answer, if any.
  std::optional<NetBytes> give(const NetBytes& datagram) {
    const OutgoingDatagram out{.to = stage_.server_address, .bytes = datagram};
    static_cast<void>(socket_->send(std::span(&out, 1)));
    stage_.step(std::chrono::milliseconds(1));
    stage_.network.advance(stage_.now);
    std::array<std::byte, kDatagramBytesMax + 1> memory;
    IncomingDatagram answer{.from = {}, .memory = memory};
    if (socket_->receive(std::span(&answer, 1)) == 0) return std::nullopt;
    return copy_of(std::span(memory).first(answer.byte_count));
  }

  /// Sends a request and answers the challenge. Returns the last answer, if any.
  std::optional<NetBytes> shake() {
    const std::optional<NetBytes> challenge = give(request());
    if (!challenge.has_value() || !handshake_.read_challenge(*challenge)) return challenge;
    return give(response());
  }
  /// Returns the keys in an answer; nothing if the answer is not an accept.
  std::optional<ConnectionKeys> keys(const std::optional<NetBytes>& answer) const {
    return answer.has_value() ? handshake_.read_accept(*answer) : std::nullopt;
  }
  std::optional<Refusal> refusal(const std::optional<NetBytes>& answer) const {
    return answer.has_value() ? handshake_.read_refuse(*answer) : std::nullopt;
  }

  ClientHandshake& handshake() { return handshake_; }

 private:
  NetStage& stage_;
  std::unique_ptr<DatagramSocket> socket_;
  ClientHandshake handshake_;
};

}  // namespace muster
