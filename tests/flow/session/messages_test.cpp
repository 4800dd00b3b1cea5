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

TEST_CASE("A message for a tick is refused while its player does not play", "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  server.on_join([&](PlayerId player) {
    CHECK_FALSE(server.send(player, chat("early"), {.timing = Timing::at_tick}));
    CHECK_FALSE(server.send(player, chat("early"), {.timing = Timing::at_tick}));
    // Messages to several players leave out players that do not play.
    server.send_all(chat("early"), {.timing = Timing::at_tick});
  });
  GameClient& client = match->add_client();
  std::vector<std::string> received;
  client.on_message<Chat>([&](const Chat& chat) { received.emplace_back(chat.text.view()); });
  match->run(1s);
  REQUIRE(match->problems().size() == 1);
  const Problem& problem = match->problems().front();
  CHECK(problem.kind == ProblemKind::dropped);
  CHECK(problem.component == "Chat");
  CHECK(problem.player == client.player());
  CHECK(problem.count == 2);
  CHECK(server.send(client.player(), chat("now"), {.timing = Timing::at_tick}));
  match->run(1s);
  CHECK(received == std::vector<std::string>{"now"});
  CHECK(match->problems().size() == 1);
}

TEST_CASE("Each message for a tick arrives, is refused, or is reported as dropped",
          "[session][flow]") {
  // The link is down for 20 s, which is longer than a connection lasts. The client then resumes.
  const auto match = open_match({.seed = 8});
  GameServer& server = match->server();
  GameClient& client = match->add_client();
  std::uint64_t received = 0;
  client.on_message<Chat>([&](const Chat&) { ++received; });
  match->run(1s);
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  const auto send_for = [&](Duration time) {
    for (Duration past{}; past < time; past += 125ms) {
      const bool is_accepted =
          server.send(client.player(), chat("tick"), {.timing = Timing::at_tick});
      ++(is_accepted ? accepted : refused);
      match->run(125ms);
    }
  };
  match->set_link(client, {.is_down = true});
  send_for(20s);
  match->set_link(client, {});
  send_for(10s);
  match->run(1s);
  CHECK(client.state() == GameClientState::playing);
  std::uint64_t lost = 0;
  std::uint64_t reported_refused = 0;
  for (const Problem& problem : match->problems()) {
    if (problem.kind != ProblemKind::dropped) continue;
    CHECK(problem.player == client.player());
    (problem.component == "Chat" ? reported_refused : lost) += problem.count;
  }
  CHECK(received > 0);
  CHECK(lost > 0);
  CHECK(accepted == received + lost);
  CHECK(refused == reported_refused);
}

TEST_CASE("A message for a tick is reported if its player is removed before it arrives",
          "[session][flow]") {
  const bool is_kicked = GENERATE(true, false);
  CAPTURE(is_kicked);
  const auto match = open_match({.server = {.resume_time = {}}});
  GameServer& server = match->server();
  GameClient& client = match->add_client();
  int received = 0;
  client.on_message<Chat>([&](const Chat&) { ++received; });
  match->run(1s);
  const PlayerId player = client.player();
  match->set_link(client, {.is_down = true});
  for (int i = 0; i < 5; ++i) CHECK(server.send(player, chat("tick"), {.timing = Timing::at_tick}));
  match->run(200ms);
  if (is_kicked) server.kick(player, "cheats");
  match->run(30s);
  CHECK(received == 0);
  REQUIRE(match->problems().size() == 1);
  CHECK(match->problems().front().kind == ProblemKind::dropped);
  CHECK(match->problems().front().count == 5);
}

/// A system that emits a message in each tick.
void shout(SystemContext& ctx) { ctx.emit(chat("here"), EffectOptions()); }

TEST_CASE("An emitted message is reported if the connection ends before it arrives",
          "[session][flow]") {
  Game game = make_game();
  game.server_systems = systems<shout>();
  auto opened = SimulatedMatch::open(game, build_folder(), {.server = {.resume_time = {}}});
  REQUIRE(opened);
  SimulatedMatch& match = *opened.value();
  GameClient& client = match.add_client();
  client.on_message<Chat>([](const Chat&) {});
  match.run(1s);
  match.set_link(client, {.is_down = true});
  match.run(200ms);
  match.server().kick(client.player(), "idle");
  match.run(1s);
  REQUIRE(match.problems().size() == 1);
  CHECK(match.problems().front().kind == ProblemKind::dropped);
  CHECK(match.problems().front().count >= 5);
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

TEST_CASE("An unreliable message larger than a datagram is refused and reported",
          "[session][flow]") {
  const auto match = open_match();
  int received = 0;
  match->server().on_message<Letter>([&](PlayerId, const Letter&) { ++received; });
  GameClient& client = match->add_client();
  client.on_message<Letter>([&](const Letter&) { ++received; });
  match->run(1s);
  CHECK_FALSE(client.send(Letter(), {.reliability = Reliability::unreliable}));
  CHECK_FALSE(
      match->server().send(client.player(), Letter(), {.reliability = Reliability::unreliable}));
  match->run(1s);
  CHECK(received == 0);
  CHECK(count_of(match->problems(), ProblemKind::too_large) == 2);
  for (const Problem& problem : match->problems()) {
    CHECK(problem.component == "Letter");
    CHECK(problem.text.find("at most 1024") != std::string::npos);
  }
}

TEST_CASE("A message that the client's game does not list is reported with its name",
          "[session][flow]") {
  const auto match = open_match();
  Game other = make_game();
  other.messages = messages<Chat>();
  GameClient& client = match->add_client({}, other, build_folder(), {});
  match->run(1s);
  CHECK(match->server().send(client.player(), Letter()));
  match->run(1s);
  REQUIRE(count_of(match->problems(), ProblemKind::dropped) == 1);
  CHECK(match->problems().front().component == "Letter");
}

struct LongChat {
  FixedText<128> text{};
};
consteval auto describe(Type<LongChat>) {
  return Describe<LongChat>("Chat").field<&LongChat::text>("text");
}
struct Unlisted {
  std::int32_t number = 0;
};
consteval auto describe(Type<Unlisted>) {
  return Describe<Unlisted>("Unlisted").field<&Unlisted::number>("number");
}

TEST_CASE("Sending and handling a message that is not listed are reported with the reason",
          "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  const auto texts = [&](auto act) {
    const std::size_t first = match->problems().size();
    act();
    match->run(100ms);
    std::vector<std::string> found;
    for (const Problem& problem : match->problems().subspan(first)) found.push_back(problem.text);
    return found;
  };
  const auto handle = [&]<typename T>(T) {
    match->server().on_message<T>([](PlayerId, const T&) {});
    client.on_message<T>([](const T&) {});
  };
  const auto send = [&]<typename T>(T message) {
    match->server().send_all(message);
    CHECK_FALSE(client.send(message));
  };
  const std::string other = ": another command or message has its name";
  const std::string unlisted = ": Game::messages does not list it";
  const auto twice = [](const std::string& text) { return std::vector<std::string>(2, text); };
  CHECK(texts([&] { handle(LongChat()); }) == twice("the message has no handler" + other));
  CHECK(texts([&] { handle(Unlisted()); }) == twice("the message has no handler" + unlisted));
  CHECK(texts([&] { send(LongChat()); }) == twice("the message was not sent" + other));
  CHECK(texts([&] { send(Unlisted()); }) == twice("the message was not sent" + unlisted));
}

struct Map {
  std::array<std::uint8_t, 1025> cells{};
};
consteval auto describe(Type<Map>) { return Describe<Map>("Map").field<&Map::cells>("cells"); }

TEST_CASE("A message field with too many values is refused, and the error has field and limit",
          "[session][flow]") {
  Game game = make_game();
  game.messages = messages<Map>();
  const TemporaryFolder folder;
  const Result<void> written = export_components(game, folder.path() + "/components.json");
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::limit_exceeded);
  CHECK(written.error().message.find("'Map'") != std::string::npos);
  CHECK(written.error().message.find("'cells' has 1025 values") != std::string::npos);
  CHECK(written.error().message.find("at most 1024") != std::string::npos);
}

}  // namespace
}  // namespace muster
