// The newest connection of an account replaces the older connection, for example after a crash of
// the player's game. An attacker cannot use this to disconnect a player.
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "tests/support/stepped_handshake.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

ClientOptions with_token(NetStage& stage, AccountId account) {
  ClientOptions options = stage.client_options();
  options.handshake.mode = TrustMode::token;
  options.handshake.token = read_client_token(stage.token(account));
  return options;
}

std::size_t live_clients(const NetStage& stage) {
  std::size_t count = 0;
  stage.server->for_each_client([&](ClientHandle) { ++count; });
  return count;
}

/// Fills a server with clients that have tokens. The last client has account 1.
void fill_with_tokens(NetStage& stage, std::size_t slots) {
  stage.options.backend_key = stage.backend_key;
  stage.options.clients_max = slots;
  stage.start();
  for (std::size_t i = slots; i >= 1; --i) stage.add_client(with_token(stage, AccountId(i)));
  stage.run(1s);
  REQUIRE(stage.server->counters().connected == slots);
}

TEST_CASE("A newer connection of an account replaces the older connection, also on a full server",
          "[net][endpoint]") {
  const bool has_crashed = GENERATE(true, false);
  CAPTURE(has_crashed);
  NetStage stage(5, {.latency = 20ms});
  fill_with_tokens(stage, 4);
  const ClientHandle old = stage.server->events().back().client;
  REQUIRE(stage.server->account(old) == AccountId(1));
  stage.server->clear_events();
  std::unique_ptr<Client> before = std::move(stage.clients.back());
  stage.clients.pop_back();
  if (has_crashed) before.reset();

  const Client& after =
      stage.add_client(with_token(stage, AccountId(1)), Address::ipv4({66, 6, 6, 6}, 1));
  for (int i = 0; i < 60; ++i) {
    stage.step(16ms);
    if (before == nullptr) continue;
    before->receive(stage.now);
    before->send(stage.now);
  }
  REQUIRE(after.state() == ClientState::connected);
  REQUIRE(stage.server->counters().clients_replaced == 1);
  // The game receives both events, in order.
  const std::span<const ServerEvent> events = stage.server->events();
  REQUIRE(events.size() == 2);
  REQUIRE(events[0].kind == ServerEvent::Kind::closed);
  REQUIRE(events[0].client == old);
  REQUIRE(events[0].close->reason == CloseReason::kicked);
  REQUIRE(events[1].kind == ServerEvent::Kind::connected);
  REQUIRE(events[1].replaces == old);
  REQUIRE(stage.server->account(events[1].client) == AccountId(1));
  if (before != nullptr) {
    REQUIRE(before->state() == ClientState::closed);
    REQUIRE(before->end()->by_peer);
    REQUIRE(before->end()->text.find("from elsewhere") != std::string::npos);
  }
  stage.run(2s);
  REQUIRE(live_clients(stage) == 4);
  REQUIRE(stage.server->events().size() == 2);
  for (const auto& client : stage.clients) REQUIRE(client->state() == ClientState::connected);
  // Another client is refused.
  const Client& fifth = stage.add_client(with_token(stage, AccountId(9)));
  stage.run(1s);
  REQUIRE(fifth.refusal()->reason == RefuseReason::full);
}

TEST_CASE("A client that crashes before its first packet gets its own slot on a full server",
          "[net][endpoint]") {
  NetStage stage(5, {.latency = 20ms});
  stage.options.backend_key = stage.backend_key;
  stage.options.clients_max = 4;
  stage.start();
  for (std::uint64_t i = 1; i <= 3; ++i) stage.add_client(with_token(stage, AccountId(i)));
  stage.run(1s);
  REQUIRE(stage.server->counters().connected == 3);
  // Account 7 gets the last slot, and crashes before the answer arrives.
  stage.add_client(with_token(stage, AccountId(7)));
  while (stage.server->counters().accepts < 4) stage.step(1ms);
  stage.clients.pop_back();
  const Client& other =
      stage.add_client(with_token(stage, AccountId(8)), Address::ipv4({66, 6, 6, 7}, 1));
  const Client& again =
      stage.add_client(with_token(stage, AccountId(7)), Address::ipv4({66, 6, 6, 6}, 1));
  stage.run(1s);
  REQUIRE(again.state() == ClientState::connected);
  REQUIRE(other.refusal()->reason == RefuseReason::full);
  REQUIRE(stage.server->counters().pending_replaced == 1);
  REQUIRE(stage.server->counters().pending_removed == 0);
  REQUIRE(live_clients(stage) == 4);
}

TEST_CASE(
    "If clients connect at the same time with tokens of one account, only one stays connected",
    "[net][endpoint]") {
  NetStage stage(6);
  stage.options.backend_key = stage.backend_key;
  stage.start();
  for (int i = 0; i < 5; ++i) stage.add_client(with_token(stage, AccountId(77)));
  stage.run(2s);
  REQUIRE(live_clients(stage) == 1);
  REQUIRE(stage.server->counters().connected == 5);
  REQUIRE(stage.server->counters().clients_replaced == 4);
}

TEST_CASE("A client is replaced only when the first packet of its new connection is decrypted",
          "[net][endpoint]") {
  NetStage stage(5);
  fill_with_tokens(stage, 2);
  const ClientHandle old = stage.server->events().back().client;
  SteppedHandshake silent(stage, Address::ipv4({66, 6, 6, 6}, 1), SeededEntropy(9),
                          with_token(stage, AccountId(1)).handshake);
  const std::optional<NetBytes> accept = silent.shake();
  REQUIRE(silent.keys(accept).has_value());
  // The server cannot decrypt noise that has the id of the new connection.
  NetBytes noise(60, std::byte{7});
  noise[0] = std::byte{0x80};
  const std::uint32_t id = silent.keys(accept)->server_receives;
  for (std::size_t i = 0; i < 4; ++i) noise[1 + i] = static_cast<std::byte>(id >> (8 * i));
  static_cast<void>(silent.give(noise));
  REQUIRE(stage.server->counters().forged == 1);
  stage.run(6s);
  REQUIRE(stage.server->counters().clients_replaced == 0);
  REQUIRE(stage.server->counters().pending_expired == 1);
  REQUIRE(stage.server->connection(old) != nullptr);
  REQUIRE(stage.clients.back()->state() == ClientState::connected);
}

TEST_CASE("Clients identified by user data are also replaced", "[net][endpoint]") {
  class Login final : public Admission {
   public:
    std::optional<std::string> refusal(const Applicant& applicant) override {
      replaced.push_back(applicant.replaces);
      return std::nullopt;
    }
    bool admits_content(std::uint64_t) override { return false; }
    AccountId account_of(const Applicant& applicant) override {
      return AccountId(std::to_integer<std::uint64_t>(applicant.hello.user_data.at(0)));
    }
    std::vector<std::optional<ClientHandle>> replaced;
  };
  NetStage stage(5);
  Login login;
  stage.options.clients_max = 2;
  stage.server.emplace(stage.options, *stage.socket, stage.entropy, login, stage.now);
  const auto add = [&](std::uint8_t account) -> Client& {
    ClientOptions options = stage.client_options();
    options.handshake.user_data = {static_cast<std::byte>(account)};
    Client& client = stage.add_client(options);
    stage.run(500ms);
    return client;
  };
  add(1);
  add(2);
  const ClientHandle second = stage.server->events().back().client;
  REQUIRE(stage.server->account(second) == AccountId(2));
  const Client& again = add(2);
  REQUIRE(again.state() == ClientState::connected);
  REQUIRE(again.account() == AccountId(2));
  REQUIRE(login.replaced.back() == second);
  REQUIRE(stage.clients[1]->state() == ClientState::closed);
  REQUIRE(add(3).refusal()->reason == RefuseReason::full);
  REQUIRE(stage.clients[0]->state() == ClientState::connected);
}

TEST_CASE("A client that got its account id after it joined can also be replaced on a full server",
          "[net][endpoint]") {
  class Tickets final : public Admission {
   public:
    std::optional<std::string> refusal(const Applicant&) override { return std::nullopt; }
    bool admits_content(std::uint64_t) override { return false; }
    AccountId account_of(const Applicant& applicant) override {
      const auto& bytes = applicant.hello.user_data;
      return bytes.empty() ? AccountId() : AccountId(std::to_integer<std::uint64_t>(bytes.front()));
    }
  };
  NetStage stage(5);
  Tickets tickets;
  stage.options.clients_max = 1;
  stage.server.emplace(stage.options, *stage.socket, stage.entropy, tickets, stage.now);
  const auto add = [&](std::vector<std::byte> ticket) -> Client& {
    ClientOptions options = stage.client_options();
    options.handshake.user_data = std::move(ticket);
    Client& client = stage.add_client(options);
    stage.run(500ms);
    return client;
  };
  add({});
  const ClientHandle first = stage.server->events().back().client;
  REQUIRE(stage.server->account(first) == AccountId());
  REQUIRE(add({std::byte{9}}).refusal()->reason == RefuseReason::full);
  stage.server->set_account(first, AccountId(9));
  REQUIRE(add({}).refusal()->reason == RefuseReason::full);
  REQUIRE(add({std::byte{9}}).state() == ClientState::connected);
  REQUIRE(stage.server->events().back().replaces == first);
  REQUIRE(live_clients(stage) == 1);
}

TEST_CASE(
    "On a full server without account ids, a client replaces a silent connection of its address",
    "[net][endpoint]") {
  NetStage stage(5);
  stage.options.clients_max = 2;
  stage.start();
  stage.add_client(stage.client_options(), Address::ipv4({10, 0, 1, 1}, 1000));
  stage.add_client(stage.client_options(), Address::ipv4({10, 0, 1, 2}, 1000));
  stage.run(1s);
  const auto outcome = [&](const Address& from) {
    Client& client = stage.add_client(stage.client_options(), from);
    stage.run(500ms);
    const bool is_in = client.state() == ClientState::connected;
    if (!is_in) stage.clients.pop_back();
    return is_in;
  };
  REQUIRE_FALSE(outcome(Address::ipv4({10, 0, 1, 2}, 2000)));
  stage.clients.pop_back();  // The client crashes.
  REQUIRE_FALSE(outcome(Address::ipv4({10, 0, 1, 2}, 2001)));
  stage.run(5s);
  // Another address does not get the slot of the silent connection.
  REQUIRE_FALSE(outcome(Address::ipv4({66, 6, 6, 6}, 2002)));
  REQUIRE(outcome(Address::ipv4({10, 0, 1, 2}, 2003)));
  REQUIRE(stage.server->counters().clients_replaced == 1);
  stage.run(2s);
  REQUIRE(live_clients(stage) == 2);
  REQUIRE(stage.clients[0]->state() == ClientState::connected);
}

TEST_CASE("A silent connection that resumes in time keeps its slot", "[net][endpoint]") {
  NetStage stage(5);
  stage.options.clients_max = 1;
  stage.start();
  Client& player = stage.add_client(stage.client_options(), Address::ipv4({10, 0, 1, 2}, 1000));
  stage.run(1s);
  stage.network.link(stage.links[0]).is_down = true;
  stage.run(6s);
  SteppedHandshake neighbour(stage, Address::ipv4({10, 0, 1, 2}, 2000), SeededEntropy(9));
  const std::optional<ConnectionKeys> keys = neighbour.keys(neighbour.shake());
  REQUIRE(keys.has_value());
  stage.network.link(stage.links[0]).is_down = false;
  stage.run(1s);
  REQUIRE(player.state() == ClientState::connected);
  // The first packet of the newer client arrives too late.
  SealedConnection late(stage.options.connection, keys->cipher, keys->to_server, keys->to_client,
                        {.ours = keys->client_receives, .theirs = keys->server_receives},
                        stage.now);
  NetBytes packet(kDatagramBytesMax);
  packet.resize(late.write(stage.now, packet));
  REQUIRE(neighbour.give(packet).has_value());
  REQUIRE(stage.server->counters().clients_replaced == 0);
  REQUIRE(stage.server->counters().connected == 1);
  stage.run(1s);
  REQUIRE(player.state() == ClientState::connected);
  REQUIRE(live_clients(stage) == 1);
}

}  // namespace
}  // namespace muster
