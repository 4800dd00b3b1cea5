// Makes the n-th allocation of a server or a client fail, for all n of a short game.
#include <chrono>
#include <new>

#include <catch2/catch.hpp>

#include "tests/support/failing_allocations.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// The end whose allocation fails.
enum class Poor : std::uint8_t { server, client };

constexpr std::uint64_t kNever = ~std::uint64_t{0} / 2;

/// A server and a client that exchange messages, payloads and a block.
struct Game {
  explicit Game(Poor poor_end) : poor(poor_end) { stage.start(); }

  /// Connects a client and plays. The allocation with the number `failing` fails at the chosen end.
  void play(std::uint64_t failing) {
    const std::uint64_t before = counted_allocations();
    const auto left = [&] { return failing - (counted_allocations() - before); };
    stage.add_client(stage.client_options());
    Client& client = *stage.clients.back();
    for (int tick = 0; tick < 80; ++tick) {
      stage.now += 16ms;
      stage.network.advance(stage.now);
      run(Poor::client, left(), [&] { client.receive(stage.now); });
      if (tick == 40 && client.connection() != nullptr) talk(*client.connection());
      run(Poor::client, left(), [&] { client.send(stage.now); });
      run(Poor::server, left(), [&] { stage.server->receive(stage.now, stage.date); });
      if (tick == 40 && players() > 0) talk(*stage.server->connection(last_player()));
      run(Poor::server, left(), [&] { stage.server->send(stage.now); });
    }
    if (client.connection() != nullptr) count_refused(*client.connection());
    if (players() > 0) count_refused(*stage.server->connection(last_player()));
  }

  std::size_t players() const {
    std::size_t count = 0;
    stage.server->for_each_client([&count](ClientHandle) { ++count; });
    return count;
  }

  Poor poor;
  NetStage stage{3};
  NetBytes block = pattern(3, 30'000);
  std::uint64_t failures = 0;
  std::uint64_t refused = 0;  ///< The blocks that were refused because the other end had no memory.

 private:
  /// Lets `left` allocations succeed and the next allocation fail. The game continues after the
  /// failure.
  template <typename Step>
  void run(Poor end, std::uint64_t left, const Step& step) {
    if (end != poor) return step();
    try {
      const FailingAllocations failing(left);
      step();
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  }

  ClientHandle last_player() const {
    ClientHandle last;
    stage.server->for_each_client([&last](ClientHandle each) { last = each; });
    return last;
  }

  void talk(Connection& connection) {
    std::uint16_t id = 0;
    static_cast<void>(connection.send_message(0, pattern(1, 500)));
    static_cast<void>(connection.send_payload(pattern(2, 500), 1));
    static_cast<void>(connection.send_block(block, id));
  }

  void count_refused(Connection& connection) {
    for (const SentBlock& sent : connection.finished_blocks()) {
      if (sent.refusal == BlockRefusal::no_memory) ++refused;
    }
    connection.clear_finished_blocks();
  }
};

TEST_CASE("Both ends survive a failure of the n-th allocation, and the next client connects",
          "[net][endpoint]") {
  const Poor poor = GENERATE(Poor::server, Poor::client);
  CAPTURE(static_cast<int>(poor));
  const std::uint64_t before = counted_allocations();
  Game whole(poor);
  whole.play(kNever);
  const std::uint64_t count = counted_allocations() - before;
  REQUIRE(whole.players() == 1);
  REQUIRE(count > 10);
  std::uint64_t refused = 0;
  for (std::uint64_t failing = 0; failing < count; ++failing) {
    CAPTURE(failing);
    Game game(poor);
    game.play(failing);
    REQUIRE(game.failures + game.refused == 1);
    refused += game.refused;
    const std::size_t players = game.players();
    game.play(kNever);
    REQUIRE(game.players() >= players + 1);
    game.stage.server->close("the end", game.stage.now);
  }
  REQUIRE(refused > 0);
}

}  // namespace
}  // namespace muster
