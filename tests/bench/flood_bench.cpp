// A server's cost of attackers' datagrams, for each kind of datagram, and its memory per real
// client. No socket is opened.
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

/// A server can answer more packets than this in a tick.
constexpr std::size_t kPacketsPerTick = 800;

/// The source address of an attacker's datagram.
Address attacker_address(std::uint32_t number) {
  return Address::ipv4({11, static_cast<std::uint8_t>(number >> 16U),
                        static_cast<std::uint8_t>(number >> 8U), static_cast<std::uint8_t>(number)},
                       4000);
}

/// Sends a server the same datagram, each time from a new address.
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
    from = attacker_address(number);
    return datagram.size();
  };
  for (auto _ : state) {
    left = kPacketsPerTick;
    stage.now += 16ms;
    stage.server->receive(stage.now, stage.date);
  }
  const auto count = static_cast<double>(state.iterations()) * kPacketsPerTick;
  state.counters["per second"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["bytes sent per byte received"] =
      static_cast<double>(socket.bytes_out) / static_cast<double>(socket.bytes_in);
}

std::array<std::byte, kRequestBytes> request() {
  NetStage stage(1);
  ClientHandshake handshake(stage.client_options().handshake, stage.entropy);
  std::array<std::byte, kRequestBytes> bytes{};
  handshake.write_request(bytes);
  return bytes;
}

/// A response with a forged cookie.
std::array<std::byte, kRequestBytes> forged_response() {
  std::array<std::byte, kRequestBytes> bytes = request();
  bytes[0] = std::byte{0x03};
  std::ranges::fill(std::span(bytes).subspan<48, 24>(), std::byte{9});
  return bytes;
}

/// A server's socket that receives the attackers' datagrams before the datagrams of real clients.
class FloodedSocket final : public DatagramSocket {
 public:
  explicit FloodedSocket(DatagramSocket& inner) : inner_(inner) {}

  /// Makes the next batches begin with `count` requests and `count` responses with forged cookies.
  void flood(std::size_t count) { left_ = 2 * count; }
  std::uint64_t attackers() const { return number_; }

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    SendOutcome outcome;
    for (const OutgoingDatagram& each : datagrams) {
      if (each.to.ip()[12] == 11) {
        ++outcome.sent;
      } else {
        outcome.sent += inner_.send(std::span(&each, 1)).sent;
      }
    }
    return outcome;
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    if (left_ == 0) return inner_.receive(datagrams);
    const std::size_t count = std::min(left_, datagrams.size());
    for (IncomingDatagram& each : datagrams.first(count)) {
      const auto& bytes = left_-- % 2 == 0 ? request_ : response_;
      std::ranges::copy(bytes, each.memory.begin());
      each.byte_count = bytes.size();
      each.waited = {};
      each.from = attacker_address(static_cast<std::uint32_t>(++number_));
    }
    // A batch that is not full would end the tick.
    return count + inner_.receive(datagrams.subspan(count));
  }
  void wait(Duration) override {}
  Address local_address() const override { return inner_.local_address(); }

 private:
  DatagramSocket& inner_;
  std::array<std::byte, kRequestBytes> request_ = request();
  std::array<std::byte, kRequestBytes> response_ = forged_response();
  std::size_t left_ = 0;
  std::uint64_t number_ = 0;
};

/// Runs both sides of whole handshakes over a network without delay. In each of eight ticks,
/// `attackers` attackers send requests, and the same number of attackers send forged responses.
void shake_hands(benchmark::State& state, std::size_t attackers) {
  constexpr std::size_t kClients = 64;
  constexpr int kTicks = 8;
  std::uint64_t flooded = 0;
  for (auto _ : state) {
    state.PauseTiming();
    NetStage stage(1);
    stage.options.clients_max = kClients;
    FloodedSocket attackers_socket(*stage.socket);
    stage.server.emplace(stage.options, attackers_socket, stage.entropy, stage.door, stage.now);
    for (std::size_t i = 0; i < kClients; ++i) stage.add_client(stage.client_options());
    state.ResumeTiming();
    for (int tick = 0; tick < kTicks; ++tick) {
      attackers_socket.flood(attackers);
      stage.step(16ms);
    }
    flooded += attackers_socket.attackers();
    if (stage.server->counters().connected == kClients) continue;
    state.SkipWithError("not every client could connect");
    return;
  }
  const auto count = static_cast<double>(state.iterations()) * kClients;
  state.counters["per second"] = benchmark::Counter(count, benchmark::Counter::kIsRate);
  state.counters["attackers per second"] =
      benchmark::Counter(static_cast<double>(flooded), benchmark::Counter::kIsRate);
}

/// Measures the heap of a server per connected client, after little traffic.
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
  add("net/attacker/noise", [](benchmark::State& state) {
    const std::array<std::byte, 100> noise{std::byte{0x42}};
    flood(state, noise);
  });
  add("net/attacker/unknown connection", [](benchmark::State& state) {
    const std::array<std::byte, 100> packet{std::byte{0x80}, std::byte{1}};
    flood(state, packet);
  });
  add("net/attacker/request", [](benchmark::State& state) { flood(state, request()); });
  add("net/attacker/forged response",
      [](benchmark::State& state) { flood(state, forged_response()); });
  add("net/attacker/whole handshake, both ends",
      [](benchmark::State& state) { shake_hands(state, 0); });
  add("net/attacker/whole handshake under a flood",
      [](benchmark::State& state) { shake_hands(state, kPacketsPerTick); });
  add("net/memory/server, a client", memory);
}

}  // namespace muster
