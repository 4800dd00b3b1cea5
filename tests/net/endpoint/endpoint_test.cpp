#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "registry/base/seed.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text.push_back(std::to_integer<char>(byte));
  return text;
}

/// Returns the only client of a server.
ClientHandle only_client(const Server& server) {
  ClientHandle found;
  server.for_each_client([&found](ClientHandle client) { found = client; });
  REQUIRE(found.generation != 0);
  return found;
}

/// Sends a message in each direction, and requires that both arrive within a second.
void require_talk(NetStage& stage, Client& client) {
  const ClientHandle handle = only_client(*stage.server);
  REQUIRE(client.connection()->send_message(0, bytes_of("hello")) == SendStatus::queued);
  REQUIRE(stage.server->connection(handle)->send_message(0, bytes_of("welcome")) ==
          SendStatus::queued);
  stage.run(1s);
  REQUIRE(text_of(stage.server->connection(handle)->message(0)) == "hello");
  stage.server->connection(handle)->pop_message(0);
  REQUIRE(text_of(client.connection()->message(0)) == "welcome");
  client.connection()->pop_message(0);
}

TEST_CASE("A client that pins the server's key connects and exchanges messages despite loss",
          "[net][endpoint][sys-33]") {
  const double loss = GENERATE(0.0, 0.3);
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(loss, seed);
  NetStage stage(seed, {.latency = 20ms, .loss = loss, .duplicate = 0.2});
  stage.start();
  ClientOptions options = stage.client_options();
  options.handshake.user_data = {std::byte{1}, std::byte{2}};
  Client& client = stage.add_client(options);
  REQUIRE(client.state() == ClientState::requesting);
  stage.run(4s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(stage.door.last_user_data == options.handshake.user_data);
  REQUIRE(stage.server->events().size() == 1);
  REQUIRE(stage.server->counters().connected == 1);
  REQUIRE_FALSE(client.is_dangerous());
  if (loss == 0) require_talk(stage, client);
}

TEST_CASE("A connect token names its account and opens one connection", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.options.backend_key = stage.backend_key;
  stage.options.public_addresses = {stage.server_address};
  stage.start();
  ClientOptions options = stage.client_options();
  options.handshake.mode = TrustMode::token;
  options.handshake.server_key = {};
  options.handshake.token = read_client_token(stage.token(AccountId(77)));
  Client& first = stage.add_client(options);
  stage.run(1s);
  REQUIRE(first.state() == ClientState::connected);
  REQUIRE(first.account() == AccountId(77));
  const ClientHandle handle = only_client(*stage.server);
  REQUIRE(stage.server->account(handle) == AccountId(77));
  REQUIRE(stage.server->token_data(handle).size() == 2);
  require_talk(stage, first);

  Client& second = stage.add_client(options);
  stage.run(1s);
  REQUIRE(second.state() == ClientState::closed);
  REQUIRE(second.refusal()->reason == RefuseReason::token_used);

  options.handshake.token = read_client_token(stage.token(AccountId(78)));
  stage.date = NetStage::kDate + 60;
  Client& late = stage.add_client(options);
  Client& without = stage.add_client(stage.client_options());
  stage.run(1s);
  REQUIRE(late.refusal()->reason == RefuseReason::token_invalid);
  REQUIRE(without.refusal()->reason == RefuseReason::wrong_mode);
  REQUIRE(without.end()->reason == CloseReason::refused);
}

TEST_CASE("A token for another server is refused", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.options.backend_key = stage.backend_key;
  stage.options.public_addresses = {Address::parse("[2001:db8::1]:7000").value()};
  stage.start();
  ClientOptions options = stage.client_options();
  options.handshake.mode = TrustMode::token;
  options.handshake.token = read_client_token(stage.token(AccountId(77)));
  Client& client = stage.add_client(options);
  stage.run(1s);
  REQUIRE(client.refusal()->reason == RefuseReason::token_invalid);
}

TEST_CASE("A client rejects a server whose key is not the pinned key", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.start();
  ClientOptions options = stage.client_options();
  options.handshake.server_key[3] ^= std::byte{1};
  Client& client = stage.add_client(options);
  stage.run(11s);
  REQUIRE(client.state() == ClientState::closed);
  REQUIRE(client.end()->reason == CloseReason::no_answer);
  REQUIRE(stage.server->counters().accepts == 0);
}

TEST_CASE("A refusal has a readable reason", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.options.clients_max = 1;
  stage.start();
  ClientOptions options = stage.client_options();
  SECTION("the client has other content") {
    options.handshake.agreement.content = 12;
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::content_differs);
    REQUIRE(client.end()->text.find("content") != std::string::npos);
  }
  SECTION("the client has other content that the game admits") {
    options.handshake.agreement.content = 12;
    stage.door.admitted_content = 12;
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.state() == ClientState::connected);
  }
  SECTION("the client has other descriptions") {
    options.handshake.agreement.descriptions = 1;
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::descriptions_differ);
  }
  SECTION("the client is of another game") {
    options.handshake.agreement.application = 1;
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::wrong_application);
  }
  SECTION("the game refuses the client") {
    stage.door.text = "you are banned until Tuesday";
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::not_admitted);
    REQUIRE(client.end()->text == "you are banned until Tuesday");
  }
  SECTION("the server is full") {
    stage.add_client(options);
    stage.run(1s);
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::full);
  }
  SECTION("the client uses no protection") {
    options.handshake.mode = TrustMode::unprotected;
    Client& client = stage.add_client(options);
    stage.run(1s);
    REQUIRE(client.refusal()->reason == RefuseReason::wrong_mode);
  }
}

TEST_CASE("Unprotected ends write a warning", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  std::vector<std::string> server_lines;
  std::vector<std::string> client_lines;
  stage.options.danger_allow_unprotected = true;
  stage.options.danger_log = [&](std::string_view line) { server_lines.emplace_back(line); };
  stage.start();
  REQUIRE(server_lines.size() == 1);
  REQUIRE(server_lines[0].find("DANGER") != std::string::npos);
  ClientOptions options = stage.client_options();
  options.handshake.mode = TrustMode::unprotected;
  options.danger_log = [&](std::string_view line) { client_lines.emplace_back(line); };
  Client& client = stage.add_client(options);
  stage.run(1s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(client.is_dangerous());
  REQUIRE(stage.server->is_dangerous());
  require_talk(stage, client);
  REQUIRE(client_lines.size() == 1);
  REQUIRE(client_lines[0].find("not protected") != std::string::npos);
  stage.run(121s, 250ms);
  REQUIRE(server_lines.size() == 3);
  REQUIRE(client_lines.size() == 3);
}

TEST_CASE("Protected ends write no warning", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  unsigned lines = 0;
  stage.options.danger_log = [&lines](std::string_view) { ++lines; };
  stage.start();
  ClientOptions options = stage.client_options();
  options.danger_log = stage.options.danger_log;
  const Client& client = stage.add_client(options);
  stage.run(70s, 250ms);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(lines == 0);
}

TEST_CASE(
    "A client whose address changes stays connected, and an attacker cannot take over the "
    "connection",
    "[net][endpoint]") {
  // The last two latencies are longer than the interval at which the server repeats its challenge.
  const Duration latency = GENERATE(Duration(20ms), Duration(450ms), Duration(1000ms));
  CAPTURE(latency.count());
  NetStage stage(4, {.latency = latency});
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  stage.run(1s + 6 * latency);
  const ClientHandle handle = only_client(*stage.server);
  const Address before = stage.server->address(handle);
  const Address after = Address::ipv4({10, 9, 9, 9}, 4444);
  stage.network.rebind(before, after);
  stage.run(2s + 4 * latency);
  REQUIRE(stage.server->address(handle) == after);
  REQUIRE(stage.server->counters().addresses_changed == 1);
  REQUIRE(client.state() == ClientState::connected);
  if (latency < 500ms) require_talk(stage, client);
}

TEST_CASE(
    "A client with a new port keeps its rate, round trip and size; for a new host all are measured "
    "again",
    "[net][endpoint]") {
  const bool is_other_host = GENERATE(false, true);
  CAPTURE(is_other_host);
  NetStage stage(4, {.latency = 20ms});
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  stage.run(4s);
  const ClientHandle handle = only_client(*stage.server);
  Address address = stage.server->address(handle);
  const Connection& connection = *stage.server->connection(handle);
  const std::size_t size_before = connection.datagram_bytes();
  REQUIRE(size_before > kDatagramBytesSafe);
  std::size_t size_after = size_before;
  // The NAT changes its mapping every few packets.
  for (std::uint16_t i = 1; i <= 20; ++i) {
    const auto host = static_cast<std::uint8_t>(is_other_host ? i : 1);
    const Address next = Address::ipv4({10, 0, 1, host}, static_cast<std::uint16_t>(2000 + i));
    stage.network.rebind(address, next);
    address = next;
    for (int tick = 0; tick < 70; ++tick) {
      stage.step(16ms);
      size_after = std::min(size_after, connection.datagram_bytes());
      if (!is_other_host) REQUIRE(connection.round_trip().has_sample());
    }
  }
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(stage.server->counters().addresses_changed >= 10);
  REQUIRE(stage.server->address(handle).port() > 2000);
  REQUIRE(size_after == (is_other_host ? kDatagramBytesSafe : size_before));
}

TEST_CASE("A packet replayed from another address does not move a client", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.start();
  stage.add_client(stage.client_options());
  stage.run(1s);
  const ClientHandle handle = only_client(*stage.server);
  const Address before = stage.server->address(handle);
  // An observer sends a copy of the client's packet from another address, before the packet
  // arrives.
  auto thief = stage.network.open(Address::ipv4({66, 6, 6, 6}, 666));
  stage.network.link(stage.links[0]).duplicate = 1;
  for (int i = 0; i < 200; ++i) {
    std::array<std::byte, 64> noise{};
    stage.entropy.fill(noise);
    noise[0] = std::byte{0x80};
    const OutgoingDatagram out{.to = stage.server_address, .bytes = noise};
    static_cast<void>(thief->send(std::span(&out, 1)));
    stage.step(16ms);
  }
  REQUIRE(stage.server->address(handle) == before);
  REQUIRE(stage.server->counters().unknown_connection > 0);
}

TEST_CASE("A close that was sent during an outage arrives after the outage", "[net][endpoint]") {
  const bool server_ends = GENERATE(false, true);
  CAPTURE(server_ends);
  NetStage stage(4, {.latency = 30ms});
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  stage.run(1s);
  stage.server->clear_events();
  const auto set_down = [&stage](bool is_down) {
    for (const LinkId link : stage.links) stage.network.link(link).is_down = is_down;
  };
  set_down(true);
  if (server_ends) {
    stage.server->connection(only_client(*stage.server))
        ->close(CloseReason::kicked, "cheating", stage.now);
  } else {
    client.close("bye", stage.now);
  }
  stage.run(100ms);
  set_down(false);
  stage.run(700ms);
  if (server_ends) {
    REQUIRE(client.end().has_value());
    REQUIRE(client.end()->reason == CloseReason::kicked);
    REQUIRE(client.end()->text == "cheating");
  } else {
    REQUIRE(stage.server->events().size() == 1);
    REQUIRE(stage.server->events()[0].close->reason == CloseReason::left);
  }
}

TEST_CASE("A client that leaves is removed from the server at once and frees its slot",
          "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.options.clients_max = 1;
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  stage.run(1s);
  stage.server->clear_events();
  client.close("bye", stage.now);
  stage.run(2s);
  REQUIRE(stage.server->events().size() == 1);
  REQUIRE(stage.server->events()[0].close->reason == CloseReason::left);
  REQUIRE(stage.server->events()[0].close->text == "bye");
  Client& next = stage.add_client(stage.client_options());
  stage.run(1s);
  REQUIRE(next.state() == ClientState::connected);
}

TEST_CASE("A server never sends more to an unverified address than it received from it",
          "[net][endpoint]") {
  NetStage stage(9);
  stage.start();
  auto attacker = stage.network.open(Address::ipv4({66, 6, 6, 6}, 666));
  Random random(9);
  std::size_t out_bytes = 0;
  std::size_t in_bytes = 0;
  std::array<std::byte, kDatagramBytesMax + 1> memory;
  for (int i = 0; i < 3000; ++i) {
    // Valid, damaged and truncated requests, and other kinds of datagrams.
    std::array<std::byte, 1300> datagram{};
    ClientHandshake handshake(stage.client_options().handshake, stage.entropy);
    handshake.write_request(std::span(datagram).first<kRequestBytes>());
    const std::size_t size = random.below(3) == 0 ? random.below(1300) : kRequestBytes;
    if (random.below(3) == 0) datagram[random.below(60)] ^= std::byte{1};
    if (random.below(4) == 0) datagram[0] = static_cast<std::byte>(random.below(256));
    const OutgoingDatagram out{.to = stage.server_address,
                               .bytes = std::span(datagram).first(size)};
    static_cast<void>(attacker->send(std::span(&out, 1)));
    out_bytes += size;
    stage.step(1ms);
    IncomingDatagram answer{.from = {}, .memory = memory};
    while (attacker->receive(std::span(&answer, 1)) == 1) in_bytes += answer.byte_count;
    REQUIRE(in_bytes <= out_bytes);
  }
  REQUIRE(in_bytes > 0);
  REQUIRE(stage.server->counters().accepts == 0);
}

TEST_CASE("A flood of malicious datagrams does not disturb players", "[net][endpoint]") {
  NetStage stage(9, {.latency = 20ms});
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  stage.run(1s);
  auto attacker = stage.network.open(Address::ipv4({66, 6, 6, 6}, 666));
  Random random(3);
  for (int tick = 0; tick < 60; ++tick) {
    for (int i = 0; i < 300; ++i) {
      std::array<std::byte, kDatagramBytesMax> datagram;
      stage.entropy.fill(std::span(datagram).first(64));
      datagram[0] = static_cast<std::byte>(random.below(2) == 0 ? 0x80 : random.below(8));
      const OutgoingDatagram out{.to = stage.server_address,
                                 .bytes = std::span(datagram).first(random.below(1473))};
      static_cast<void>(attacker->send(std::span(&out, 1)));
    }
    stage.step(16ms);
  }
  REQUIRE(stage.server->counters().datagrams_in > 15'000);
  REQUIRE(client.state() == ClientState::connected);
  require_talk(stage, client);
}

}  // namespace
}  // namespace muster
