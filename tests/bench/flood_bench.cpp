// What strangers cost a server, by the kind of datagram that they send, and what a client of its
// own costs it in memory. Nothing here opens a socket.
#include <malloc.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "tests/bench/bench.h"
#include "tests/support/net_stage.h"
#include "tests/support/scripted_socket.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Fewer than a server answers in a tick.
constexpr std::size_t kPerTick = 1000;

/// A server that gets the same datagram from ever new addresses.
void flood(benchmark::State& state, std::span<const std::byte> datagram) {
  NetStage stage(1);
  FloodSocket socket;
  stage.server.emplace(stage.options, socket, stage.entropy, stage.door, stage.now);
  std::uint32_t number = 0;
  std::size_t left = 0;
  socket.next = [&](std::span<std::byte> memory, Address& from) {
    if (left == 0) return std::size_t{0};
    --left;
    ++number;
    std::ranges::copy(datagram, memory.begin());
    from =
        Address::ipv4({11, static_cast<std::uint8_t>(number >> 16U),
                       static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)},
                      4000);
    return datagram.size();
  };
  for (auto _ : state) {
    left = kPerTick;
    stage.now += 16ms;
    stage.server->receive(stage.now, stage.date);
  }
  const auto count = static_cast<double>(state.iterations()) * kPerTick;
  state.counters["per second"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["bytes out per byte in"] =
      static_cast<double>(socket.bytes_out) / static_cast<double>(socket.bytes_in);
}

std::array<std::byte, kRequestBytes> request() {
  NetStage stage(1);
  ClientHandshake handshake(stage.client_options().handshake, stage.entropy);
  std::array<std::byte, kRequestBytes> bytes{};
  handshake.write_request(bytes);
  return bytes;
}

/// A response whose cookie was never made.
std::array<std::byte, kRequestBytes> forged_response() {
  std::array<std::byte, kRequestBytes> bytes = request();
  bytes[0] = std::byte{0x03};
  std::ranges::fill(std::span(bytes).subspan<48, 24>(), std::byte{9});
  return bytes;
}

/// Both sides of whole handshakes, over a network that takes no time.
void shake_hands(benchmark::State& state) {
  constexpr std::size_t kClients = 64;
  for (auto _ : state) {
    state.PauseTiming();
    NetStage stage(1);
    stage.options.clients_max = kClients;
    stage.start();
    for (std::size_t i = 0; i < kClients; ++i) stage.add_client(stage.client_options());
    state.ResumeTiming();
    stage.run(128ms);
    if (stage.server->counters().connected == kClients) continue;
    state.SkipWithError("not every client could connect");
    return;
  }
  const auto count = static_cast<double>(state.iterations()) * kClients;
  state.counters["per second"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
}

/// Bytes of the heap that the two ends of a connection hold, that have sent a little.
void memory(benchmark::State& state) {
  constexpr std::size_t kClients = 64;
  double server_bytes = 0;
  for (auto _ : state) {
    NetStage stage(1);
    stage.options.clients_max = kClients;
    stage.start();
    for (std::size_t i = 0; i < kClients; ++i) stage.add_client(stage.client_options());
    stage.run(160ms);
    const std::size_t before = mallinfo2().uordblks;
    stage.server.reset();
    server_bytes = static_cast<double>(before - mallinfo2().uordblks) / kClients;
  }
  state.counters["bytes per client"] = server_bytes;
}

}  // namespace

void register_flood_benchmarks() {
  const auto add = [](const char* name, auto run) {
    benchmark::RegisterBenchmark(name, run)->Unit(benchmark::kMicrosecond);
  };
  add("net/stranger/noise", [](benchmark::State& state) {
    const std::array<std::byte, 100> noise{std::byte{0x42}};
    flood(state, noise);
  });
  add("net/stranger/packet of nobody", [](benchmark::State& state) {
    const std::array<std::byte, 100> packet{std::byte{0x80}, std::byte{1}};
    flood(state, packet);
  });
  add("net/stranger/request", [](benchmark::State& state) { flood(state, request()); });
  add("net/stranger/forged response",
      [](benchmark::State& state) { flood(state, forged_response()); });
  add("net/stranger/whole handshake, both ends", shake_hands);
  add("net/memory/server, a client", memory);
}

}  // namespace muster
