// A connect token opens one connection, even if the server's date changes.
#include "net/secure/used_tokens.h"

#include <array>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "registry/base/seed.h"
#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{1h};
constexpr PublicKey kFirst{std::byte{2}};
constexpr PublicKey kSecond{std::byte{3}};

TokenId id_of(std::size_t number) {
  return {static_cast<std::byte>(number), static_cast<std::byte>(number >> 8U)};
}

UsedTokens::Use use_of(std::size_t number, UnixSeconds issued, UnixSeconds expires) {
  return {.id = id_of(number), .attempt = kFirst, .issued = issued, .expires = expires};
}

TEST_CASE("Used tokens are stored with their attempt until they expire, up to the limit",
          "[net][secure]") {
  constexpr std::size_t kUsesMax = 65536;
  UsedTokens used(kUsesMax);
  REQUIRE_FALSE(used.is_used_by_another(id_of(1), kFirst, 100));
  used.add(use_of(1, 90, 100), kStart);
  used.add(use_of(1, 90, 100), kStart + 5s);
  REQUIRE_FALSE(used.is_used_by_another(id_of(1), kFirst, 100));
  REQUIRE(used.is_used_by_another(id_of(1), kSecond, 100));
  used.forget_expired(99, kStart + 9s);
  REQUIRE(used.size() == 1);
  used.forget_expired(100, kStart + 10s);
  REQUIRE(used.size() == 0);
  // The token has expired, and is refused even if the date is set back.
  REQUIRE(used.is_used_by_another(id_of(1), kSecond, 100));
  for (std::size_t i = 0; i < kUsesMax; ++i) {
    REQUIRE_FALSE(used.is_full());
    used.add(use_of(i, 150, 200 + i % 2), kStart);
  }
  REQUIRE(used.is_full());
  used.forget_expired(200, kStart + 51s);
  REQUIRE(used.size() == kUsesMax / 2);
  used.forget_expired(201, kStart + 52s);
  REQUIRE(used.size() == 0);
}

TEST_CASE("No change of the date makes a used token valid again or other tokens invalid",
          "[net][secure]") {
  const auto seed = GENERATE(range(1, 200));
  CAPTURE(seed);
  Random random(static_cast<std::uint64_t>(seed));
  UsedTokens used(1000);
  constexpr UnixSeconds kDate = 1'000'000;
  struct Known {
    std::size_t number = 0;
    UnixSeconds expires = 0;
  };
  std::vector<Known> known;
  for (std::size_t second = 0; second < 300; ++second) {
    const Time now = kStart + std::chrono::seconds(second);
    // The date is correct, or wrong by up to 1000 s.
    UnixSeconds date = kDate + second;
    if (random.below(4) == 0) date += random.below(1000);
    if (random.below(4) == 0) date -= random.below(1000);
    used.forget_expired(date, now);
    for (const Known& each : known) {
      if (each.expires <= date) continue;  // Refused as expired.
      REQUIRE(used.is_used_by_another(id_of(each.number), kSecond, each.expires));
    }
    const Known fresh{.number = second, .expires = kDate + second + 1 + random.below(100)};
    if (fresh.expires <= date) continue;
    // A backend has just issued this token with the correct date.
    REQUIRE_FALSE(used.is_used_by_another(id_of(second), kFirst, fresh.expires));
    used.add(use_of(fresh.number, kDate + second, fresh.expires), now);
    known.push_back(fresh);
  }
  REQUIRE(known.size() > 200);
  REQUIRE(used.size() <= 1000);
}

TEST_CASE("A token that was used while the date was ahead makes no later token invalid",
          "[net][secure]") {
  constexpr UnixSeconds kDate = 1'000'000;
  const UnixSeconds ahead = GENERATE(0U, 500U, 900U, 999U);
  const bool is_restored = GENERATE(false, true);
  CAPTURE(ahead, is_restored);
  UsedTokens first(10);
  first.add(use_of(1, kDate, kDate + 1000), kStart);
  UsedTokens next(10);
  REQUIRE(next.restore(first.save(), kStart));
  UsedTokens& used = is_restored ? next : first;
  for (UnixSeconds second = 0; second < 1000; ++second) {
    const UnixSeconds date = kDate + second + (second < 500 ? ahead : 0);
    used.forget_expired(date, kStart + std::chrono::seconds(second));
    CAPTURE(second);
    // Another token expires at the same time.
    REQUIRE_FALSE(used.is_used_by_another(id_of(2), kFirst, kDate + 1000));
    REQUIRE(used.is_used_by_another(id_of(1), kSecond, kDate + 1000));
  }
}

TEST_CASE("A saved list of used tokens survives a restart, and a damaged list is refused",
          "[net][secure]") {
  UsedTokens before(10);
  before.add(use_of(9, 40, 50), kStart);
  before.forget_expired(50, kStart + 10s);
  before.add(use_of(1, 60, 100), kStart);
  before.add({.id = id_of(2), .attempt = kSecond, .issued = 60, .expires = 200}, kStart);
  const NetBytes list = before.save();
  REQUIRE(list.size() == 24 + 2 * 64);

  UsedTokens after(10);
  REQUIRE(after.restore(list, Time(1s)));
  REQUIRE(after.save() == list);
  REQUIRE(after.is_used_by_another(id_of(1), kSecond, 100));
  REQUIRE_FALSE(after.is_used_by_another(id_of(1), kFirst, 100));
  REQUIRE(after.is_used_by_another(id_of(9), kSecond, 50));
  REQUIRE_FALSE(after.is_used_by_another(id_of(3), kSecond, 100));
  // The same list can be restored again.
  REQUIRE(after.restore(list, Time(2s)));
  REQUIRE(after.size() == 2);
  after.forget_expired(100, Time(41s));
  REQUIRE(after.size() == 1);

  UsedTokens refusing(10);
  damage::each_truncation(
      list, [&](const ByteVector& cut) { REQUIRE_FALSE(refusing.restore(cut, Time(1s))); });
  NetBytes longer = list;
  longer.push_back(std::byte{0});
  REQUIRE_FALSE(refusing.restore(longer, Time(1s)));
  for (const std::size_t offset : std::array<std::size_t, 3>{0, 4, 16}) {  // Magic, version, count.
    NetBytes damaged = list;
    damaged[offset] ^= std::byte{1};
    REQUIRE_FALSE(refusing.restore(damaged, Time(1s)));
  }
  NetBytes twice = list;  // Ids must ascend, so duplicates are refused.
  std::copy_n(twice.begin() + 24, 64, twice.begin() + 24 + 64);
  REQUIRE_FALSE(refusing.restore(twice, Time(1s)));
  REQUIRE(refusing.size() == 0);
  UsedTokens small(1);
  REQUIRE_FALSE(small.restore(list, Time(1s)));
}

/// The events between two uses of a token.
enum class Meanwhile : std::uint8_t { nothing, date_step, restart, kept_list, later_tokens_only };

std::optional<RefuseReason> second_use(Meanwhile meanwhile) {
  NetStage stage(5);
  stage.options.backend_key = stage.backend_key;
  stage.start();
  ClientOptions options = stage.client_options();
  options.handshake.mode = TrustMode::token;
  options.handshake.token = read_client_token(stage.token(AccountId(42)));
  Client& first = stage.add_client(options);
  stage.run(1s);
  REQUIRE(first.state() == ClientState::connected);
  REQUIRE(stage.server->counters().tokens_used == 1);
  first.close("bye", stage.now);
  stage.run(3s);
  const NetBytes list = stage.server->save_used_tokens();
  switch (meanwhile) {
    case Meanwhile::nothing:
      break;
    case Meanwhile::date_step:
      stage.date += 3600;
      stage.run(100ms);
      stage.date -= 3600;
      stage.run(100ms);
      break;
    case Meanwhile::later_tokens_only:
      stage.options.tokens_issued_from = NetStage::kDate + 1;
      stage.start();
      break;
    case Meanwhile::restart:
    case Meanwhile::kept_list:
      stage.start();
      break;
  }
  if (meanwhile == Meanwhile::kept_list) {
    REQUIRE(stage.server->restore_used_tokens(list, stage.now));
  }
  const Client& second = stage.add_client(options, Address::ipv4({66, 6, 6, 6}, 666));
  stage.run(2s);
  if (second.state() == ClientState::connected) return std::nullopt;
  return second.refusal()->reason;
}

TEST_CASE(
    "A used token stays refused when the date is set forward and back, and after a restart with "
    "the list",
    "[net][endpoint]") {
  REQUIRE(second_use(Meanwhile::nothing) == RefuseReason::token_used);
  REQUIRE(second_use(Meanwhile::date_step) == RefuseReason::token_used);
  REQUIRE(second_use(Meanwhile::kept_list) == RefuseReason::token_used);
  REQUIRE(second_use(Meanwhile::later_tokens_only) == RefuseReason::token_invalid);
  // After a restart without the list, the second use is accepted.
  REQUIRE_FALSE(second_use(Meanwhile::restart).has_value());
}

TEST_CASE("Other tokens are valid while the date is ahead and afterwards", "[net][endpoint]") {
  NetStage stage(5);
  stage.options.backend_key = stage.backend_key;
  stage.start();
  std::uint16_t port = 1;
  const auto state = [&] {
    ClientOptions options = stage.client_options();
    options.handshake.mode = TrustMode::token;
    options.handshake.token = read_client_token(stage.token(AccountId(port)));
    const Client& client = stage.add_client(options, Address::ipv4({10, 0, 2, 1}, port++));
    stage.run(1s);
    return client.state();
  };
  REQUIRE(state() == ClientState::connected);
  stage.date += 3600;
  REQUIRE(state() == ClientState::closed);  // The token has expired at this date.
  stage.date -= 3600;
  REQUIRE(state() == ClientState::connected);
}

}  // namespace
}  // namespace muster
