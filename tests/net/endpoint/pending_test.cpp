// Pending clients: accepted clients that have not sent a packet yet. Another client cannot end
// them.
#include <algorithm>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "tests/support/stepped_handshake.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

const Address kElsewhere = Address::ipv4({66, 6, 6, 6}, 666);

/// A client that the server has accepted, but whose accept has not arrived yet.
struct PendingClient {
  PendingClient()
      : entropy_before(started(stage)), client(stage.add_client(stage.client_options())) {
    while (stage.server->counters().accepts == 0) stage.step(16ms);
    REQUIRE(stage.server->counters().connected == 0);
  }

  static SeededEntropy started(NetStage& stage) {
    stage.start();
    return stage.entropy;
  }

  NetStage stage{4, {.latency = 200ms}};
  SeededEntropy entropy_before;
  Client& client;
};

TEST_CASE("An observer of a client's request cannot end the client's pending connection",
          "[net][endpoint][sys-33]") {
  PendingClient pending;
  NetStage& stage = pending.stage;
  SteppedHandshake thief(stage, kElsewhere, pending.entropy_before);
  // The observer does not have the client's secrets, so the server cannot decrypt the observer's
  // hello.
  const std::optional<NetBytes> challenge = thief.give(thief.request());
  REQUIRE(challenge.has_value());
  REQUIRE(thief.handshake().read_challenge(*challenge));
  NetBytes response = thief.response();
  std::ranges::fill(std::span(response).subspan(76, 20), std::byte{9});
  REQUIRE_FALSE(thief.give(response).has_value());
  REQUIRE(stage.server->counters().hellos_forged == 1);
  stage.run(1s);
  REQUIRE(pending.client.state() == ClientState::connected);
  REQUIRE(stage.server->counters().connected == 1);
  REQUIRE(stage.server->counters().unknown_connection == 0);
  REQUIRE(stage.server->counters().pending_replaced == 0);
}

TEST_CASE("A client whose accept arrives late can still connect", "[net][endpoint]") {
  // First the accepts are lost. Then the client's first packets are lost, until the first accept is
  // five seconds old.
  const Duration lost_for = GENERATE(3500ms, 4000ms, 4500ms);
  CAPTURE(lost_for.count());
  NetStage stage(4, {.latency = 150ms});
  stage.start();
  Client& client = stage.add_client(stage.client_options());
  while (client.state() != ClientState::responding) stage.step(16ms);
  stage.network.link(stage.links[1]).is_down = true;
  while (stage.server->counters().accepts == 0) stage.step(16ms);
  stage.run(lost_for);
  stage.network.link(stage.links[1]).is_down = false;
  const std::uint64_t before = stage.server->counters().accepts_again;
  while (stage.server->counters().accepts_again == before) stage.step(16ms);
  stage.network.link(stage.links[0]).is_down = true;
  stage.run(1500ms);
  REQUIRE(client.state() == ClientState::connected);
  stage.network.link(stage.links[0]).is_down = false;
  stage.run(2s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(stage.server->counters().connected == 1);
  REQUIRE(stage.server->counters().unknown_connection == 0);
}

TEST_CASE(
    "A client that starts again from another address replaces its own attempt, even on a full "
    "server",
    "[net][endpoint]") {
  NetStage stage(4);
  stage.options.clients_max = 1;
  stage.start();
  const SeededEntropy same = stage.entropy;
  SteppedHandshake before(stage, Address::ipv4({10, 0, 2, 1}, 1000), same);
  SteppedHandshake after(stage, kElsewhere, same);
  REQUIRE(before.keys(before.shake()).has_value());
  const std::optional<ConnectionKeys> keys = after.keys(after.shake());
  REQUIRE(keys.has_value());
  REQUIRE(stage.server->counters().accepts == 2);
  REQUIRE(stage.server->counters().pending_replaced == 1);
  // The server has one pending client, and sends the new accept again.
  REQUIRE(after.keys(after.give(after.response()))->server_receives == keys->server_receives);
  REQUIRE(stage.server->counters().accepts_again == 1);
  stage.run(6s);
  REQUIRE(stage.server->counters().pending_expired == 1);
  stage.add_client(stage.client_options());
  stage.run(1s);
  REQUIRE(stage.server->counters().connected == 1);
}

TEST_CASE("A client gives up early if the server drops it before its first packet arrives",
          "[net][endpoint]") {
  PendingClient pending;
  NetStage& stage = pending.stage;
  while (pending.client.state() != ClientState::connected) {
    stage.step(16ms);
    stage.network.link(stage.links[0]).is_down = true;  // The client's first packets are lost.
  }
  stage.run(6s);
  REQUIRE(stage.server->counters().pending_expired == 1);
  stage.network.link(stage.links[0]).is_down = false;
  stage.run(5s);
  REQUIRE(pending.client.state() == ClientState::closed);
  REQUIRE(pending.client.end()->reason == CloseReason::no_answer);
}

}  // namespace
}  // namespace muster
