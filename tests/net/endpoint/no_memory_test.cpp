// A server whose n-th allocation fails, for all n of a short game.
#include <chrono>
#include <new>

#include <catch2/catch.hpp>

#include "tests/support/failing_allocations.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// A server with a client who sends messages, payloads and a block.
struct Game {
  Game() { stage.start(); }

  /// The client is another program: its memory does not run out.
  void play(std::uint64_t failing) {
    const std::uint64_t before = counted_allocations();
    stage.add_client(stage.client_options());
    for (int tick = 0; tick < 40; ++tick) {
      stage.now += 16ms;
      stage.network.advance(stage.now);
      Client& client = *stage.clients.back();
      client.receive(stage.now);
      if (tick == 20 && client.connection() != nullptr) {
        std::uint16_t id = 0;
        static_cast<void>(client.connection()->send_message(0, pattern(1, 500)));
        static_cast<void>(client.connection()->send_payload(pattern(2, 500), 1));
        static_cast<void>(client.connection()->send_block(block, id));
      }
      client.send(stage.now);
      serve(failing - (counted_allocations() - before));
    }
  }

  std::size_t players() {
    std::size_t count = 0;
    stage.server->for_each_client([&count](ClientHandle) { ++count; });
    return count;
  }

  NetStage stage{3};
  NetBytes block = pattern(3, 30'000);
  std::uint64_t failures = 0;

 private:
  /// A tick of the server. `left` allocations succeed. What a server of a game does when memory
  /// runs out: it goes on.
  void serve(std::uint64_t left) {
    try {
      const FailingAllocations failing(left);
      stage.server->receive(stage.now, stage.date);
      stage.server->send(stage.now);
    } catch (const std::bad_alloc&) {
      ++failures;
    }
  }
};

TEST_CASE("A server survives the n-th allocation failing, and lets the next client in",
          "[net][endpoint]") {
  const std::uint64_t before = counted_allocations();
  Game whole;
  whole.play(~std::uint64_t{0} / 2);
  const std::uint64_t count = counted_allocations() - before;
  REQUIRE(whole.players() == 1);
  REQUIRE(count > 10);
  for (std::uint64_t failing = 0; failing < count; ++failing) {
    CAPTURE(failing);
    Game game;
    game.play(failing);
    REQUIRE(game.failures == 1);
    const std::size_t players = game.players();
    game.play(~std::uint64_t{0} / 2);
    REQUIRE(game.players() >= players + 1);
    game.stage.server->close("the end", game.stage.now);
  }
}

}  // namespace
}  // namespace muster
