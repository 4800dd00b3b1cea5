// Makes the n-th call of a system socket fail in each possible way, for all n.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"
#include "tests/support/scripted_socket.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using Failure = FailingSocket::Failure;

/// A server and a client. One of them has a failing socket.
struct Trial {
  explicit Trial(bool at_server) : failing(at_server ? *stage.socket : *client_socket) {
    stage.server.emplace(stage.options, at_server ? failing : *stage.socket, stage.entropy,
                         stage.door, stage.now);
    client.emplace(stage.client_options(), at_server ? *client_socket : failing, stage.entropy,
                   stage.now);
  }

  void step() {
    stage.now += 16ms;
    stage.network.advance(stage.now);
    stage.server->receive(stage.now, stage.date);
    client->receive(stage.now);
    stage.server->send(stage.now);
    client->send(stage.now);
  }

  /// Connects, and sends 20 messages in each direction. Returns true if all messages arrive within
  /// 20 s.
  bool talk() {
    unsigned sent = 0;
    unsigned received_here = 0;
    unsigned received_there = 0;
    for (int i = 0; i < 1250 && (received_here < 20 || received_there < 20); ++i) {
      step();
      if (client->state() != ClientState::connected) continue;
      stage.server->for_each_client([&](ClientHandle handle) {
        Connection& there = *stage.server->connection(handle);
        Connection& here = *client->connection();
        if (sent < 20) {
          REQUIRE(here.send_message(0, pattern(sent, 300)) == SendStatus::queued);
          REQUIRE(there.send_message(0, pattern(sent, 300)) == SendStatus::queued);
          ++sent;
        }
        for (; !here.message(0).empty(); here.pop_message(0)) ++received_here;
        for (; !there.message(0).empty(); there.pop_message(0)) ++received_there;
      });
    }
    return received_here == 20 && received_there == 20;
  }

  NetStage stage{5, {.latency = 20ms}};
  std::unique_ptr<DatagramSocket> client_socket =
      stage.network.open(Address::ipv4({10, 0, 1, 1}, 1000));
  FailingSocket failing;
  std::optional<Client> client;
};

TEST_CASE("Arrival times never decrease, for any times that a socket reports",
          "[net][endpoint][sys-28]") {
  ArrivalClock arrivals(Time(1s));
  const auto at = [&](Duration waited, Time now) {
    return arrivals.arrival({.from = {}, .memory = {}, .waited = waited}, now);
  };
  REQUIRE(at(300ms, Time(2s)) == Time(1700ms));
  REQUIRE(at(400ms, Time(2s)) == Time(1700ms));
  REQUIRE(at(100ms, Time(2s)) == Time(1900ms));
  arrivals.all_read(Time(2s));
  REQUIRE(at(500ms, Time(2100ms)) == Time(2s));
  REQUIRE(at(0ms, Time(2100ms)) == Time(2100ms));
}

TEST_CASE("A socket that fails at its n-th call only delays a connection", "[net][endpoint]") {
  const bool at_server = GENERATE(true, false);
  const Failure failure =
      GENERATE(Failure::not_sent, Failure::too_large, Failure::deaf, Failure::cut);
  CAPTURE(at_server, static_cast<int>(failure));
  Trial whole(at_server);
  REQUIRE(whole.talk());
  for (std::uint64_t first = 0; first < whole.failing.calls(); ++first) {
    CAPTURE(first);
    Trial trial(at_server);
    trial.failing.fail(failure, first, 3);
    REQUIRE(trial.talk());
  }
}

TEST_CASE("If a socket always fails, the connection ends after its timeout", "[net][endpoint]") {
  Trial trial(false);
  REQUIRE(trial.talk());
  trial.failing.fail(Failure::not_sent, trial.failing.calls(), ~std::uint64_t{0} / 2);
  for (int i = 0; i < 4000; ++i) trial.step();
  std::size_t clients = 0;
  trial.stage.server->for_each_client([&clients](ClientHandle) { ++clients; });
  REQUIRE(clients == 0);
}

}  // namespace
}  // namespace muster
