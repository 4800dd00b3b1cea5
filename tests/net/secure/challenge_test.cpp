#include "net/secure/challenge.h"

#include <catch2/catch.hpp>

#include "net/secure/address_budget.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

const Address kClient = Address::ipv4({203, 0, 113, 7}, 4000);

TEST_CASE("For 5 s, a challenge is valid for its client and its claim only",
          "[net][secure][sys-33]") {
  SeededEntropy entropy(1);
  const Challenger challenger(entropy);
  const NetBytes claim = pattern(1, 46);
  const Time now(100s);
  const Challenge challenge = challenger.make(now, kClient, claim);
  REQUIRE(challenge.time_ms == 100'000);
  REQUIRE(challenger.is_ours(challenge, now, kClient, claim));
  REQUIRE(challenger.is_ours(challenge, now + kChallengeAge, kClient, claim));
  REQUIRE_FALSE(challenger.is_ours(challenge, now + kChallengeAge + 1ms, kClient, claim));
  REQUIRE_FALSE(challenger.is_ours(challenge, now - 1ms, kClient, claim));
  REQUIRE_FALSE(challenger.is_ours(challenge, now, kClient.with_port(4001), claim));
  REQUIRE_FALSE(challenger.is_ours(challenge, now, Address::ipv4({203, 0, 113, 8}, 4000), claim));
  for (std::size_t bit = 0; bit < claim.size() * 8; ++bit) {
    NetBytes other = claim;
    other[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    REQUIRE_FALSE(challenger.is_ours(challenge, now, kClient, other));
  }
  for (std::size_t bit = 0; bit < 128; ++bit) {
    Challenge other = challenge;
    other.mac[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    REQUIRE_FALSE(challenger.is_ours(other, now, kClient, claim));
  }
  for (const std::uint64_t time : {99'999U, 100'001U, 0U}) {
    Challenge other = challenge;
    other.time_ms = time;
    REQUIRE_FALSE(challenger.is_ours(other, now + 1s, kClient, claim));
  }
  const Challenger another(entropy);
  REQUIRE_FALSE(another.is_ours(challenge, now, kClient, claim));
}

TEST_CASE("An address may send a burst of requests, then eight per second",
          "[net][secure][sys-33]") {
  SeededEntropy entropy(1);
  AddressBudget budget({.per_second = 8, .burst = 16}, entropy);
  Time now(50s);
  const auto spent = [&](const Address& address) {
    int count = 0;
    while (count < 1000 && budget.spend_one(now, address)) ++count;
    return count;
  };
  REQUIRE(spent(kClient) == 16);
  REQUIRE(spent(kClient.with_port(9)) == 0);  // Another port uses the same budget.
  REQUIRE(spent(Address::ipv4({203, 0, 113, 8}, 4000)) == 16);
  now += 1s;
  REQUIRE(spent(kClient) == 8);
  now += 1h;
  REQUIRE(spent(kClient) == 16);
  int over_time = 0;
  for (int i = 0; i < 1000; ++i) {
    now += 10ms;
    over_time += spent(kClient);
  }
  REQUIRE(over_time >= 79);
  REQUIRE(over_time <= 80);
}

TEST_CASE("An IPv6 subscriber has one budget", "[net][secure][sys-33]") {
  SeededEntropy entropy(2);
  AddressBudget budget({.per_second = 8, .burst = 16}, entropy);
  int spent = 0;
  for (std::uint8_t i = 0; i < 200; ++i) {
    const Address address({0x20, 1, 0x0D, 0xB8, 0, 0, 0, 1, i, i, i, i, 0, 0, 0, i}, i);
    if (budget.spend_one(Time(1s), address)) ++spent;
  }
  REQUIRE(spent == 16);
  const Address neighbour({0x20, 1, 0x0D, 0xB8, 0, 0, 0, 2}, 1);
  REQUIRE(budget.spend_one(Time(1s), neighbour));
}

}  // namespace
}  // namespace muster
