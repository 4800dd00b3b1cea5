// The reports of a session for errors of users, games and networks.
#include <array>
#include <chrono>
#include <limits>
#include <optional>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

const Problem* find(std::span<const Problem> problems, ProblemKind kind) {
  const auto found = std::ranges::find(problems, kind, &Problem::kind);
  return found != problems.end() ? &*found : nullptr;
}

TEST_CASE("A client with a wrong key gets no answer and reports what to check", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client({}, make_game(), build_folder(),
                                         {.key = std::string(64, '7'), .connect_timeout = 2s});
  match->run(3s);
  REQUIRE(client.is_over());
  CHECK_FALSE(client.end().is_good);
  CHECK(client.end().text.find("key") != std::string::npos);
}

TEST_CASE("With default options, a client with a wrong key shows what to check after two seconds",
          "[session][flow]") {
  const auto match = open_match();
  GameClient& client =
      match->add_client({}, make_game(), build_folder(), {.key = std::string(64, '7')});
  match->run(1800ms);
  CHECK(client.state() == GameClientState::connecting);
  CHECK(client.state_text().starts_with("connecting to "));
  match->run(300ms);
  CHECK(client.state() == GameClientState::connecting);
  CHECK(client.state_text().starts_with("no answer from "));
  CHECK(client.state_text().ends_with(": check its address and key"));
}

TEST_CASE("A client of another application is refused", "[session][flow]") {
  const auto match = open_match();
  Game other = make_game();
  other.application = 99;
  GameClient& client = match->add_client({}, other, build_folder(), {});
  match->run(1s);
  REQUIRE(client.is_over());
  CHECK(client.end().code == ErrorCode::permission_denied);
}

TEST_CASE("A client detects that the server was killed", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  REQUIRE(client.state() == GameClientState::playing);
  match->kill_server();
  match->run(5s);
  CHECK(client.state() == GameClientState::interrupted);
  match->run(15s);
  CHECK(client.state() == GameClientState::interrupted);  // The client tries to connect again.
  match->run(35s);
  REQUIRE(client.is_over());
  CHECK(client.end().code == ErrorCode::timed_out);
}

struct Unlisted {
  std::int32_t value = 0;
};
consteval auto describe(Type<Unlisted>) {
  return Describe<Unlisted>("Unlisted").field<&Unlisted::value>("value");
}

TEST_CASE("Server and client report a component that the game does not list", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  const auto reports = [&] {
    return std::ranges::count_if(match->problems(), [](const Problem& problem) {
      return problem.kind == ProblemKind::unknown_type && problem.component == "Unlisted";
    });
  };
  int visits = 0;
  match->server().each<Unlisted>([&](Unlisted&) { ++visits; });
  match->run(1s);
  CHECK(reports() == 1);
  client.each<const Unlisted>([&](const Unlisted&) { ++visits; });
  match->run(1s);
  CHECK(reports() == 2);
  CHECK(client.get<Unlisted>(EntityId()) == nullptr);
  CHECK(visits == 0);
}

TEST_CASE("A server that closes sends its clients the reason", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  match->server().close("maintenance");
  match->run(1s);
  REQUIRE(client.is_over());
  CHECK(client.end().text.find("maintenance") != std::string::npos);
}

TEST_CASE("The game can refuse a client, with its reason", "[session][flow]") {
  const auto match = open_match();
  match->server().on_apply(
      [](const PlayerInfo&) -> std::optional<std::string> { return "the match is full"; });
  GameClient& client = match->add_client();
  match->run(1s);
  REQUIRE(client.is_over());
  CHECK(client.end().text.find("the match is full") != std::string::npos);
}

TEST_CASE("A kicked player receives the reason", "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  match->run(1s);
  match->server().kick(client.player(), "idle for too long");
  match->run(1s);
  REQUIRE(client.is_over());
  CHECK_FALSE(client.end().is_good);
  CHECK(client.end().text.find("idle for too long") != std::string::npos);
}

TEST_CASE("A type that is not in the build is reported with the nearest name", "[session][flow]") {
  const auto match = open_match();
  CHECK(match->server().spawn("runer").is_null());
  match->run(100ms);
  const Problem* const problem = find(match->problems(), ProblemKind::unknown_type);
  REQUIRE(problem != nullptr);
  CHECK(problem->text.find("runner") != std::string::npos);
}

TEST_CASE("Adding a component that the entity's prefab lacks is reported", "[session][flow]") {
  const auto match = open_match();
  const EntityId rock = match->server().spawn("rock");
  CHECK_FALSE(match->server().add(rock, Burning{}));
  CHECK_FALSE(match->server().remove<Transform>(rock));
  match->run(100ms);
  const Problem* const problem = find(match->problems(), ProblemKind::unsupported_change);
  REQUIRE(problem != nullptr);
  CHECK(problem->component == "Burning");
  CHECK(problem->entity == rock);
}

TEST_CASE("A component value outside its range is clamped, and reported with its field",
          "[session][flow]") {
  const auto match = open_match();
  match->server().spawn("runner", {}, Runner{.score = 5000});
  GameClient& client = match->add_client();
  match->run(1s);
  std::int32_t score = 0;
  client.each<const Runner>([&](const Runner& runner) { score = runner.score; });
  CHECK(score == 1000);
  const Problem* const problem = find(match->problems(), ProblemKind::clamped);
  REQUIRE(problem != nullptr);
  CHECK(problem->component == "Runner");
  CHECK(problem->field == "score");
  CHECK(problem->text.starts_with("5000 is outside 0 to 1000 in "));
  CHECK(match->server().metrics().clamped_values == 1);
}

enum class Mood : std::int8_t { calm, alert, angry };
constexpr std::array<std::string_view, 3> kMoods = {"calm", "alert", "angry"};
struct Gauge {
  float level = 1;
  Mood mood = Mood::calm;
};
consteval auto describe(Type<Gauge>) {
  return Describe<Gauge>("Gauge")
      .field<&Gauge::level>("level",
                            {.unit = "bar", .minimum = -1, .maximum = 3, .resolution = 0.5})
      .field<&Gauge::mood>("mood", {.names = kMoods});
}

/// A match whose rocks have a `Gauge`.
struct GaugeStage {
  GaugeStage() {
    Game game = make_game();
    game.components = components<Replicated, Transform, Runner, Burning, Gauge>();
    MemoryFileSystem files = project_of(game);
    files.add("things/rock.yaml",
              "class: Prefab\nroot:\n  name: rock\n  components:\n  - ReplicatedEntity: {}\n"
              "  - Transform: {}\n  - Gauge: {}\n");
    build_project(files, folder.path());
    auto opened = SimulatedMatch::open(game, folder.path(), {});
    REQUIRE(opened);
    match = std::move(opened.value());
    client = &match->add_client();
  }
  /// Returns the gauge that the client receives.
  Gauge received(const Gauge& sent) {
    match->server().spawn("rock", {}, sent);
    match->run(1s);
    std::optional<Gauge> found;
    client->each<const Gauge>([&](const Gauge& gauge) { found = gauge; });
    REQUIRE(found);
    return *found;
  }

  TemporaryFolder folder;
  std::unique_ptr<SimulatedMatch> match;
  GameClient* client = nullptr;
};

TEST_CASE("NaN in a field with a range is sent as the value nearest to zero, and is reported",
          "[session][flow]") {
  GaugeStage stage;
  CHECK(stage.received({.level = std::numeric_limits<float>::quiet_NaN()}).level == 0);
  const Problem* const problem = find(stage.match->problems(), ProblemKind::clamped);
  REQUIRE(problem != nullptr);
  CHECK(problem->component == "Gauge");
  CHECK(problem->field == "level");
  CHECK_FALSE(problem->entity.is_null());
  CHECK(problem->text.starts_with("NaN or infinity in "));
  CHECK(problem->text.ends_with("clients receive the nearest value to zero"));
  CHECK(stage.match->server().metrics().clamped_values == 1);
  CHECK(stage.match->differences().empty());
}

TEST_CASE("A number without a name is sent as the nearest number with a name, and is reported",
          "[session][flow]") {
  const auto [number, nearest] = GENERATE(table<int, Mood>({{9, Mood::angry}, {-1, Mood::calm}}));
  CAPTURE(number);
  GaugeStage stage;
  CHECK(stage.received({.mood = static_cast<Mood>(number)}).mood == nearest);
  const Problem* const problem = find(stage.match->problems(), ProblemKind::clamped);
  REQUIRE(problem != nullptr);
  CHECK(problem->component == "Gauge");
  CHECK(problem->field == "mood");
  CHECK_FALSE(problem->entity.is_null());
  CHECK(problem->text.starts_with(std::to_string(number) +
                                  " is outside the named numbers 0 to 2 in "));
  CHECK(stage.match->server().metrics().clamped_values == 1);
  CHECK(stage.match->differences().empty());
}

TEST_CASE("A value beyond every step is reported as such", "[session][flow]") {
  GaugeStage stage;
  CHECK(stage.received({.level = std::numeric_limits<float>::infinity()}).level == 3);
  const Problem* const problem = find(stage.match->problems(), ProblemKind::clamped);
  REQUIRE(problem != nullptr);
  CHECK(problem->text.starts_with("more than 2.3"));
}

TEST_CASE("A message's value outside its range is clamped, counted and reported with its field",
          "[session][flow]") {
  const auto match = open_match();
  GameClient& client = match->add_client();
  int received = 0;
  client.on_message<Chat>([&](const Chat& chat) { received = chat.number; });
  match->server().on_message<Chat>([&](PlayerId, const Chat& chat) { received = chat.number; });
  match->run(1s);
  const bool is_from_server = GENERATE(true, false);
  if (is_from_server) {
    match->server().send_all(Chat{.number = 500});
  } else {
    client.send(Chat{.number = 500});
  }
  match->run(1s);
  CHECK(received == 100);
  const Problem* const problem = find(match->problems(), ProblemKind::clamped);
  REQUIRE(problem != nullptr);
  CHECK(problem->component == "Chat");
  CHECK(problem->field == "number");
  CHECK(match->server().metrics().clamped_values == (is_from_server ? 1 : 0));
}

TEST_CASE("A folder without a build is an error that names the command", "[session][flow]") {
  const TemporaryFolder empty;
  const auto build = Build::open(empty.path(), Target::server, make_game());
  REQUIRE_FALSE(build);
  CHECK(build.error().code == ErrorCode::not_found);
  CHECK(build.error().message.find("muster build") != std::string::npos);
}

TEST_CASE("A system that uses a component that is not in the game's list is an error",
          "[session][flow]") {
  Game game = make_game();
  game.components = components<Replicated, Transform>();
  const auto build = Build::open(build_folder(), Target::server, game);
  REQUIRE_FALSE(build);
  CHECK(build.error().code == ErrorCode::invalid_argument);
  CHECK(build.error().message.find("steer") != std::string::npos);
  CHECK(build.error().message.find("Runner") != std::string::npos);
}

TEST_CASE("Equal seeds give equal worlds", "[session][flow]") {
  const auto play = [](std::uint64_t seed) {
    const auto match = open_match({.seed = seed});
    match->server().on_join(
        [&](PlayerId player) { match->server().spawn("runner", {.owner = player}); });
    match->add_client({.delay = 30ms, .loss = 0.1});
    match->on_client_frame([](GameClient& client, Tick) { client.set_command(Steer{{1, 0, 0}}); });
    match->run(3s);
    return match->world_hash();
  };
  CHECK(play(1) == play(1));
}

TEST_CASE("A number of the sync model outside its range is refused, and the error names the number",
          "[session][flow]") {
  const auto refusal = [](const OwnerPrediction& sync) {
    Game game = make_game();
    game.sync = sync;
    const auto build = Build::open(build_folder(), Target::server, game);
    if (build) return std::string();
    CHECK(build.error().code == ErrorCode::invalid_argument);
    return build.error().message;
  };
  const auto names = [](const std::string& text, std::string_view field) {
    return text.find("OwnerPrediction::" + std::string(field)) != std::string::npos;
  };
  CHECK(refusal({}).empty());
  CHECK(names(refusal({.snapshots_per_second = 0}), "snapshots_per_second"));
  CHECK(names(refusal({.replayed_ticks_max = 0}), "replayed_ticks_max"));
  CHECK(names(refusal({.replayed_ticks_max = 64}), "replayed_ticks_max"));
  CHECK(names(refusal({.rewind_max = -1ms}), "rewind_max"));
  CHECK(names(refusal({.rewind_max = 2001ms}), "rewind_max"));
  CHECK(names(refusal({.extrapolation_max = -1ms}), "extrapolation_max"));
}

}  // namespace
}  // namespace muster
