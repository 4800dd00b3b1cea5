// A token contains several addresses of its server, and a client tries them in order.
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

const Address kDead = Address::ipv4({10, 0, 0, 66}, 7000);
const Address kDeadV6 = *Address::parse("[2001:db8::1]:7000");

/// Returns the options of a client whose token contains these addresses.
ClientOptions options_for(NetStage& stage, std::vector<Address> servers,
                          AccountId account = AccountId(5)) {
  const TokenClaims claims{.application = NetStage::kApplication,
                           .issued = NetStage::kDate,
                           .expires = NetStage::kDate + 600,
                           .server_key = KeyPair::of(stage.server_key).shared,
                           .account = account,
                           .servers = std::move(servers),
                           .user_data = {}};
  ClientOptions options = stage.client_options();
  options.server = {};
  options.handshake.mode = TrustMode::token;
  options.handshake.token =
      read_client_token(issue_token(claims, stage.backend_key, stage.entropy).value());
  return options;
}

TEST_CASE("A client tries the addresses of its token one after another", "[net][endpoint]") {
  NetStage stage(4, {.latency = 20ms});
  stage.options.backend_key = stage.backend_key;
  stage.start();
  const Client& client =
      stage.add_client(options_for(stage, {kDead, kDeadV6, stage.server_address}));
  REQUIRE(client.server() == kDead);
  // Each address gets a third of ten seconds.
  stage.run(3s);
  REQUIRE(client.server() == kDead);
  stage.run(3s);
  REQUIRE(client.server() == kDeadV6);
  stage.run(1s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(client.server() == stage.server_address);
  REQUIRE(client.tried().size() == 2);
  REQUIRE(client.tried()[0].server == kDead);
  REQUIRE_FALSE(client.tried()[0].refusal.has_value());
  REQUIRE(client.tried()[1].server == kDeadV6);
}

TEST_CASE("A client tries the address from the game before the addresses of its token",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.start();
  ClientOptions options = options_for(stage, {kDead, stage.server_address});
  options.server = stage.server_address;
  const Client& client = stage.add_client(options);
  stage.run(1s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(client.tried().empty());
}

TEST_CASE("After a refusal, a client tries the next address at once and remembers the refusal",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.options.clients_max = 1;
  stage.start();
  stage.add_client(options_for(stage, {stage.server_address}, AccountId(1)));
  stage.run(500ms);
  // The second address belongs to another server of the same game.
  const Address second = Address::ipv4({10, 0, 0, 2}, 7000);
  const auto socket = stage.network.open(second);
  Server other(stage.options, *socket, stage.entropy, stage.door, stage.now);
  const Client& client =
      stage.add_client(options_for(stage, {stage.server_address, second}, AccountId(2)));
  const Client& refused =
      stage.add_client(options_for(stage, {stage.server_address, kDead}, AccountId(3)));
  const auto run = [&](Duration time) {
    for (const Time end = stage.now + time; stage.now < end;) {
      stage.step(16ms);
      other.receive(stage.now, stage.date);
      other.send(stage.now);
    }
  };
  run(1s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(client.server() == second);
  REQUIRE(client.tried()[0].refusal->reason == RefuseReason::full);
  run(10s);
  REQUIRE(refused.state() == ClientState::closed);
  REQUIRE(refused.end()->reason == CloseReason::refused);
  REQUIRE(refused.refusal()->reason == RefuseReason::full);
}

TEST_CASE("After a lost accept, a server accepts the same token at its next address",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.start();
  // Both addresses belong to the same server. Its packets from the first address are lost.
  Client& client = stage.add_client(options_for(stage, {stage.server_address, kDead}));
  while (client.state() != ClientState::responding) stage.step(16ms);
  stage.network.link(stage.links[1]).is_down = true;
  stage.run(5s);
  REQUIRE(stage.server->counters().accepts == 1);
  REQUIRE(client.server() == kDead);
  stage.network.link(stage.links[1]).is_down = false;
  stage.network.rebind(stage.server_address, kDead);
  stage.run(2s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(stage.server->counters().tokens_used <= 2);
}

TEST_CASE("A client reports that no address has answered", "[net][endpoint]") {
  NetStage stage(4);
  stage.start();
  const Client& client = stage.add_client(options_for(stage, {kDead, kDeadV6}));
  stage.run(9s);
  REQUIRE(client.state() == ClientState::requesting);
  stage.run(2s);
  REQUIRE(client.state() == ClientState::closed);
  REQUIRE(client.end()->reason == CloseReason::no_answer);
  REQUIRE(client.end()->text.find("none of") != std::string::npos);
  REQUIRE(client.tried().size() == 1);
}

}  // namespace
}  // namespace muster
