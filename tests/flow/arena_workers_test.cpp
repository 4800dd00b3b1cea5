// A server that encodes for its clients on several threads.
#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/arena_evening.h"

namespace muster {
namespace {

struct Sent {
  std::vector<std::string> datagrams;
  std::vector<std::string> lines;
  std::uint64_t snapshots = 0;
  std::uint64_t lost = 0;
};

/// Everything that the server sends to eight clients, of whom one leaves and one comes late.
Sent play(std::uint64_t seed, std::uint32_t worker_count) {
  Evening evening(seed, {.loss = 0.1, .worker_count = worker_count});
  for (int i = 0; i < 7; ++i) evening.join();
  evening.run(std::chrono::seconds(3));
  evening.seats.front()->client->leave();
  evening.join();
  evening.run(std::chrono::seconds(3));
  Sent sent{.datagrams = evening.server_socket->heard, .lines = evening.server->take_lines()};
  for (const arena::ArenaClientReport& client : evening.server->clients()) {
    sent.snapshots += client.view.snapshots;
    sent.lost += client.view.lost;
  }
  return sent;
}

}  // namespace

TEST_CASE("Every datagram to every client is the same for any number of workers",
          "[flow][arena][determinism][sys-45]") {
  const auto seed = GENERATE(1U, 2U);
  CAPTURE(seed);
  const Sent alone = play(seed, 1);
  CHECK(alone.snapshots > 500);
  CHECK(alone.lost > 20);
  for (const std::uint32_t worker_count : {2U, 4U}) {
    CAPTURE(worker_count);
    const Sent shared = play(seed, worker_count);
    const auto differ = std::ranges::mismatch(alone.datagrams, shared.datagrams);
    // The datagrams are sealed: equal ones were equal before, as their keys and numbers are.
    CHECK(differ.in1 - alone.datagrams.begin() == std::ssize(alone.datagrams));
    CHECK(differ.in2 - shared.datagrams.begin() == std::ssize(shared.datagrams));
    CHECK(alone.lines == shared.lines);
  }
}

}  // namespace muster
