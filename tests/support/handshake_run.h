// Runs a handshake without sockets. A test can replace each of its five datagrams.
#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "net/secure/handshake.h"
#include "tests/support/net_bytes.h"

namespace muster {

/// The two ends of a handshake, with the credentials that a mode requires. Equal seeds give equal
/// bytes.
class HandshakeRun {
 public:
  static constexpr std::uint64_t kApplication = 0x6172656E61;
  static constexpr UnixSeconds kDate = 1'800'000'000;

  HandshakeRun(TrustMode mode, std::uint64_t seed)
      : entropy(seed),
        server_key(KeyPair::random(entropy)),
        backend_key(SecretKey::random(entropy)) {
    ClientHandshake::Options options{
        .mode = mode,
        .agreement = {.application = kApplication, .content = 11, .descriptions = 22},
        .user_data = pattern(5, 33)};
    if (mode == TrustMode::pinned) options.server_key = server_key.shared;
    if (mode == TrustMode::token) {
      const TokenClaims claims{.application = kApplication,
                               .issued = kDate,
                               .expires = kDate + 60,
                               .server_key = server_key.shared,
                               .account = AccountId(77),
                               .servers = {Address::ipv4({10, 0, 0, 1}, 7000)},
                               .user_data = pattern(6, 5)};
      token = issue_token(claims, backend_key, entropy).value();
      options.token = read_client_token(token);
      token_secret = options.token->secret;
    }
    challenger.emplace(entropy);
    // A client's secret is the first value that it reads from its entropy.
    SeededEntropy same = entropy;
    client_secret = SecretKey::random(same);
    client.emplace(options, entropy);
  }

  /// Runs the handshake. Returns true if both ends have equal keys.
  bool shake() {
    request.resize(kRequestBytes);
    client->write_request(std::span<std::byte, kRequestBytes>(request));
    return shake_from_request();
  }
  bool shake_from_request() {
    if (request.empty() || request[0] != std::byte{1}) return false;
    const std::optional<RequestView> view = read_request_head(request);
    if (!view.has_value() || view->version != kProtocolVersion || !has_zero_padding(request)) {
      return false;
    }
    const auto answer =
        write_challenge(*view, challenger->make(now, address, view->claim), server_key.shared);
    challenge.assign(answer.begin(), answer.end());
    return shake_from_challenge();
  }
  bool shake_from_challenge() {
    if (!client->read_challenge(challenge)) return false;
    response.resize(kRequestBytes);
    client->write_response(std::span<std::byte, kRequestBytes>(response));
    if (!process_at_server(response)) return false;
    client_keys = client->read_accept(accept);
    return client_keys.has_value() && client_keys->to_server == server_keys.to_server &&
           client_keys->to_client == server_keys.to_client;
  }
  /// Lets the server process a response. Returns true if the server has written an accept.
  bool process_at_server(const NetBytes& datagram) {
    if (datagram.empty() || datagram[0] != std::byte{3}) return false;
    const std::optional<ResponseView> view = read_response(datagram);
    if (!view.has_value() || view->head.application != kApplication) return false;
    if (!challenger->is_ours(view->challenge, now, address, view->head.claim)) return false;
    if (view->head.mode == TrustMode::token &&
        !open_token(view->token, kApplication, kDate, backend_key).has_value()) {
      return false;
    }
    ServerHandshake server(server_key, token_secret);
    hello = server.open_hello(*view);
    if (!hello.has_value()) return false;
    server_keys = {.cipher = view->head.mode == TrustMode::unprotected ? Cipher::none
                                                                       : Cipher::chacha20_poly1305,
                   .server_receives = 0x01020304,
                   .account = AccountId(0x1122334455667788),
                   .datagram_bytes_max = 1472,
                   .timeout_tenths = 50};
    std::array<std::byte, kAcceptBytesMax> memory{};
    const std::size_t size = server.write_accept(*view, entropy, server_keys, memory);
    accept.assign(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(size));
    return true;
  }

  SeededEntropy entropy;
  KeyPair server_key;
  SecretKey backend_key;
  SecretKey token_secret{};
  SecretKey client_secret{};
  NetBytes token;
  Time now{std::chrono::seconds(100)};
  Address address = Address::ipv4({10, 0, 1, 1}, 1000);
  std::optional<Challenger> challenger;
  std::optional<ClientHandshake> client;
  NetBytes request;
  NetBytes challenge;
  NetBytes response;
  NetBytes accept;
  std::optional<Hello> hello;
  ConnectionKeys server_keys;
  std::optional<ConnectionKeys> client_keys;
};

}  // namespace muster
