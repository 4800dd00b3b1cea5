// Access to a component with another struct of the same name. A second test program compiles this
// file without assertions.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/session_game.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using namespace session_game;  // NOLINT(google-build-using-namespace): the game of these tests

/// A larger struct with the name of `Runner`.
struct LargeRunner {
  std::array<std::int64_t, 32> values{};
};
consteval auto describe(Type<LargeRunner>) {
  return Describe<LargeRunner>("Runner").field<&LargeRunner::values>("values");
}

TEST_CASE("A component is not found with another struct of its name, and this is reported",
          "[session][flow]") {
  const auto match = open_match();
  GameServer& server = match->server();
  const EntityId runner = server.spawn("runner");
  GameClient& client = match->add_client();
  match->run(1s);
  const EntityId received = client.find(server.reference(runner));
  REQUIRE(client.get<Runner>(received) != nullptr);
  const auto is_reported = [&](auto access) {
    const std::size_t first = match->problems().size();
    access();
    match->run(2s);  // A cause is reported at most once per second.
    const auto problems = match->problems().subspan(first);
    return problems.size() == 1 && problems.front().kind == ProblemKind::unknown_type &&
           problems.front().component == "Runner" &&
           problems.front().text.find("another struct") != std::string::npos;
  };
  CHECK(is_reported([&] { CHECK(server.get<LargeRunner>(runner) == nullptr); }));
  CHECK(is_reported([&] { CHECK(server.edit<LargeRunner>(runner) == nullptr); }));
  CHECK(is_reported([&] { CHECK_FALSE(server.add(runner, LargeRunner())); }));
  CHECK(is_reported([&] { CHECK(client.get<LargeRunner>(received) == nullptr); }));
  CHECK(is_reported([&] { CHECK(client.confirmed<LargeRunner>(received) == nullptr); }));
  int visits = 0;
  CHECK(is_reported([&] { server.each<LargeRunner>([&](LargeRunner&) { ++visits; }); }));
  CHECK(
      is_reported([&] { client.each<const LargeRunner>([&](const LargeRunner&) { ++visits; }); }));
  CHECK(visits == 0);
}

}  // namespace
}  // namespace muster
