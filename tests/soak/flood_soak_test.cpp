// Ten million packets from an attacker, while one client plays.
#include <chrono>

#include <catch2/catch.hpp>

#include "tests/support/attacker.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"
#include "tests/support/scripted_socket.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kPackets = 300'000;
#else
constexpr std::uint64_t kPackets = 10'000'000;
#endif
constexpr std::uint64_t kPacketsPerTick = 3'000;  // A server can process more packets per tick.

/// The server's socket: the client's datagrams, followed by the flood.
struct Scene {
  Scene() : attacker(stage.client_options()) {
    socket.next = [this](std::span<std::byte> memory, Address& from) {
      if (!to_server.empty()) {
        const NetBytes datagram = to_server.front();
        to_server.erase(to_server.begin());
        std::ranges::copy(datagram, memory.begin());
        from = client_address;
        return datagram.size();
      }
      if (flood_left == 0) return std::size_t{0};
      --flood_left;
      return attacker.write(memory, from);
    };
    socket.on_send = [this](const OutgoingDatagram& out) {
      if (out.to != client_address) return;  // An answer to the attacker.
      to_client.push_back(copy_of(out.bytes));
      attacker.overhear(out.bytes);
    };
    line.next = [this](std::span<std::byte> memory, Address& from) {
      if (to_client.empty()) return std::size_t{0};
      const NetBytes datagram = to_client.front();
      to_client.erase(to_client.begin());
      std::ranges::copy(datagram, memory.begin());
      from = stage.server_address;
      return datagram.size();
    };
    line.on_send = [this](const OutgoingDatagram& out) {
      to_server.push_back(copy_of(out.bytes));
      attacker.overhear(out.bytes);
    };
    stage.server.emplace(stage.options, socket, stage.entropy, stage.door, stage.now);
    client.emplace(stage.client_options(), line, stage.entropy, stage.now);
  }

  void step() {
    stage.now += 16ms;
    stage.server->receive(stage.now, stage.date);
    stage.server->send(stage.now);
    client->receive(stage.now);
    client->send(stage.now);
  }

  NetStage stage{1};
  Address client_address = Address::ipv4({10, 0, 1, 1}, 1000);
  Attacker attacker;
  FloodSocket socket;
  FloodSocket line;
  std::vector<NetBytes> to_server;
  std::vector<NetBytes> to_client;
  std::uint64_t flood_left = 0;
  std::optional<Client> client;
};

TEST_CASE("After ten million malicious packets a server still serves its client",
          "[net][soak][sys-33][sys-36]") {
  Scene scene;
  for (int i = 0; i < 20; ++i) scene.step();
  REQUIRE(scene.client->state() == ClientState::connected);
  scene.socket.bytes_in = scene.socket.bytes_out = 0;
  std::uint32_t sent = 0;
  std::uint32_t received = 0;
  for (std::uint64_t given = 0; given < kPackets; given += kPacketsPerTick) {
    scene.flood_left = kPacketsPerTick;
    REQUIRE(scene.client->connection()->send_message(0, pattern(sent++, 100)) ==
            SendStatus::queued);
    scene.step();
    REQUIRE(scene.flood_left == 0);
    scene.stage.server->for_each_client([&](ClientHandle handle) {
      Connection& connection = *scene.stage.server->connection(handle);
      for (; !connection.message(0).empty(); connection.pop_message(0)) {
        REQUIRE(copy_of(connection.message(0)) == pattern(received++, 100));
      }
    });
    scene.stage.server->clear_events();
  }
  for (int i = 0; i < 5; ++i) scene.step();
  REQUIRE(scene.client->state() == ClientState::connected);
  REQUIRE(received + 2 >= sent);
  const ServerCounters& counters = scene.stage.server->counters();
  REQUIRE(counters.accepts == 1);
  REQUIRE(counters.connected == 1);
  REQUIRE(counters.closed == 0);
  REQUIRE(counters.challenges > 0);
  REQUIRE(counters.challenges_stale > 0);
  REQUIRE(counters.unknown_connection > 0);
  REQUIRE(counters.forged > 0);
  REQUIRE(scene.socket.bytes_out < scene.socket.bytes_in);
  // A new client can also connect.
  scene.client.emplace(scene.stage.client_options(), scene.line, scene.stage.entropy,
                       scene.stage.now);
  for (int i = 0; i < 20; ++i) scene.step();
  REQUIRE(scene.client->state() == ClientState::connected);
}

}  // namespace
}  // namespace muster
