// Callbacks that call functions of the session.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

TEST_CASE("A server may close when its last player leaves", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  int left = 0;
  server.on_leave([&](PlayerId, std::string_view) {
    ++left;
    server.close("no players");
  });
  GameClient& leaving = match->add_client();
  GameClient& staying = match->add_client();
  match->run(1s);
  leaving.leave();
  match->run(1s);
  CHECK(left == 2);
  REQUIRE(staying.is_over());
  CHECK(staying.end().text.find("no players") != std::string::npos);
  GameClient& late = match->add_client();
  match->run(2s);
  REQUIRE(late.is_over());
  CHECK(late.end().text.find("closes") != std::string::npos);
}

TEST_CASE("A player may be kicked while joining", "[session][flow]") {
  const auto match = open_match();
  match->server().on_join([&](PlayerId player) {
    match->server().spawn("runner", {.owner = player});
    match->server().kick(player, "full");
  });
  GameClient& client = match->add_client();
  match->run(2s);
  REQUIRE(client.is_over());
  CHECK(match->server().players().empty());
}

TEST_CASE("Entities may be spawned while a server iterates over entities", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  for (int i = 0; i < 10; ++i) server.spawn("rock");
  int visited = 0;
  server.each<Transform>([&](EntityId, Transform& at) {
    ++visited;
    at.position.x = 1;
    for (int i = 0; i < 50; ++i) server.spawn("rock", {}, Transform{.position = {2, 0, 0}});
  });
  CHECK(visited == 10);
  int all = 0;
  server.each<const Transform>([&](const Transform&) { ++all; });
  CHECK(all == 510);
}

TEST_CASE("A callback may replace itself", "[session][flow]") {
  const auto match = open_match();
  match->server().spawn("rock");
  match->server().spawn("rock");
  GameClient& client = match->add_client();
  int first = 0;
  int second = 0;
  const std::string text(100, 'x');  // The callback captures this text.
  client.on_spawn([&, text](EntityId) {
    ++first;
    client.on_spawn([&](EntityId) { ++second; });
    CHECK(text.size() == 100);
  });
  client.on_message<Chat>([&, text](const Chat&) {
    client.on_message<Chat>([&](const Chat&) { ++second; });
    CHECK(text.size() == 100);
    ++first;
  });
  match->run(1s);
  CHECK(first == 1);
  CHECK(second == 1);
  match->server().send_all(chat("one"));
  match->server().send_all(chat("two"));
  match->run(1s);
  CHECK(first == 2);
  CHECK(second == 2);
}

TEST_CASE("A handler may read entities that have just arrived", "[session][flow]") {
  const auto match = open_match();
  match->server().spawn("rock");
  GameClient& client = match->add_client();
  std::size_t seen = 0;
  client.on_message<Chat>([&](const Chat&) {
    client.each<const Transform>([&](EntityId id, const Transform& at) {
      CHECK(client.get<Transform>(id) != nullptr);
      CHECK(at.scale.x == 1);
      ++seen;
    });
  });
  match->run(1s);
  for (int i = 0; i < 100; ++i) match->server().spawn("rock");
  match->server().send_all(chat("look"), {.timing = Timing::at_tick});
  match->run(2s);
  CHECK(seen == 101);
}

TEST_CASE("A component that the prefab lacks is also refused at spawn", "[session][flow]") {
  const auto match = open_match();
  const EntityId rock = match->server().spawn("rock", {}, Burning{});
  CHECK(match->server().get<Burning>(rock) == nullptr);
  match->run(100ms);
  REQUIRE_FALSE(match->problems().empty());
  CHECK(match->problems().front().kind == ProblemKind::unsupported_change);
}

}  // namespace
}  // namespace muster
