// Tests that the work of one call of `receive` and of all calls together is bounded for any game
// loop.
#include "net/endpoint/receive_budget.h"

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/sealed_connection.h"
#include "net/endpoint/server.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"
#include "tests/support/scripted_socket.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// A game loop: the number of `receive` calls per tick, and the length of a tick.
struct Loop {
  int calls = 1;
  Duration tick{};
  const char* reason = "";
};

const std::vector<Loop> kLoops = {{1, 4ms, "250 Hz"},         {1, 16ms, "60 Hz"},
                                  {1, 200ms, "5 Hz"},         {1, 1s, "one call per second"},
                                  {500, 16ms, "many calls"},  {20, 10us, "calls without a pause"},
                                  {3, 0ms, "a stopped clock"}};

/// The datagrams of an endless attack.
enum class Flood : std::uint8_t { noise, unknown_packets, requests, forged_responses };

class FloodedServer {
 public:
  explicit FloodedServer(Flood kind) : kind_(kind) {
    SeededEntropy entropy(7);
    ClientHandshake(stage_.client_options().handshake, entropy).write_request(request_);
    socket_.next = [this](std::span<std::byte> memory, Address& from) {
      return write(memory, from);
    };
    stage_.server.emplace(stage_.options, socket_, stage_.entropy, stage_.door, stage_.now);
  }

  ReceiveReport receive() { return stage_.server->receive(stage_.now, stage_.date); }
  void advance(Duration time) { stage_.now += time; }
  const ServerCounters& counters() const { return stage_.server->counters(); }
  const FloodSocket& line() const { return socket_; }

 private:
  std::size_t write(std::span<std::byte> memory, Address& from) {
    ++number_;
    from = Address::ipv4(
        {11, static_cast<std::uint8_t>(number_ >> 16U), static_cast<std::uint8_t>(number_ >> 8U),
         static_cast<std::uint8_t>(number_)},
        4000);
    std::ranges::copy(request_, memory.begin());
    switch (kind_) {
      case Flood::noise:
        memory[0] = std::byte{0x42};
        return 1;
      case Flood::unknown_packets:
        memory[0] = std::byte{0x80};
        return 32;
      case Flood::requests:
        break;
      case Flood::forged_responses:
        memory[0] = std::byte{3};
        break;
    }
    return kRequestBytes;
  }

  Flood kind_;
  NetStage stage_{4};
  FloodSocket socket_;
  std::array<std::byte, kRequestBytes> request_{};
  std::uint32_t number_ = 0;
};

/// Returns the maximum work in this time, plus the maximum work of one call.
double work_of(Duration time) {
  const ReceiveLimits limits;
  const double seconds = std::chrono::duration<double>(time).count() * limits.share +
                         std::chrono::duration<double>(limits.call_max).count();
  return seconds * receive_work::kUnitsPerSecond + receive_work::kDatagramMax;
}

TEST_CASE("A flood causes a limited amount of work per call and per second, for any loop",
          "[net][endpoint]") {
  const Loop loop = GENERATE(from_range(kLoops));
  const Flood flood =
      GENERATE(Flood::noise, Flood::unknown_packets, Flood::requests, Flood::forged_responses);
  CAPTURE(loop.reason, flood);
  FloodedServer server(flood);
  Duration time{};
  double work = 0;
  while (time < 300ms && server.counters().receives_limited < 500) {
    for (int i = 0; i < loop.calls; ++i) {
      const ReceiveReport report = server.receive();
      REQUIRE(report.is_limited);
      REQUIRE(report.datagrams <= ReceiveLimits().datagrams_max);
      REQUIRE(static_cast<double>(report.work) <= work_of(0ms));
      work += static_cast<double>(report.work);
    }
    server.advance(loop.tick);
    time += loop.tick;
  }
  REQUIRE(work <= work_of(time));
  REQUIRE(server.counters().datagrams_in > 1000);
}

TEST_CASE("A slow loop reads everything within its share of time", "[net][endpoint]") {
  const Duration tick = GENERATE(16ms, 50ms, 100ms, 200ms, 250ms);
  // The estimated work of these datagrams is a tenth of the time.
  constexpr std::uint64_t kPerSecond = 126'000;
  CAPTURE(tick.count());
  NetStage stage(4);
  FloodSocket socket;
  std::uint64_t waiting = 0;
  socket.next = [&](std::span<std::byte> memory, Address& from) -> std::size_t {
    if (waiting == 0) return 0;
    --waiting;
    from = Address::ipv4({11, 1, 1, 1}, 77);
    memory[0] = std::byte{0x42};
    return 1;
  };
  stage.server.emplace(stage.options, socket, stage.entropy, stage.door, stage.now);
  for (int i = 0; i < 60; ++i) {
    stage.now += tick;
    waiting += kPerSecond * static_cast<std::uint64_t>(tick / 1ms) / 1000;
    const ReceiveReport report = stage.server->receive(stage.now, stage.date);
    if (i >= 20) REQUIRE_FALSE(report.is_limited);
  }
  REQUIRE(waiting == 0);
}

/// Returns the estimated share of time that a flooded server uses, after its loop is measured.
double share_of_work(const ReceiveLimits& limits, std::span<const Duration> pauses) {
  ReceiveBudget budget(limits, {});
  FloodSocket socket;
  Time now{};
  double work = 0;
  Duration time{};
  for (int i = 0; i < 60; ++i) {
    for (const Duration pause : pauses) {
      now += pause;
      budget.begin(now);
      while (budget.may_read(64) > 0) budget.count_datagram();
      const ReceiveReport report = budget.end(now, true, socket);
      if (i < 20) continue;
      work += static_cast<double>(report.work);
      time += pause;
    }
  }
  return work / receive_work::kUnitsPerSecond / std::chrono::duration<double>(time).count();
}

TEST_CASE("A flooded loop uses its share of time at any rate and with any limit per call",
          "[net][endpoint]") {
  const double share = GENERATE(0.0625, 0.25, 0.5, 0.9);
  const Duration call_max = GENERATE(Duration(1ms), Duration(4ms), Duration(16ms));
  const Duration tick = GENERATE(4ms, 16ms, 50ms, 100ms, 250ms);
  const bool has_three_calls = GENERATE(false, true);
  CAPTURE(share, call_max.count(), tick.count(), has_three_calls);
  std::vector<Duration> pauses{tick};
  if (has_three_calls) pauses = {tick - 3ms, 1500us, 1500us};
  const ReceiveLimits limits{.share = share, .call_max = call_max, .datagrams_max = 1'000'000};
  const double used = share_of_work(limits, pauses);
  CHECK(used <= share * 1.01);
  CHECK(used >= share * 0.95);
}

TEST_CASE("The limit of datagrams may be the largest number of its type", "[net][endpoint]") {
  const Duration tick = GENERATE(16ms, 100ms, 250ms);
  const std::size_t datagrams_max = GENERATE(std::numeric_limits<std::size_t>::max(),
                                             std::numeric_limits<std::size_t>::max() / 2);
  CAPTURE(tick.count(), datagrams_max);
  ReceiveBudget budget({.share = 0.5, .call_max = 16ms, .datagrams_max = datagrams_max}, {});
  Time now{};
  for (int i = 0; i < 20; ++i) {
    now += tick;
    budget.begin(now);
    REQUIRE(budget.may_read(64) == 64);
  }
}

TEST_CASE("The answers to requests depend on time, not on calls", "[net][endpoint]") {
  const Loop loop = GENERATE(from_range(kLoops));
  CAPTURE(loop.reason);
  FloodedServer server(Flood::requests);
  Duration time{};
  for (int i = 0; i < 100 && time < 2s; ++i, time += loop.tick) {
    for (int call = 0; call < loop.calls; ++call) server.receive();
    server.advance(loop.tick);
  }
  const double answers_max = 1700 + 50'000 * std::chrono::duration<double>(time).count();
  REQUIRE(static_cast<double>(server.counters().challenges) <= answers_max);
  REQUIRE(server.counters().challenges >= 1700);
  REQUIRE(server.line().bytes_out < server.line().bytes_in);
}

TEST_CASE("A flood from the server's address causes a limited amount of work at a client",
          "[net][endpoint]") {
  const Loop loop = GENERATE(from_range(kLoops));
  const bool is_accept = GENERATE(false, true);
  CAPTURE(loop.reason, is_accept);
  NetStage stage(4);
  FloodSocket socket;
  Client client(stage.client_options(), socket, stage.entropy, stage.now);
  socket.next = [&](std::span<std::byte> memory, Address& from) -> std::size_t {
    from = stage.server_address;
    memory[0] = is_accept ? std::byte{4} : std::byte{0x80};
    return is_accept ? kAcceptBytesMax : 32;
  };
  Duration time{};
  double work = 0;
  while (time < 300ms && client.counters().receives_limited < 500) {
    for (int i = 0; i < loop.calls; ++i) {
      const ReceiveReport report = client.receive(stage.now);
      REQUIRE(report.is_limited);
      REQUIRE(report.datagrams <= ReceiveLimits().datagrams_max);
      work += static_cast<double>(report.work);
    }
    stage.now += loop.tick;
    time += loop.tick;
  }
  REQUIRE(work <= work_of(time));
  REQUIRE(client.counters().not_ours > 100);
}

/// A server and a connected client. One of them receives an endless flood of full-size packets of
/// their connection, with new numbers and broken seals.
class FloodedConnection {
 public:
  explicit FloodedConnection(bool is_at_server) : is_at_server_(is_at_server) {
    const Address client_address = Address::ipv4({10, 0, 1, 1}, 1000);
    client_socket_ = stage_.network.open(client_address);
    DatagramSocket& inner = is_at_server ? *stage_.socket : *client_socket_;
    flooded_.on_send = [&inner](const OutgoingDatagram& datagram) {
      static_cast<void>(inner.send(std::span(&datagram, 1)));
    };
    flooded_.next = [this, &inner](std::span<std::byte> memory, Address& from) {
      return forward(inner, memory, from);
    };
    DatagramSocket& server_line = is_at_server ? flooded_ : *stage_.socket;
    DatagramSocket& client_line = is_at_server ? *client_socket_ : flooded_;
    stage_.server.emplace(stage_.options, server_line, stage_.entropy, stage_.door, stage_.now);
    stage_.clients.push_back(
        std::make_unique<Client>(stage_.client_options(), client_line, stage_.entropy, stage_.now));
    stage_.run(1s);
    REQUIRE(stage_.clients.front()->state() == ClientState::connected);
    REQUIRE(connection_id_of(head_) != 0);
    REQUIRE(forged() == 0);
    flooded_.next = [this](std::span<std::byte> memory, Address& from) {
      return write(memory, from);
    };
  }

  ReceiveReport receive() {
    return is_at_server_ ? stage_.server->receive(stage_.now, stage_.date)
                         : stage_.clients.front()->receive(stage_.now);
  }
  void advance(Duration time) { stage_.now += time; }
  std::uint64_t forged() const {
    return is_at_server_ ? stage_.server->counters().forged
                         : stage_.clients.front()->counters().forged;
  }

 private:
  /// Receives a valid datagram, and records the head and the source of a packet.
  std::size_t forward(DatagramSocket& inner, std::span<std::byte> memory, Address& from) {
    IncomingDatagram datagram{.from = {}, .memory = memory};
    if (inner.receive(std::span(&datagram, 1)) == 0) return 0;
    from = datagram.from;
    const std::span<const std::byte> bytes = memory.first(datagram.byte_count);
    if (connection_id_of(bytes) != 0) {
      std::ranges::copy(bytes.first(kPacketHeadBytes), head_.begin());
      source_ = from;
    }
    return datagram.byte_count;
  }
  std::size_t write(std::span<std::byte> memory, Address& from) {
    // The numbers are far above the highest received number, so no packet is old.
    number_ = 1000 + (number_ + 1) % 1000;
    std::ranges::copy(head_, memory.begin());
    memory[5] = static_cast<std::byte>(number_ & 0xFFU);
    memory[6] = static_cast<std::byte>(number_ >> 8U);
    from = source_;
    return kDatagramBytesMax;
  }

  bool is_at_server_;
  NetStage stage_{4};
  FloodSocket flooded_;
  std::unique_ptr<DatagramSocket> client_socket_;
  std::array<std::byte, kPacketHeadBytes> head_{};
  Address source_;
  std::uint32_t number_ = 0;
};

TEST_CASE("The work of a flood of forged packets includes the check of each seal",
          "[net][endpoint]") {
  const Loop loop = GENERATE(from_range(kLoops));
  const bool is_at_server = GENERATE(false, true);
  CAPTURE(loop.reason, is_at_server);
  constexpr std::uint64_t kCost =
      receive_work::kDatagram + receive_work::opening(kDatagramBytesMax);
  FloodedConnection connection(is_at_server);
  Duration time{};
  std::uint64_t calls = 0;
  std::uint64_t datagrams = 0;
  while (time < 100ms && calls < 500) {
    for (int i = 0; i < loop.calls; ++i, ++calls) {
      const ReceiveReport report = connection.receive();
      REQUIRE(report.is_limited);
      REQUIRE(report.work == report.datagrams * kCost);
      datagrams += report.datagrams;
      REQUIRE(connection.forged() == datagrams);
    }
    connection.advance(loop.tick);
    time += loop.tick;
  }
  REQUIRE(datagrams > 1000);
  REQUIRE(static_cast<double>(datagrams * kCost) <= work_of(time));
}

TEST_CASE("Later calls read the datagrams that a limited call did not read, each once and in order",
          "[net][endpoint]") {
  NetStage stage(4);
  stage.options.receive_limits = {.share = 0.5, .call_max = 16ms, .datagrams_max = 1};
  stage.start();
  ClientOptions options = stage.client_options();
  options.receive_limits = stage.options.receive_limits;
  Client& client = stage.add_client(options);
  stage.run(1s);
  REQUIRE(client.state() == ClientState::connected);
  for (std::uint32_t i = 0; i < 60; ++i) {
    REQUIRE(client.connection()->send_message(0, pattern(i, 900)) == SendStatus::queued);
  }
  std::uint32_t count = 0;
  bool was_limited = false;
  for (int i = 0; i < 500; ++i) {
    stage.step(16ms);
    stage.server->for_each_client([&](ClientHandle handle) {
      Connection& connection = *stage.server->connection(handle);
      for (; !connection.message(0).empty(); connection.pop_message(0)) {
        REQUIRE(copy_of(connection.message(0)) == pattern(count++, 900));
      }
    });
    was_limited = was_limited || stage.server->counters().receives_limited > 0;
  }
  REQUIRE(count == 60);
  REQUIRE(was_limited);
}

TEST_CASE("Datagrams from addresses that cannot be a peer are dropped and counted",
          "[net][endpoint]") {
  const auto* const text =
      GENERATE("10.0.1.1:0", "0.0.0.0:1000", "255.255.255.255:1000", "224.0.0.1:1000",
               "239.255.255.255:1000", "[::]:1000", "[ff02::1]:1000", "[2001:db8::1]:0");
  CAPTURE(text);
  NetStage stage(4);
  FloodSocket socket;
  int left = 3;
  socket.next = [&](std::span<std::byte> memory, Address& from) -> std::size_t {
    if (left-- <= 0) return 0;
    from = *Address::parse(text);
    ClientHandshake(stage.client_options().handshake, stage.entropy)
        .write_request(memory.first<kRequestBytes>());
    return kRequestBytes;
  };
  Server server(stage.options, socket, stage.entropy, stage.door, stage.now);
  REQUIRE_FALSE(server.receive(stage.now, stage.date).is_limited);
  server.send(stage.now);
  REQUIRE(server.counters().bad_sources == 3);
  REQUIRE(server.counters().requests == 0);
  REQUIRE(socket.bytes_out == 0);
}

/// A socket of a machine with several addresses, which records the local addresses of answers.
class ManyAddressesSocket final : public DatagramSocket {
 public:
  explicit ManyAddressesSocket(DatagramSocket& inner) : inner_(inner) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) sent_from.push_back(each.from);
    return inner_.send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    const std::size_t count = inner_.receive(datagrams);
    for (IncomingDatagram& each : datagrams.first(count)) each.to = target;
    return count;
  }
  void wait(Duration timeout) override { inner_.wait(timeout); }
  Address local_address() const override { return inner_.local_address(); }

  Address target;
  std::vector<Address> sent_from;

 private:
  DatagramSocket& inner_;
};

TEST_CASE("A server answers from the address that its client used", "[net][endpoint]") {
  NetStage stage(4);
  ManyAddressesSocket line(*stage.socket);
  const Address first = Address::ipv4({10, 0, 0, 1}, 0);
  const Address second = Address::ipv4({10, 0, 0, 2}, 0);
  line.target = first;
  stage.server.emplace(stage.options, line, stage.entropy, stage.door, stage.now);
  const Client& client = stage.add_client(stage.client_options());
  stage.run(1s);
  REQUIRE(client.state() == ClientState::connected);
  REQUIRE(line.sent_from == std::vector<Address>(line.sent_from.size(), first));

  // The client's address changes, and its packets then arrive at the server's other address.
  line.sent_from.clear();
  line.target = second;
  stage.network.rebind(Address::ipv4({10, 0, 1, 1}, 1000), Address::ipv4({10, 7, 7, 7}, 1));
  stage.run(1s);
  REQUIRE(stage.server->counters().addresses_changed == 1);
  line.sent_from.clear();
  stage.run(1s);
  REQUIRE_FALSE(line.sent_from.empty());
  REQUIRE(line.sent_from == std::vector<Address>(line.sent_from.size(), second));
}

}  // namespace
}  // namespace muster
