// The latency of reliable messages when datagrams are lost. A client sends messages to its server
// through a relay, with Muster and with ENet. Sockets are real, and time is simulated.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "net/transport/udp_socket.h"
#include "registry/base/seed.h"
#include "tests/bench/bench.h"
#include "tests/support/net_stage.h"

#ifdef MUSTER_ENET
#include <enet/enet.h>
#endif

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr Duration kStep = 1ms;
constexpr Duration kDelay = 25ms;
constexpr int kStepsPerTick = 16;
constexpr std::uint32_t kMessages = 2000;
constexpr std::size_t kMessageBytes = 100;

std::unique_ptr<DatagramSocket> loopback() {
  return open_udp({.local = Address::ipv4({127, 0, 0, 1}, 0)}).socket;
}

/// Relays between a client and its server: delays every datagram and loses some.
class LossyRelay {
 public:
  LossyRelay(const Address& server, double loss) : server_(server), loss_(loss) {}

  Address address() const { return front_->local_address(); }

  void step(Time now) {
    receive(now, *front_, to_server_, &client_);
    receive(now, *back_, to_client_, nullptr);
    give(now, *back_, to_server_, server_);
    give(now, *front_, to_client_, client_);
  }

 private:
  struct Delayed {
    Time due;
    std::vector<std::byte> bytes;
  };

  void receive(Time now, DatagramSocket& socket, std::deque<Delayed>& delayed, Address* from) {
    IncomingDatagram datagram{.from = {}, .memory = memory_};
    while (socket.receive(std::span(&datagram, 1)) == 1) {
      if (from != nullptr) *from = datagram.from;
      if (random_.below(1'000'000) < static_cast<std::uint64_t>(loss_ * 1e6)) continue;
      const auto bytes = std::span(memory_).first(datagram.byte_count);
      delayed.push_back({now + kDelay, {bytes.begin(), bytes.end()}});
    }
  }
  static void give(Time now, DatagramSocket& socket, std::deque<Delayed>& delayed,
                   const Address& to) {
    for (; !delayed.empty() && delayed.front().due <= now; delayed.pop_front()) {
      const OutgoingDatagram out{.to = to, .bytes = delayed.front().bytes};
      static_cast<void>(socket.send(std::span(&out, 1)));
    }
  }

  std::unique_ptr<DatagramSocket> front_ = loopback();
  std::unique_ptr<DatagramSocket> back_ = loopback();
  Address server_;
  Address client_;
  double loss_;
  Random random_{1};
  std::vector<std::byte> memory_ = std::vector<std::byte>(65536);
  std::deque<Delayed> to_server_;
  std::deque<Delayed> to_client_;
};

std::array<std::byte, kMessageBytes> message_of(std::uint32_t number) {
  std::array<std::byte, kMessageBytes> message{};
  std::memcpy(message.data(), &number, sizeof(number));
  return message;
}

/// Records the time at which each message was sent, and its latency.
class Latencies {
 public:
  void sent(Time now) { sent_at_.push_back(now); }
  std::uint32_t next() const { return static_cast<std::uint32_t>(sent_at_.size()); }
  void arrived(Time now, const void* message) {
    std::uint32_t number = 0;
    std::memcpy(&number, message, sizeof(number));
    latencies_.push_back(now - sent_at_[number]);
  }
  bool is_over() const { return latencies_.size() == kMessages; }

  void report(benchmark::State& state) {
    std::ranges::sort(latencies_);
    const auto share = [this](std::size_t percent) {
      const Duration latency =
          latencies_[std::min(latencies_.size() * percent / 100, latencies_.size() - 1)];
      return std::chrono::duration<double>(latency).count();
    };
    double sum = 0;
    for (const Duration latency : latencies_) sum += std::chrono::duration<double>(latency).count();
    state.SetIterationTime(sum / static_cast<double>(latencies_.size()));
    state.counters["p50 ms"] = share(50) * 1000;
    state.counters["p99 ms"] = share(99) * 1000;
    state.counters["max ms"] = share(100) * 1000;
  }

 private:
  std::vector<Time> sent_at_;
  std::vector<Duration> latencies_;
};

bool run_muster(double loss, Latencies& latencies) {
  SeededEntropy entropy(1);
  OpenDoor door;
  Time now(1s);
  const auto socket = loopback();
  ServerOptions options;
  options.connection.channels = {ChannelOptions{}};
  options.identity = SecretKey::random(entropy);
  Server server(options, *socket, entropy, door, now);
  LossyRelay relay(socket->local_address(), loss);
  const auto client_socket = loopback();
  ClientOptions client_options;
  client_options.connection = options.connection;
  client_options.server = relay.address();
  client_options.handshake.server_key = server.public_key();
  Client client(client_options, *client_socket, entropy, now);
  for (int step = 0; step < 200'000 && !latencies.is_over(); ++step, now += kStep) {
    relay.step(now);
    if (step % kStepsPerTick != 0) continue;
    client.receive(now);
    if (client.state() == ClientState::connected && latencies.next() < kMessages) {
      static_cast<void>(client.connection()->send_message(0, message_of(latencies.next())));
      latencies.sent(now);
    }
    client.send(now);
    server.receive(now, 0);
    server.for_each_client([&](ClientHandle handle) {
      Connection& connection = *server.connection(handle);
      for (; !connection.message(0).empty(); connection.pop_message(0)) {
        latencies.arrived(now, connection.message(0).data());
      }
    });
    server.clear_events();
    server.send(now);
  }
  return latencies.is_over();
}

#ifdef MUSTER_ENET
bool run_enet(double loss, Latencies& latencies) {
  enet_initialize();
  ENetAddress address{.host = 0x0100007F, .port = 0};
  ENetHost* const server = enet_host_create(&address, 1, 1, 0, 0);
  enet_socket_get_address(server->socket, &address);
  LossyRelay relay(Address::ipv4({127, 0, 0, 1}, address.port), loss);
  address.host = 0x0100007F;
  address.port = relay.address().port();
  ENetHost* const client = enet_host_create(nullptr, 1, 1, 0, 0);
  ENetPeer* const peer = enet_host_connect(client, &address, 1, 0);
  Time now(1s);
  bool is_connected = false;
  for (int step = 0; step < 200'000 && !latencies.is_over(); ++step, now += kStep) {
    relay.step(now);
    if (step % kStepsPerTick != 0) continue;
    enet_time_set(static_cast<enet_uint32>(now.time_since_epoch() / 1ms));
    ENetEvent event;
    if (is_connected && latencies.next() < kMessages) {
      const auto message = message_of(latencies.next());
      enet_peer_send(peer, 0,
                     enet_packet_create(message.data(), message.size(), ENET_PACKET_FLAG_RELIABLE));
      latencies.sent(now);
    }
    while (enet_host_service(client, &event, 0) > 0) {
      if (event.type == ENET_EVENT_TYPE_CONNECT) is_connected = true;
    }
    while (enet_host_service(server, &event, 0) > 0) {
      if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
      latencies.arrived(now, event.packet->data);
      enet_packet_destroy(event.packet);
    }
  }
  enet_host_destroy(client);
  enet_host_destroy(server);
  return latencies.is_over();
}
#endif

void measure(benchmark::State& state, bool (*run)(double, Latencies&), double loss) {
  for (auto _ : state) {
    Latencies latencies;
    if (!run(loss, latencies)) {
      state.SkipWithError("not every message arrived");
      return;
    }
    latencies.report(state);
  }
}

}  // namespace

void register_latency_benchmarks() {
  for (const int percent : {0, 1, 5, 20}) {
    const double loss = percent / 100.0;
    const std::string name = "net/reliable message, " + std::to_string(percent) + " % lost/";
    const auto add = [&](const char* subject, bool (*run)(double, Latencies&)) {
      benchmark::RegisterBenchmark(
          (name + subject).c_str(),
          [run, loss](benchmark::State& state) { measure(state, run, loss); })
          ->UseManualTime()
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    };
    add("sealed", run_muster);
#ifdef MUSTER_ENET
    add("ENet", run_enet);
#endif
  }
}

}  // namespace muster
