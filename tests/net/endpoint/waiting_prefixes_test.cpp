// Tests that many pending clients of one network do not prevent other clients from joining.
#include "net/endpoint/waiting_prefixes.h"

#include <map>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "tests/support/stepped_handshake.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

TEST_CASE("The oldest client of the largest prefix is removed for a new client",
          "[net][endpoint]") {
  struct Row {
    std::vector<const char*> waiting;  ///< The pending clients, oldest first.
    std::uint32_t removed = 0;
    const char* reason = "";
  };
  const auto row = GENERATE(values<Row>({
      {{"1.1.1.1:1"}, 0, "the only one"},
      {{"1.1.1.1:1", "2.2.2.2:1", "3.3.3.3:1"}, 0, "all equal: the oldest"},
      {{"1.1.1.1:1", "2.2.2.2:1", "2.2.2.2:2"}, 1, "one address"},
      {{"1.1.1.1:1", "2.2.2.2:1", "2.2.2.3:2"}, 1, "an IPv4 /24"},
      {{"1.1.1.1:1", "2.2.2.2:1", "2.2.3.3:2"}, 1, "an IPv4 /16"},
      {{"1.1.1.1:1", "2.2.2.2:1", "2.3.3.3:2"}, 1, "an IPv4 /8"},
      {{"2.9.9.9:1", "2.2.2.2:1", "2.2.3.3:2", "7.7.7.7:1"}, 1, "the /16 within the /8"},
      {{"1.1.1.1:1", "2.2.2.2:1", "2.2.2.3:1", "1.1.1.9:1"}, 0, "two equal prefixes: the oldest"},
      {{"[2001:db8::1]:1", "[2001:db9:0:1::1]:1", "[2001:db9:0:1::2]:1"}, 1, "an IPv6 /64"},
      {{"[2001:db8::1]:1", "[2001:db9:0:10::1]:1", "[2001:db9:0:1f::1]:1"}, 1, "an IPv6 /60"},
      {{"[2001:db8::1]:1", "[2001:db9:0:1::1]:1", "[2001:db9:0:ff::1]:1"}, 1, "an IPv6 /56"},
      {{"[2001:db8::1]:1", "[2001:db9:0:1::1]:1", "[2001:db9:0:ff00::1]:1"}, 1, "an IPv6 /48"},
      {{"[2001:db8::1]:1", "[2001:db9:1::1]:1", "[2001:db9:2::1]:1"}, 1, "an IPv6 /32"},
      {{"9.9.9.9:1", "[2001:db9:1::1]:1", "[2001:db9:2::1]:1"}, 1, "IPv6 beside IPv4"},
      {{"9.9.9.9:1", "8.8.8.8:1", "7.7.7.7:1", "[2001:db9:1::1]:1", "[2001:db9:1::2]:1"},
       3,
       "an IPv6 /32 beside three IPv4 /8"},
      {{"[2001:db9:1::1]:1", "[2001:db9:1::2]:1", "9.9.9.9:1", "9.8.8.8:1", "9.7.7.7:1"},
       2,
       "an IPv4 /8 beside an IPv6 /32"},
  }));
  CAPTURE(row.reason);
  std::vector<WaitingClient> waiting;
  for (std::uint32_t i = 0; i < row.waiting.size(); ++i) {
    const Address from = *Address::parse(row.waiting[i]);
    waiting.push_back({.from = from, .since = Time(std::chrono::seconds(i)), .slot = i});
  }
  std::ranges::reverse(waiting);  // The result does not depend on the order of the input.
  REQUIRE(slot_to_vacate(waiting) == row.removed);
}

/// An attacker that answers challenges from many addresses, and never sends a packet.
class HalfOpenAttack {
 public:
  HalfOpenAttack(NetStage& stage, std::vector<Address> addresses)
      : stage_(stage), addresses_(std::move(addresses)) {}

  /// Sends one request from each address whose budget is not used up.
  void attack() {
    for (const Address& each : addresses_) {
      SteppedHandshake client(stage_, each, SeededEntropy(++seed_));
      static_cast<void>(client.shake());
    }
  }

 private:
  NetStage& stage_;
  std::vector<Address> addresses_;
  std::uint64_t seed_ = 1000;
};

std::vector<Address> ipv4_addresses(std::uint8_t count) {
  std::vector<Address> addresses;
  for (std::uint8_t i = 0; i < count; ++i) {
    for (std::uint16_t port = 1; port <= 8; ++port) {
      addresses.push_back(Address::ipv4({50, 0, i, 1}, port));
    }
  }
  return addresses;
}

/// Returns one address from each of `count` adjacent /64 networks.
std::vector<Address> ipv6_addresses(std::uint8_t count) {
  std::vector<Address> addresses;
  for (std::uint8_t i = 0; i < count; ++i) {
    for (std::uint8_t host = 1; host <= 8; ++host) {
      std::array<std::uint8_t, 16> ip{0x20, 1, 0xD, 0xB8, 0, 0, 0, i};
      ip[15] = host;
      addresses.emplace_back(ip, 1000);
    }
  }
  return addresses;
}

TEST_CASE("Half-open connections of one network do not prevent a player from joining",
          "[net][endpoint]") {
  const bool is_v6 = GENERATE(false, true);
  const std::size_t slots = GENERATE(8U, 1024U);
  CAPTURE(is_v6, slots);
  NetStage stage(4);
  stage.options.clients_max = slots;
  stage.start();
  // 40 addresses, or a /59 of 32 networks, which is enough to fill all pending slots.
  HalfOpenAttack attack(stage, is_v6 ? ipv6_addresses(32) : ipv4_addresses(40));
  attack.attack();
  for (std::uint8_t player = 1; player <= 3; ++player) {
    attack.attack();
    const Client& client =
        stage.add_client(stage.client_options(), Address::ipv4({9, 9, player, 9}, 100));
    stage.run(200ms);
    REQUIRE(client.state() == ClientState::connected);
  }
  REQUIRE(stage.server->counters().connected == 3);
}

TEST_CASE("A pending client with a token is not removed to make room", "[net][endpoint]") {
  NetStage stage(4);
  stage.options.backend_key = stage.backend_key;
  stage.options.allow_pinned = true;
  stage.options.clients_max = 1;
  stage.start();
  ClientHandshake::Options options = stage.client_options().handshake;
  options.mode = TrustMode::token;
  options.token = read_client_token(stage.token(AccountId(5)));
  SteppedHandshake vouched(stage, Address::ipv4({10, 0, 2, 1}, 1), SeededEntropy(1), options);
  REQUIRE(vouched.keys(vouched.shake()).has_value());
  SteppedHandshake other(stage, Address::ipv4({10, 0, 2, 2}, 1), SeededEntropy(2));
  REQUIRE(other.refusal(other.shake())->reason == RefuseReason::full);
  // If the pending client has no token, the newer client gets the slot.
  stage.run(6s);
  SteppedHandshake first(stage, Address::ipv4({10, 0, 2, 3}, 1), SeededEntropy(3));
  SteppedHandshake second(stage, Address::ipv4({10, 0, 2, 4}, 1), SeededEntropy(4));
  REQUIRE(first.keys(first.shake()).has_value());
  REQUIRE(second.keys(second.shake()).has_value());
  REQUIRE(stage.server->counters().pending_removed == 1);
}

}  // namespace
}  // namespace muster
