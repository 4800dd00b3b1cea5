// The limits of a server for one address, and the refusals above the limits.
#include <string>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "tests/support/scripted_socket.h"
#include "tests/support/stepped_handshake.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

Address port_of_one(std::uint16_t port) { return Address::ipv4({10, 9, 0, 1}, port); }
const Address kElsewhere = Address::ipv4({66, 6, 6, 6}, 666);

/// Adds clients of one address up to its limit.
void fill_one_address(NetStage& stage) {
  for (std::uint16_t port = 1; port <= 8; ++port) {
    stage.add_client(stage.client_options(), port_of_one(port));
    stage.run(1s);
    REQUIRE(stage.clients.back()->state() == ClientState::connected);
  }
}

TEST_CASE("One address cannot fill a server", "[net][endpoint][sys-33]") {
  NetStage stage(4, {.latency = 20ms});
  stage.start();
  fill_one_address(stage);
  const Client& ninth = stage.add_client(stage.client_options(), port_of_one(9));
  stage.run(1s);
  REQUIRE(ninth.refusal()->reason == RefuseReason::full);
  REQUIRE(ninth.end()->text.find("from your address") != std::string::npos);
  REQUIRE(stage.server->counters().clients_limited == 1);
  REQUIRE(stage.server->counters().refusals[static_cast<std::size_t>(RefuseReason::full)] == 1);
  const Client& other = stage.add_client(stage.client_options(), kElsewhere);
  stage.run(1s);
  REQUIRE(other.state() == ClientState::connected);

  // When a client leaves, another client can join at once.
  stage.clients.front()->close("bye", stage.now);
  stage.run(100ms);
  const Client& next = stage.add_client(stage.client_options(), port_of_one(10));
  stage.run(1s);
  REQUIRE(next.state() == ClientState::connected);
}

TEST_CASE("Pending clients count for their address, and beyond its limit hellos are not decrypted",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.start();
  for (std::uint16_t port = 1; port <= 8; ++port) {
    SteppedHandshake silent(stage, port_of_one(port), SeededEntropy(port));
    REQUIRE(silent.keys(silent.shake()).has_value());
  }
  // The hello is not decrypted.
  ClientHandshake::Options options = stage.client_options().handshake;
  options.server_key = stage.server->public_key();
  SteppedHandshake more(stage, port_of_one(9), SeededEntropy(9), options);
  REQUIRE(more.handshake().read_challenge(more.give(more.request()).value()));
  NetBytes response = more.response();
  response[80] ^= std::byte{1};
  REQUIRE(more.refusal(more.give(response))->reason == RefuseReason::full);
  REQUIRE(stage.server->counters().clients_limited == 1);
  REQUIRE(stage.server->counters().hellos_forged == 0);
  stage.run(6s);
  REQUIRE(stage.server->counters().pending_expired == 8);
  REQUIRE(more.keys(more.shake()).has_value());
}

TEST_CASE("A client that moves still counts for the address where it was accepted",
          "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.start();
  fill_one_address(stage);
  stage.network.rebind(port_of_one(1), kElsewhere);
  stage.run(2s);
  REQUIRE(stage.server->counters().addresses_changed == 1);
  const Client& ninth = stage.add_client(stage.client_options(), port_of_one(9));
  stage.run(1s);
  REQUIRE(ninth.refusal()->reason == RefuseReason::full);
}

TEST_CASE("An IPv6 /64 counts as one address", "[net][endpoint]") {
  NetStage stage(4);
  stage.options.clients_per_address = 2;
  stage.start();
  std::uint64_t seed = 1;
  const auto shakes = [&](const char* address) {
    SteppedHandshake client(stage, *Address::parse(address), SeededEntropy(seed++));
    return client.keys(client.shake()).has_value();
  };
  REQUIRE(shakes("[2001:db8:1:2::1]:1"));
  REQUIRE(shakes("[2001:db8:1:2:ffff::1]:1"));
  REQUIRE_FALSE(shakes("[2001:db8:1:2:3:4:5:6]:1"));
  REQUIRE(shakes("[2001:db8:1:3::1]:1"));
  // The loopback address is in another /64.
  REQUIRE(shakes("[::1]:1"));
  REQUIRE(shakes("[::1]:2"));
  REQUIRE_FALSE(shakes("[::1]:3"));
}

TEST_CASE("A client with a token does not count for its address", "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.options.allow_pinned = true;
  stage.options.clients_per_address = 1;
  stage.start();
  std::uint16_t port = 1;
  const auto shakes = [&](TrustMode mode) {
    ClientHandshake::Options options = stage.client_options().handshake;
    options.mode = mode;
    if (mode == TrustMode::token) options.token = read_client_token(stage.token(AccountId(port)));
    SteppedHandshake client(stage, port_of_one(port), SeededEntropy(port), options);
    ++port;
    return client.keys(client.shake()).has_value();
  };
  REQUIRE(shakes(TrustMode::token));
  REQUIRE(shakes(TrustMode::token));
  REQUIRE(shakes(TrustMode::pinned));
  REQUIRE_FALSE(shakes(TrustMode::pinned));
  REQUIRE(shakes(TrustMode::token));
}

TEST_CASE("Answers to requests are limited per tick, and further requests are counted",
          "[net][endpoint][sys-33][sys-36]") {
  NetStage stage(4);
  FloodSocket socket;
  std::uint32_t left = 2000;
  SeededEntropy entropy(1);
  const ClientHandshake handshake(stage.client_options().handshake, entropy);
  socket.next = [&](std::span<std::byte> memory, Address& from) -> std::size_t {
    if (left == 0) return 0;
    --left;
    from = kElsewhere;
    handshake.write_request(memory.first<kRequestBytes>());
    return kRequestBytes;
  };
  Server server(stage.options, socket, stage.entropy, stage.door, stage.now);
  server.receive(stage.now, stage.date);
  REQUIRE(left == 0);
  REQUIRE(server.counters().challenges == 1700);
  REQUIRE(server.counters().requests_limited == 300);
  left = 5;
  server.receive(stage.now + 16ms, stage.date);
  REQUIRE(server.counters().challenges == 1705);
  REQUIRE(server.counters().requests_limited == 300);
}

TEST_CASE("Sixteen responses of an address are checked at once, then eight per second",
          "[net][endpoint][sys-33][sys-36]") {
  NetStage stage(4);
  stage.options.clients_per_address = stage.options.clients_max;
  stage.start();
  std::uint16_t port = 1;
  const auto accepted_of = [&](int count) {
    int accepted = 0;
    for (int i = 0; i < count; ++i, ++port) {
      SteppedHandshake client(stage, port_of_one(port), SeededEntropy(port));
      if (client.keys(client.shake()).has_value()) ++accepted;
    }
    return accepted;
  };
  REQUIRE(accepted_of(20) == 16);
  REQUIRE(stage.server->counters().responses_limited == 4);
  // Each address has a separate budget.
  SteppedHandshake other(stage, kElsewhere, SeededEntropy(99));
  REQUIRE(other.keys(other.shake()).has_value());
  stage.run(1s);
  REQUIRE(accepted_of(12) == 8);
  REQUIRE(stage.server->counters().responses_limited == 8);
}

TEST_CASE(
    "If more clients connect at once than the server has room for, the other clients receive the "
    "reason",
    "[net][endpoint]") {
  NetStage stage(6, {.latency = 20ms});
  stage.options.clients_max = 3;
  stage.start();
  for (int i = 0; i < 5; ++i) stage.add_client(stage.client_options());
  stage.run(2s);
  int connected = 0;
  for (const auto& client : stage.clients) {
    if (client->state() == ClientState::connected) {
      ++connected;
      continue;
    }
    const std::string text = client->refusal() ? client->refusal()->text
                             : client->end()   ? client->end()->text
                                               : "no reason";
    CHECK(text == "the server is full");
  }
  CHECK(connected == 3);
}

TEST_CASE("At most 256 clients wait for their first packet, each for five seconds",
          "[net][endpoint][sys-33][sys-36]") {
  NetStage stage(4);
  stage.options.clients_max = 400;
  stage.start();
  std::uint8_t number = 0;
  const auto join = [&] {
    SteppedHandshake client(stage, Address::ipv4({10, 8, 0, number}, 9), SeededEntropy(number));
    ++number;
    const std::optional<NetBytes> answer = client.shake();
    REQUIRE(client.keys(answer).has_value());
  };
  const Time first = stage.now;
  for (int i = 0; i < 256; ++i) join();
  REQUIRE(stage.server->counters().accepts == 256);
  // One more client replaces the oldest client.
  SteppedHandshake late(stage, kElsewhere, SeededEntropy(999));
  REQUIRE(late.keys(late.shake()).has_value());
  REQUIRE(stage.server->counters().pending_removed == 1);
  REQUIRE(stage.server->counters().clients_limited == 0);
  stage.run(first + 5s - stage.now - 16ms);
  REQUIRE(stage.server->counters().pending_expired == 0);
  stage.run(100ms);
  REQUIRE(stage.server->counters().pending_expired > 0);
  stage.run(1s);
  REQUIRE(stage.server->counters().pending_expired == 256);
}

TEST_CASE("A server whose list of used tokens is full refuses as busy until some expire",
          "[net][endpoint][sys-33]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.options.used_tokens_max = 3;
  stage.start();
  std::uint16_t port = 1;
  const auto shake = [&](const NetBytes& token) {
    ClientHandshake::Options options = stage.client_options().handshake;
    options.mode = TrustMode::token;
    options.token = read_client_token(token);
    SteppedHandshake client(stage, port_of_one(port), SeededEntropy(port), options);
    ++port;
    return client.refusal(client.shake());
  };
  for (int i = 0; i < 3; ++i) REQUIRE_FALSE(shake(stage.token(AccountId(port))).has_value());
  const std::optional<Refusal> busy = shake(stage.token(AccountId(port)));
  REQUIRE(busy->reason == RefuseReason::busy);
  REQUIRE(busy->text.find("busy") != std::string::npos);
  // The tokens of `NetStage` are valid for a minute. This token expires later.
  TokenClaims claims{.application = NetStage::kApplication,
                     .issued = NetStage::kDate,
                     .expires = NetStage::kDate + 600,
                     .server_key = KeyPair::of(stage.server_key).shared,
                     .account = AccountId(5),
                     .servers = {stage.server_address},
                     .user_data = {}};
  const NetBytes lasting = issue_token(claims, stage.backend_key, stage.entropy).value();
  REQUIRE(shake(lasting)->reason == RefuseReason::busy);
  // A date that jumps ahead removes no token, because it may be wrong.
  stage.date += 61;
  REQUIRE(shake(lasting)->reason == RefuseReason::busy);
  stage.run(61s, 1s);
  REQUIRE_FALSE(shake(lasting).has_value());
}

TEST_CASE("A client of another version gets a text about which end to update",
          "[net][endpoint][sys-33]") {
  NetStage stage(4);
  stage.start();
  SteppedHandshake client(stage, kElsewhere, SeededEntropy(1));
  NetBytes request = client.request();
  request[1] = std::byte{kProtocolVersion + 1};
  // Another version may use bytes that are zero in this version.
  const bool has_more = GENERATE(false, true);
  if (has_more) request[700] = std::byte{1};
  const std::optional<Refusal> refusal = client.refusal(client.give(request));
  REQUIRE(refusal->reason == RefuseReason::wrong_version);
  REQUIRE(refusal->server_version == kProtocolVersion);
  REQUIRE(refusal->text.find("another version") != std::string::npos);
  REQUIRE(refusal->text.find("update the older") != std::string::npos);
  REQUIRE(stage.server->counters().challenges == 0);
}

}  // namespace
}  // namespace muster
