// A server that encodes for its clients on several threads.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "net/transport/datagram_socket.h"
#include "registry/base/content_hash.h"
#include "tests/support/arena_evening.h"

namespace muster {
namespace {

/// The sent datagrams: the receiver, the size and the hash of each datagram.
using DatagramLog = std::vector<std::string>;

class LoggingSocket final : public DatagramSocket {
 public:
  LoggingSocket(std::unique_ptr<DatagramSocket> inner, DatagramLog& logged)
      : inner_(std::move(inner)), log_(logged) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) {
      log_.push_back(each.to.text() + " " + std::to_string(each.bytes.size()) + " " +
                     hash_bytes(each.bytes).to_string());
    }
    return inner_->send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    return inner_->receive(datagrams);
  }
  void wait(Duration timeout) override { inner_->wait(timeout); }
  Address local_address() const override { return inner_->local_address(); }

 private:
  std::unique_ptr<DatagramSocket> inner_;
  DatagramLog& log_;
};

/// Wraps edges, and records what their sockets send.
class LoggingEdges final : public Edges, private Network {
 public:
  LoggingEdges(Edges& inner, DatagramLog& logged) : inner_(inner), log_(logged) {}
  Time now() override { return inner_.now(); }
  std::uint64_t unix_seconds() override { return inner_.unix_seconds(); }
  Network& network() override { return *this; }
  Entropy& entropy() override { return inner_.entropy(); }
  Files& files() override { return inner_.files(); }
  void log(LogLevel level, std::string_view line) override { inner_.log(level, line); }

 private:
  Result<std::unique_ptr<DatagramSocket>> open(std::string_view address) override {
    auto opened = inner_.network().open(address);
    if (!opened) return fail(opened.error());
    return std::make_unique<LoggingSocket>(std::move(opened.value()), log_);
  }
  std::optional<Result<Address>> resolve(std::string_view name) override {
    return inner_.network().resolve(name);
  }

  Edges& inner_;
  DatagramLog& log_;
};

struct Sent {
  DatagramLog datagrams;
  std::uint64_t snapshots = 0;
};

/// Returns all datagrams of a server to eight clients. One client leaves, and one joins late.
Sent play(std::uint64_t seed, std::uint16_t worker_count) {
  Sent sent;
  SimulatedEdges edges(seed);
  LoggingEdges logged(edges.host("server"), sent.datagrams);
  const auto build = Build::open(arena_folder(), Target::server, arena::make_game());
  auto server = GameServer::open(
      build, logged,
      {.listen = "server:7000", .level = arena::kLevel, .seed = seed, .workers = worker_count});
  REQUIRE(server);
  arena::set_up_match(*server.value(), seed);
  const auto client_build = Build::open(arena_folder(), Target::client, arena::make_game());
  std::vector<std::unique_ptr<GameClient>> clients;
  std::vector<arena::Bot> bots;
  const auto join = [&] {
    Edges& host = edges.host("client" + std::to_string(clients.size()), bad_link(0.1));
    clients.push_back(std::move(
        GameClient::connect(
            client_build, host,
            {.server = "server:7000", .key = server.value()->public_key(), .loading_threads = 0})
            .value()));
    bots.emplace_back(clients.size());
  };
  const auto run = [&](std::chrono::seconds time) {
    constexpr Duration kFrame = std::chrono::milliseconds(8);
    for (const Time end = edges.now() + time; edges.now() < end;) {
      edges.advance(kFrame);
      server.value()->frame(edges.now());
      for (std::size_t i = 0; i < clients.size(); ++i) {
        bots[i].play(*clients[i], edges.now());
        clients[i]->frame(edges.now());
      }
    }
  };
  for (int i = 0; i < 7; ++i) join();
  run(std::chrono::seconds(3));
  clients.front()->leave();
  join();
  run(std::chrono::seconds(2));
  for (const PlayerInfo& player : server.value()->players()) sent.snapshots += player.snapshots;
  clients.clear();
  server.value().reset();
  return sent;
}

TEST_CASE("Every datagram to every client is the same for any number of workers",
          "[flow][arena][determinism][sys-45]") {
  const auto seed = GENERATE(1U, 2U);
  CAPTURE(seed);
  const Sent alone = play(seed, 1);
  CHECK(alone.snapshots > 400);
  for (const std::uint16_t worker_count : {std::uint16_t{2}, std::uint16_t{4}}) {
    CAPTURE(worker_count);
    const Sent shared = play(seed, worker_count);
    const auto differ = std::ranges::mismatch(alone.datagrams, shared.datagrams);
    // Keys and numbers are equal, so equal datagrams had equal contents before encryption.
    CHECK(differ.in1 - alone.datagrams.begin() == std::ssize(alone.datagrams));
    CHECK(differ.in2 - shared.datagrams.begin() == std::ssize(shared.datagrams));
  }
}

}  // namespace
}  // namespace muster
