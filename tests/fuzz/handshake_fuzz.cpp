// The first byte chooses the receiver of the other bytes. The server gets a request or a response,
// and the client gets a challenge, an accept or a refuse. Only the genuine bytes give keys.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "net/secure/handshake.h"
#include "tests/support/handshake_run.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

void process_at_client(HandshakeRun& run, const NetBytes& datagram) {
  if (run.client->read_accept(datagram).has_value()) require(datagram == run.accept);
  const std::optional<Refusal> refusal = run.client->read_refuse(datagram);
  if (refusal.has_value()) require(refusal->text.size() <= 128);
  ClientHandshake client = *run.client;
  if (!client.read_challenge(datagram)) return;
  std::array<std::byte, kRequestBytes> response{};
  client.write_response(response);
  // The server accepts the response only if it sent the challenge itself.
  HandshakeRun other = run;
  const NetBytes bytes(response.begin(), response.end());
  if (other.process_at_server(bytes)) require(bytes == run.response);
}

void process_at_server(HandshakeRun& run, const NetBytes& datagram) {
  const std::optional<RequestView> request = read_request_head(datagram);
  if (request.has_value()) {
    require(datagram.size() == kRequestBytes);
    static_cast<void>(has_zero_padding(datagram));
    std::array<std::byte, kRefuseBytesMax> refuse{};
    require(write_refuse(*request, RefuseReason::busy, "later", refuse) == 33);
    require(write_challenge(*request, {}, run.server_key.shared).size() < datagram.size());
  }
  HandshakeRun other = run;
  if (other.process_at_server(datagram)) require(datagram == run.response);
  // Tests only the hello, as if the cookie were correct.
  if (const std::optional<ResponseView> response = read_response(datagram)) {
    ServerHandshake server(run.server_key, run.token_secret);
    const std::optional<Hello> hello = server.open_hello(*response);
    if (hello.has_value()) require(hello->user_data.size() <= kUserDataBytesMax);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static HandshakeRun pinned(TrustMode::pinned, 5);
  static HandshakeRun token(TrustMode::token, 6);
  static const bool shaken = pinned.shake() && token.shake();
  require(shaken);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  HandshakeRun& run = (data[0] & 2U) != 0 ? token : pinned;
  const NetBytes datagram = copy_of(bytes.subspan(1));
  (data[0] & 1U) != 0 ? process_at_client(run, datagram) : process_at_server(run, datagram);
  return 0;
}
