// How much of a server one address gets, and what is said to whoever wants more.
#include <string>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "tests/support/stepped_handshake.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

Address port_of_one(std::uint16_t port) { return Address::ipv4({10, 9, 0, 1}, port); }
const Address kElsewhere = Address::ipv4({66, 6, 6, 6}, 666);

/// Adds clients of one address until it has all that it may have.
void fill_one_address(NetStage& stage) {
  for (std::uint16_t port = 1; port <= 8; ++port) {
    stage.add_client(stage.client_options(), port_of_one(port));
    stage.run(1s);
    REQUIRE(stage.clients.back()->state() == ClientState::connected);
  }
}

TEST_CASE("One address does not take every place of a server", "[net][endpoint][sys-33]") {
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

  // Who leaves makes room at once.
  stage.clients.front()->close("bye", stage.now);
  stage.run(100ms);
  const Client& next = stage.add_client(stage.client_options(), port_of_one(10));
  stage.run(1s);
  REQUIRE(next.state() == ClientState::connected);
}

TEST_CASE("Who has not spoken yet counts for his address, and asks no cryptography of the server",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.start();
  for (std::uint16_t port = 1; port <= 8; ++port) {
    SteppedHandshake silent(stage, port_of_one(port), SeededEntropy(port));
    REQUIRE(silent.keys(silent.shake()).has_value());
  }
  // A hello that does not open is not even tried.
  ClientHandshake::Options options = stage.client_options().handshake;
  options.server_key = stage.server->public_key();
  SteppedHandshake more(stage, port_of_one(9), SeededEntropy(9), options);
  REQUIRE(more.handshake().take_challenge(more.give(more.request()).value()));
  NetBytes response = more.response();
  response[80] ^= std::byte{1};
  REQUIRE(more.refusal(more.give(response))->reason == RefuseReason::full);
  REQUIRE(stage.server->counters().clients_limited == 1);
  REQUIRE(stage.server->counters().hellos_forged == 0);
  stage.run(6s);
  REQUIRE(stage.server->counters().pending_expired == 8);
  REQUIRE(more.keys(more.shake()).has_value());
}

TEST_CASE("A client that moves elsewhere still counts for where it came in", "[net][endpoint]") {
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

TEST_CASE("Of IPv6 a /64 counts as one address", "[net][endpoint]") {
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
  // The machine itself lies in the /64 of no address at all.
  REQUIRE(shakes("[::1]:1"));
  REQUIRE(shakes("[::1]:2"));
  REQUIRE_FALSE(shakes("[::1]:3"));
}

TEST_CASE("Who comes with a token takes no place of his address", "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.options.clients_per_address = 1;
  stage.start();
  std::uint16_t port = 1;
  const auto shakes = [&](TrustMode mode) {
    ClientHandshake::Options options = stage.client_options().handshake;
    options.mode = mode;
    if (mode == TrustMode::token) options.token = read_client_token(stage.token(port));
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

}  // namespace
}  // namespace muster
