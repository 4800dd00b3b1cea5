// Messages of a session, in both directions.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

constexpr Link kLossy{.delay = 40ms, .loss = 0.2};

std::size_t count_of(std::span<const Problem> problems, ProblemKind kind) {
  return static_cast<std::size_t>(std::ranges::count(problems, kind, &Problem::kind));
}

TEST_CASE("Reliable messages arrive once and in order in both directions", "[session][flow]") {
  const auto match = open_match({.seed = 5});
  std::vector<std::int32_t> at_server;
  std::vector<std::int32_t> at_client;
  match->server().on_message<Chat>([&](PlayerId player, const Chat& chat) {
    at_server.push_back(chat.number);
    CHECK(match->server().send(player, chat));
  });
  GameClient& client = match->add_client(kLossy);
  client.on_message<Chat>([&](const Chat& chat) {
    CHECK(chat.text.view() == "hello");
    at_client.push_back(chat.number);
  });
  match->run(2s);
  for (int i = 0; i < 50; ++i) CHECK(client.send(chat("hello", i)));
  match->run(5s);
  std::vector<std::int32_t> expected(50);
  for (int i = 0; i < 50; ++i) expected[static_cast<std::size_t>(i)] = i;
  CHECK(at_server == expected);
  CHECK(at_client == expected);
  CHECK(match->problems().empty());
}

TEST_CASE("A reliable message may be larger than a datagram", "[session][flow]") {
  const auto match = open_match({.seed = 6});
  Letter received;
  match->server().on_message<Letter>([&](PlayerId, const Letter& letter) { received = letter; });
  GameClient& client = match->add_client(kLossy);
  match->run(1s);
  Letter sent;
  for (std::size_t i = 0; i < sent.words.size(); ++i) {
    sent.words[i] = static_cast<std::uint32_t>(i * 2654435761U);
  }
  CHECK(client.send(sent));
  match->run(3s);
  CHECK(received.words == sent.words);
}

TEST_CASE("A message for a tick arrives with the state of its tick", "[session][flow]") {
  const auto match = open_match({.seed = 7});
  const EntityId rock = match->server().spawn("rock");
  GameClient& client = match->add_client(kLossy);
  float seen = -1;
  client.on_message<Chat>([&](const Chat&) {
    client.each<const Transform>(
        [&](EntityId id, const Transform&) { seen = client.confirmed<Transform>(id)->position.x; });
  });
  match->run(2s);
  match->server().edit<Transform>(rock)->position.x = 12;
  match->run(34ms);
  match->server().send_all(chat("moved"), {.timing = Timing::at_tick});
  match->run(2s);
  CHECK(seen == 12);
}

TEST_CASE("A message near a position reaches the players whose view is near", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  int near = 0;
  int far = 0;
  GameClient& first = match->add_client();
  GameClient& second = match->add_client();
  first.on_message<Chat>([&](const Chat&) { ++near; });
  second.on_message<Chat>([&](const Chat&) { ++far; });
  match->run(1s);
  server.set_view(first.player(), Vec3{1, 0, 0});
  server.set_view(second.player(), Vec3{100, 0, 0});
  server.send_near({}, 10, chat("boom"));
  match->run(1s);
  CHECK(near == 1);
  CHECK(far == 0);
}

TEST_CASE("A message without a handler is dropped and reported once", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  CHECK(client.send(chat("hello")));
  match->run(1s);
  REQUIRE(count_of(match->problems(), ProblemKind::dropped) == 1);
  CHECK(match->problems().front().component == "Chat");
}

TEST_CASE("A message value outside its range is clamped and reported", "[session][flow]") {
  const auto match = open_match();
  std::int32_t received = 0;
  match->server().on_message<Chat>([&](PlayerId, const Chat& chat) { received = chat.number; });
  GameClient& client = match->add_client();
  match->run(1s);
  CHECK(client.send(chat("hello", 5000)));
  match->run(1s);
  CHECK(received == 100);
  CHECK(count_of(match->problems(), ProblemKind::clamped) == 1);
}

TEST_CASE("A server drops a client's messages above the limit for each second", "[session][flow]") {
  const auto match = open_match({.server = {.messages_per_second_max = 10}});
  int received = 0;
  match->server().on_message<Chat>([&](PlayerId, const Chat&) { ++received; });
  GameClient& client = match->add_client();
  match->run(1s);
  for (int i = 0; i < 100; ++i) CHECK(client.send(chat("flood")));
  match->run(500ms);
  CHECK(received == 10);
  CHECK(count_of(match->problems(), ProblemKind::dropped) == 1);
}

}  // namespace
}  // namespace muster
