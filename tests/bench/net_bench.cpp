// The cost of a server's packets. In each tick, every client sends one payload over the loopback.
// The server reads all payloads and answers each with one payload. Only the server's processor time
// counts. The peers are plain system calls for the same datagrams, the same calls in batches, and
// ENet with the same payloads as unreliable packets.
#include <array>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "net/transport/udp_socket.h"
#include "tests/bench/bench.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/plain_udp.h"

#ifdef MUSTER_ENET
#include <enet/enet.h>
#endif

namespace muster {
namespace {

using namespace std::chrono_literals;

/// The number of clients that send before the server reads. The datagrams of this number of clients
/// fit into the socket's buffer.
constexpr std::size_t kGroup = 32;

/// Processor time of this thread.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// One way to serve clients. The benchmark calls these functions in the order of a tick.
class Service {
 public:
  virtual ~Service() = default;
  virtual void clients_send(std::size_t first, std::size_t end) = 0;
  virtual std::size_t server_receive() = 0;
  virtual void server_send() = 0;
  virtual std::size_t clients_receive() = 0;
};

class LetIn final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant&) override { return std::nullopt; }
  bool admits_content(std::uint64_t) override { return true; }
};

std::unique_ptr<DatagramSocket> loopback() {
  return open_udp({.local = Address::ipv4({127, 0, 0, 1}, 0)}).socket;
}

/// Each client needs another address; every address in 127/8 is this machine. A server accepts only
/// eight clients per second from one address.
std::unique_ptr<DatagramSocket> loopback_of(std::size_t client) {
  const auto low = static_cast<std::uint8_t>(client % 250 + 1);
  const auto high = static_cast<std::uint8_t>(client / 250);
  return open_udp({.local = Address::ipv4({127, 1, high, low}, 0)}).socket;
}

class MusterService final : public Service {
 public:
  MusterService(std::size_t clients, std::size_t bytes, bool is_protected)
      : payload_(bytes, std::byte{42}), socket_(loopback()) {
    ServerOptions options;
    options.connection.channels = {ChannelOptions{}};
    options.connection.datagram_bytes_max = kDatagramBytesSafe;
    options.identity = SecretKey::random(entropy_);
    options.clients_max = clients;
    options.danger_allow_unprotected = true;
    options.danger_log = [](std::string_view) {};  // No other clients are expected.
    server_ = std::make_unique<Server>(options, *socket_, entropy_, door_, now_);
    ClientOptions client;
    client.connection = options.connection;
    client.server = socket_->local_address();
    client.danger_log = options.danger_log;
    client.handshake.mode = is_protected ? TrustMode::pinned : TrustMode::unprotected;
    client.handshake.server_key = server_->public_key();
    // In groups, because at most 256 may be pending.
    for (std::size_t i = 0; i < clients; ++i) {
      sockets_.push_back(loopback_of(i));
      clients_.push_back(std::make_unique<Client>(client, *sockets_.back(), entropy_, now_));
      if (i % kGroup == kGroup - 1 || i + 1 == clients) connect();
    }
  }

  bool is_ready() const { return live_ == clients_.size(); }

  void clients_send(std::size_t first, std::size_t end) override {
    if (first == 0) now_ += 16667us;
    for (std::size_t i = first; i < end; ++i) {
      static_cast<void>(clients_[i]->connection()->send_payload(payload_, 0));
      clients_[i]->send(now_);
      clients_[i]->connection()->clear_delivery_reports();
    }
  }

  std::size_t server_receive() override {
    server_->receive(now_, 0);
    return 0;
  }

  void server_send() override {
    server_->for_each_client([this](ClientHandle handle) {
      Connection& connection = *server_->connection(handle);
      for (; !connection.payload().bytes.empty(); connection.pop_payload()) ++received_;
      static_cast<void>(connection.send_payload(payload_, 0));
      connection.clear_delivery_reports();
    });
    server_->clear_events();
    server_->send(now_);
  }

  std::size_t clients_receive() override {
    std::size_t count = 0;
    for (const auto& client : clients_) {
      client->receive(now_);
      for (; !client->connection()->payload().bytes.empty(); client->connection()->pop_payload()) {
        ++count;
      }
    }
    return count + std::exchange(received_, 0);
  }

 private:
  void connect() {
    for (int round = 0; round < 100 && live_ < clients_.size(); ++round) {
      now_ += 50ms;
      for (const auto& each : clients_) each->send(now_);
      server_->receive(now_, 0);
      server_->send(now_);
      live_ = 0;
      for (const auto& each : clients_) {
        each->receive(now_);
        if (each->state() == ClientState::connected) ++live_;
      }
    }
  }

  std::vector<std::byte> payload_;
  SeededEntropy entropy_{1};
  LetIn door_;
  Time now_{1s};
  std::unique_ptr<DatagramSocket> socket_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<DatagramSocket>> sockets_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::size_t live_ = 0;
  std::size_t received_ = 0;
};

/// Datagrams of the same size without a protocol, with one system call for each datagram or in
/// batches.
class RawService final : public Service {
 public:
  RawService(std::size_t clients, std::size_t bytes, bool is_batched)
      : is_batched_(is_batched),
        payload_(bytes + 40, std::byte{42}),
        plain_(is_batched ? nullptr : std::make_unique<PlainUdp>()),
        socket_(is_batched ? loopback() : nullptr),
        memory_(64 * (kDatagramBytesMax + 1)) {
    server_ = is_batched ? socket_->local_address() : plain_->local_address();
    for (std::size_t i = 0; i < clients; ++i) sockets_.push_back(loopback_of(i));
    for (std::size_t i = 0; i < datagrams_.size(); ++i) {
      datagrams_[i].memory =
          std::span(memory_).subspan(i * (kDatagramBytesMax + 1), kDatagramBytesMax + 1);
    }
    to_.reserve(clients);
    outgoing_.reserve(clients);
  }

  void clients_send(std::size_t first, std::size_t end) override {
    if (first == 0) to_.clear();
    for (std::size_t i = first; i < end; ++i) {
      const OutgoingDatagram out{.to = server_, .bytes = payload_};
      static_cast<void>(sockets_[i]->send(std::span(&out, 1)));
    }
  }

  std::size_t server_receive() override {
    if (!is_batched_) {
      Address from;
      while (plain_->receive(std::span(memory_).first(kDatagramBytesMax), from) > 0) {
        to_.push_back(from);
      }
      return 0;
    }
    for (std::size_t count = 64; count == 64;) {
      count = socket_->receive(datagrams_);
      for (std::size_t i = 0; i < count; ++i) to_.push_back(datagrams_[i].from);
    }
    return 0;
  }

  void server_send() override {
    received_ = to_.size();
    if (!is_batched_) {
      for (const Address& to : to_) plain_->send(to, payload_);
      return;
    }
    outgoing_.clear();
    for (const Address& to : to_) outgoing_.push_back({.to = to, .bytes = payload_});
    static_cast<void>(socket_->send(outgoing_));
  }

  std::size_t clients_receive() override {
    std::size_t count = received_;
    for (const auto& each : sockets_) count += each->receive(std::span(datagrams_).first(4));
    return count;
  }

 private:
  bool is_batched_;
  std::vector<std::byte> payload_;
  std::unique_ptr<PlainUdp> plain_;
  std::unique_ptr<DatagramSocket> socket_;
  std::vector<std::byte> memory_;
  std::array<IncomingDatagram, 64> datagrams_{};
  Address server_;
  std::vector<std::unique_ptr<DatagramSocket>> sockets_;
  std::vector<Address> to_;
  std::vector<OutgoingDatagram> outgoing_;
  std::size_t received_ = 0;
};

#ifdef MUSTER_ENET
class EnetService final : public Service {
 public:
  EnetService(std::size_t clients, std::size_t bytes) : payload_(bytes, std::byte{42}) {
    enet_initialize();
    ENetAddress address{.host = 0x0100007F, .port = 0};
    server_ = enet_host_create(&address, clients, 1, 0, 0);
    address.port = server_->address.port;
    sockaddr_port(address);
    for (std::size_t i = 0; i < clients; ++i) {
      clients_.push_back(enet_host_create(nullptr, 1, 1, 0, 0));
      enet_host_connect(clients_.back(), &address, 1, 0);
    }
    for (int round = 0; round < 2000 && live_ < clients; ++round) {
      ENetEvent event;
      while (enet_host_service(server_, &event, 0) > 0) {
      }
      for (ENetHost* client : clients_) {
        while (enet_host_service(client, &event, 0) > 0) {
          if (event.type == ENET_EVENT_TYPE_CONNECT) ++live_;
        }
      }
    }
  }
  ~EnetService() override {
    for (ENetHost* client : clients_) enet_host_destroy(client);
    enet_host_destroy(server_);
  }
  EnetService(const EnetService&) = delete;
  EnetService& operator=(const EnetService&) = delete;

  bool is_ready() const { return live_ == clients_.size(); }

  void clients_send(std::size_t first, std::size_t end) override {
    for (std::size_t i = first; i < end; ++i) {
      enet_peer_send(&clients_[i]->peers[0], 0, packet());
      enet_host_flush(clients_[i]);
    }
  }

  std::size_t server_receive() override {
    ENetEvent event;
    while (enet_host_service(server_, &event, 0) > 0) {
      if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
      ++received_;
      enet_packet_destroy(event.packet);
    }
    return 0;
  }

  void server_send() override {
    for (std::size_t i = 0; i < server_->peerCount; ++i) {
      enet_peer_send(&server_->peers[i], 0, packet());
    }
    enet_host_flush(server_);
  }

  std::size_t clients_receive() override {
    std::size_t count = std::exchange(received_, 0);
    ENetEvent event;
    for (ENetHost* client : clients_) {
      while (enet_host_service(client, &event, 0) > 0) {
        if (event.type != ENET_EVENT_TYPE_RECEIVE) continue;
        ++count;
        enet_packet_destroy(event.packet);
      }
    }
    return count;
  }

 private:
  /// Sets the address that the system gave the server.
  void sockaddr_port(ENetAddress& address) const {
    ENetAddress bound{};
    enet_socket_get_address(server_->socket, &bound);
    address.port = bound.port;
  }
  ENetPacket* packet() const { return enet_packet_create(payload_.data(), payload_.size(), 0); }

  std::vector<std::byte> payload_;
  ENetHost* server_ = nullptr;
  std::vector<ENetHost*> clients_;
  std::size_t live_ = 0;
  std::size_t received_ = 0;
};
#endif

/// The server's work in ticks: processor seconds and allocations.
struct Served {
  double seconds = 0;
  std::uint64_t allocations = 0;

  /// Runs and measures one part of a tick on the server.
  template <typename Part>
  void run(const Part& part) {
    const std::uint64_t before = allocation_count();
    const double begin = thread_seconds();
    part();
    seconds += thread_seconds() - begin;
    allocations += allocation_count() - before;
  }
};

/// One tick of a service and its clients; returns the packets that arrived.
std::size_t tick(Service& service, std::size_t clients, Served& served) {
  for (std::size_t first = 0; first < clients; first += kGroup) {
    service.clients_send(first, std::min(first + kGroup, clients));
    served.run([&] { service.server_receive(); });
  }
  served.run([&] { service.server_send(); });
  return service.clients_receive();
}

/// Ticks before the measurement, in which queues and rates become steady.
constexpr int kWarmTicks = 100;

/// Runs the benchmark. An iteration is a tick. Its time is the server's processor time per packet.
void serve(benchmark::State& state, Service& service, std::size_t clients) {
  Served warming;
  for (int i = 0; i < kWarmTicks; ++i) tick(service, clients, warming);
  std::size_t packets = 0;
  std::size_t expected = 0;
  Served all;
  for (auto _ : state) {
    Served served;
    packets += tick(service, clients, served);
    expected += 2 * clients;
    all.seconds += served.seconds;
    all.allocations += served.allocations;
    state.SetIterationTime(served.seconds / static_cast<double>(2 * clients));
  }
  state.counters["arrived"] = static_cast<double>(packets) / static_cast<double>(expected);
  state.counters["packets/s"] = static_cast<double>(packets) / all.seconds;
  state.counters["allocations"] =
      static_cast<double>(all.allocations) / static_cast<double>(expected);
}

template <typename ServiceType, typename... Arguments>
void serve_with(benchmark::State& state, std::size_t clients, Arguments... arguments) {
  ServiceType service(clients, arguments...);
  if constexpr (requires { service.is_ready(); }) {
    if (!service.is_ready()) {
      state.SkipWithError("not every client could connect");
      return;
    }
  }
  serve(state, service, clients);
}

/// The minimum number of packets in each direction, and of ticks, in a repetition.
constexpr std::size_t kPacketsCounted = 64'000;
constexpr std::size_t kTicksMin = 100;

void register_case(std::size_t clients, std::size_t bytes) {
  const std::string name =
      "net/serve " + std::to_string(clients) + " x " + std::to_string(bytes) + " B/";
  // Without a fixed number, the library would repeat until the time per packet reaches a minimum,
  // which would take an hour.
  const auto ticks = static_cast<std::int64_t>(std::max(kPacketsCounted / clients, kTicksMin));
  const auto add = [&name, ticks](const std::string& subject, auto run) {
    benchmark::RegisterBenchmark((name + subject).c_str(), run)
        ->UseManualTime()
        ->Iterations(ticks)
        ->Unit(benchmark::kMicrosecond);
  };
  add("sealed",
      [=](benchmark::State& state) { serve_with<MusterService>(state, clients, bytes, true); });
  add("open",
      [=](benchmark::State& state) { serve_with<MusterService>(state, clients, bytes, false); });
  add("plain calls",
      [=](benchmark::State& state) { serve_with<RawService>(state, clients, bytes, false); });
  add("batched calls",
      [=](benchmark::State& state) { serve_with<RawService>(state, clients, bytes, true); });
#ifdef MUSTER_ENET
  add("ENet", [=](benchmark::State& state) { serve_with<EnetService>(state, clients, bytes); });
#endif
}

}  // namespace

void register_net_benchmarks() {
  for (const std::size_t clients : {std::size_t{1}, std::size_t{64}, std::size_t{1000}}) {
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{1000}}) {
      register_case(clients, bytes);
    }
  }
}

}  // namespace muster
