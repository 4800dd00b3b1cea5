#include "net/secure/handshake.h"

#include <algorithm>
#include <array>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/damage.h"
#include "tests/support/handshake_run.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

TEST_CASE("Both ends compute the same keys, and new keys for each connection",
          "[net][secure][sys-33]") {
  const TrustMode mode = GENERATE(TrustMode::pinned, TrustMode::token);
  HandshakeRun run(mode, 1);
  REQUIRE(run.shake());
  const ConnectionKeys client = *run.client_keys;
  REQUIRE(client.to_server == run.server_keys.to_server);
  REQUIRE(client.to_client == run.server_keys.to_client);
  REQUIRE_FALSE(client.to_server == client.to_client);
  REQUIRE(client.cipher == run.server_keys.cipher);
  REQUIRE(client.server_receives == 0x01020304);
  REQUIRE(client.client_receives == run.server_keys.client_receives);
  REQUIRE(client.account == AccountId(0x1122334455667788));
  REQUIRE(client.datagram_bytes_max == 1472);
  REQUIRE(client.timeout_tenths == 50);
  REQUIRE(run.hello->content == 11);
  REQUIRE(run.hello->descriptions == 22);
  REQUIRE(run.hello->user_data == pattern(5, 33));
  HandshakeRun again(mode, 2);
  REQUIRE(again.shake());
  REQUIRE_FALSE(again.client_keys->to_server == client.to_server);
}

TEST_CASE("An unprotected connection has no keys", "[net][secure][sys-33]") {
  HandshakeRun run(TrustMode::unprotected, 1);
  REQUIRE(run.shake());
  REQUIRE(run.client_keys->cipher == Cipher::none);
  REQUIRE(run.accept.size() == 60);
}

TEST_CASE("No answer has more bytes than its request", "[net][secure][sys-33]") {
  HandshakeRun run(TrustMode::pinned, 1);
  REQUIRE(run.shake());
  REQUIRE(run.challenge.size() == 64);
  REQUIRE(run.accept.size() == 76);
  std::array<std::byte, kRefuseBytesMax> refuse{};
  const RequestView request = read_request_head(run.request).value();
  REQUIRE(write_refuse(request, RefuseReason::full, std::string(500, 'x'), refuse) == 156);
  REQUIRE(write_refuse(request, RefuseReason::full, "", refuse) == 28);
}

/// Requires that `gives_keys` returns false for every truncation of a datagram, and for flipped
/// bits.
template <typename GivesKeys>
void require_refused(const NetBytes& datagram, std::size_t step, const GivesKeys& gives_keys) {
  for (std::size_t size = 0; size < datagram.size(); size += 1 + size / 100) {
    const NetBytes cut(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(size));
    if (gives_keys(cut)) FAIL("a cut at " << size);
  }
  NetBytes longer = datagram;
  longer.push_back(std::byte{0});
  REQUIRE_FALSE(gives_keys(longer));
  for (std::size_t bit = 0; bit < datagram.size() * 8; bit += step) {
    NetBytes damaged = datagram;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    if (gives_keys(damaged)) FAIL("bit " << bit % 8 << " of byte " << bit / 8);
  }
}

TEST_CASE("A damaged handshake datagram of any kind gives no keys", "[net][secure][sys-33]") {
  const TrustMode mode = GENERATE(TrustMode::pinned, TrustMode::token);
  HandshakeRun run(mode, 3);
  REQUIRE(run.shake());
  SECTION("the request is damaged") {
    require_refused(run.request, 1, [&](const NetBytes& damaged) {
      HandshakeRun other(mode, 3);
      other.request = damaged;
      return other.shake_from_request();
    });
  }
  SECTION("the challenge is damaged") {
    require_refused(run.challenge, 1, [&](const NetBytes& damaged) {
      HandshakeRun other(mode, 3);
      other.challenge = damaged;
      return other.shake_from_challenge();
    });
  }
  SECTION("the response is damaged") {
    // Each bit needs an X25519 operation, so only every 7th bit is tested.
    require_refused(run.response, 7,
                    [&](const NetBytes& damaged) { return run.process_at_server(damaged); });
  }
  SECTION("the accept is damaged") {
    require_refused(run.accept, 1, [&](const NetBytes& damaged) {
      return run.client->read_accept(damaged).has_value();
    });
  }
}

/// A source of zero bytes.
class ZeroEntropy final : public Entropy {
 public:
  void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte{0}); }
};

TEST_CASE("A client never chooses connection id 0, which means no connection", "[net][secure]") {
  ZeroEntropy zeros;
  const ClientHandshake client({}, zeros);
  NetBytes request(kRequestBytes);
  client.write_request(std::span<std::byte, kRequestBytes>(request));
  REQUIRE(read_request_head(request)->client_receives == 1);
  request[12] = std::byte{0};
  REQUIRE_FALSE(read_request_head(request).has_value());
}

TEST_CASE("A refusal is accepted only from a sender that saw the request",
          "[net][secure][sys-33]") {
  HandshakeRun run(TrustMode::pinned, 4);
  REQUIRE(run.shake());
  std::array<std::byte, kRefuseBytesMax> memory{};
  const RequestView request = read_request_head(run.request).value();
  const std::size_t size =
      write_refuse(request, RefuseReason::not_admitted, "come \x1b[31mback\xC3 later", memory);
  const NetBytes refuse(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(size));
  const std::optional<Refusal> refusal = run.client->read_refuse(refuse);
  REQUIRE(refusal.has_value());
  REQUIRE(refusal->reason == RefuseReason::not_admitted);
  REQUIRE(refusal->text == "come ?[31mback? later");
  damage::each_truncation(refuse, [&](const ByteVector& cut) {
    REQUIRE_FALSE(run.client->read_refuse(cut).has_value());
  });
  // Bytes 4 to 23 are the connection id and the proof.
  for (std::size_t bit = 4 * 8; bit < 24 * 8; ++bit) {
    NetBytes damaged = refuse;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    REQUIRE_FALSE(run.client->read_refuse(damaged).has_value());
  }
  HandshakeRun other(TrustMode::pinned, 5);
  REQUIRE(other.shake());
  REQUIRE_FALSE(other.client->read_refuse(refuse).has_value());
}

TEST_CASE("A wrong server key or token secret gives no connection", "[net][secure][sys-33]") {
  SECTION("another server answers with its own key") {
    HandshakeRun run(TrustMode::pinned, 6);
    run.server_key = KeyPair::random(run.entropy);
    REQUIRE_FALSE(run.shake());
  }
  SECTION("a server sends the right key but does not have its secret") {
    HandshakeRun run(TrustMode::pinned, 6);
    run.server_key.secret = SecretKey::random(run.entropy);
    REQUIRE_FALSE(run.shake());
  }
  SECTION("the server has another token secret") {
    HandshakeRun run(TrustMode::token, 6);
    run.token_secret = SecretKey::random(run.entropy);
    REQUIRE_FALSE(run.shake());
  }
  SECTION("an ephemeral key is weak") {
    HandshakeRun run(TrustMode::pinned, 6);
    REQUIRE(run.shake());
    NetBytes response = run.response;
    std::fill(response.begin() + 16, response.begin() + 48, std::byte{0});
    REQUIRE_FALSE(run.process_at_server(response));
    NetBytes accept = run.accept;
    std::fill(accept.begin() + 8, accept.begin() + 40, std::byte{0});
    REQUIRE_FALSE(run.client->read_accept(accept).has_value());
  }
}

}  // namespace
}  // namespace muster
