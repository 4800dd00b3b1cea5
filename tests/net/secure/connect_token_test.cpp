#include "net/secure/connect_token.h"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/support/damage.h"
#include "tests/support/net_bytes.h"

namespace muster {
namespace {

constexpr UnixSeconds kDate = 1'800'000'000;
constexpr std::uint64_t kApplication = 0x1122334455667788;

struct Backend {
  SeededEntropy entropy{1};
  SecretKey key = SecretKey::random(entropy);

  TokenClaims claims() const {
    TokenClaims claims{.application = kApplication,
                       .issued = kDate,
                       .expires = kDate + 60,
                       .server_key = {std::byte{3}, std::byte{4}},
                       .account = AccountId(0xAABBCCDDEEFF0011),
                       .servers = {Address::parse("203.0.113.7:7000").value(),
                                   Address::parse("[2001:db8::7]:7001").value()},
                       .user_data = pattern(9, 100)};
    return claims;
  }
  std::optional<std::vector<std::byte>> issue(const TokenClaims& claims) {
    return issue_token(claims, key, entropy);
  }
};

TEST_CASE("A client and a server each read their part of a token", "[net][secure][sys-33]") {
  Backend backend;
  const TokenClaims claims = backend.claims();
  const NetBytes bytes = backend.issue(claims).value();
  const std::optional<ClientToken> token = read_client_token(bytes);
  REQUIRE(token.has_value());
  REQUIRE(token->application == kApplication);
  REQUIRE(token->issued == kDate);
  REQUIRE(token->expires == kDate + 60);
  REQUIRE(token->server_key == claims.server_key);
  REQUIRE(token->servers == claims.servers);
  const auto opened = open_token(token->presented, kApplication, kDate, backend.key);
  REQUIRE(opened.has_value());
  REQUIRE(opened->account == claims.account);
  REQUIRE(opened->servers == claims.servers);
  REQUIRE(opened->user_data == claims.user_data);
  REQUIRE(opened->secret == token->secret);
  REQUIRE(opened->expires == claims.expires);
  // The secret is never sent.
  const auto secret = token->secret.bytes();
  const auto& presented = token->presented;
  REQUIRE(std::search(presented.begin(), presented.end(), secret.begin(), secret.end()) ==
          presented.end());
  REQUIRE(read_client_token(backend.issue(claims).value())->presented != token->presented);
}

TEST_CASE("A token is valid before the second in which it expires", "[net][secure][sys-33]") {
  Backend backend;
  const ClientToken token = read_client_token(backend.issue(backend.claims()).value()).value();
  const auto opens = [&](std::uint64_t application, UnixSeconds now, const SecretKey& key) {
    return open_token(token.presented, application, now, key).has_value();
  };
  REQUIRE(opens(kApplication, kDate + 59, backend.key));
  REQUIRE_FALSE(opens(kApplication, kDate + 60, backend.key));
  REQUIRE_FALSE(opens(kApplication, ~UnixSeconds{0}, backend.key));
  REQUIRE_FALSE(opens(kApplication + 1, kDate, backend.key));
  REQUIRE_FALSE(opens(kApplication, kDate, SecretKey()));
}

TEST_CASE("Claims beyond a limit give no token, and the largest valid claims give a token",
          "[net][secure][sys-33]") {
  Backend backend;
  TokenClaims claims = backend.claims();
  SECTION("the token names no server") { claims.servers.clear(); }
  SECTION("the token names 17 servers") { claims.servers.resize(17); }
  SECTION("the token has 257 bytes for the game") { claims.user_data.resize(257); }
  SECTION("the token expires when it is issued") { claims.expires = claims.issued; }
  SECTION("the token is valid one second too long") {
    claims.expires = claims.issued + kTokenLifetimeMax + 1;
  }
  REQUIRE_FALSE(backend.issue(claims).has_value());
  claims = backend.claims();
  claims.servers.resize(16);
  claims.user_data.resize(256);
  claims.expires = claims.issued + kTokenLifetimeMax;
  const std::optional<ClientToken> token = read_client_token(backend.issue(claims).value());
  REQUIRE(token.has_value());
  REQUIRE(token->presented.size() == kTokenBytesMax);
  REQUIRE(open_token(token->presented, kApplication, kDate, backend.key)->servers.size() == 16);
}

TEST_CASE("A damaged token does not open", "[net][secure][sys-33]") {
  Backend backend;
  const NetBytes bytes = backend.issue(backend.claims()).value();
  damage::each_truncation(
      bytes, [](const ByteVector& cut) { REQUIRE_FALSE(read_client_token(cut).has_value()); });
  NetBytes longer = bytes;
  longer.push_back(std::byte{0});
  REQUIRE_FALSE(read_client_token(longer).has_value());
  const NetBytes presented = read_client_token(bytes)->presented;
  const auto opens = [&](const NetBytes& each) {
    return open_token(each, kApplication, kDate, backend.key).has_value();
  };
  REQUIRE(opens(presented));
  damage::each_truncation(presented, [&](const ByteVector& cut) { REQUIRE_FALSE(opens(cut)); });
  for (std::size_t bit = 0; bit < presented.size() * 8; ++bit) {
    NetBytes damaged = presented;
    damaged[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    if (opens(damaged)) FAIL("bit " << bit);
  }
  longer = presented;
  longer.push_back(std::byte{0});
  REQUIRE_FALSE(opens(longer));
  REQUIRE_FALSE(opens(NetBytes(5000)));
}

}  // namespace
}  // namespace muster
