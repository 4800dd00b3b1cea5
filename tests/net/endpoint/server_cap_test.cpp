// The sending cap of a server: clients share the cap, and the bytes of a budget never wait for the
// cap. Time is simulated.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/server.h"
#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr Duration kServerTick = std::chrono::microseconds(16'667);
constexpr Duration kOneWayDelay = 20ms;
constexpr std::uint16_t kFirstPort = 1000;
constexpr double kEverything = std::numeric_limits<double>::infinity();

/// A server whose game sends payloads to each client at each tick, up to the budget.
class CappedGame {
 public:
  /// The results of a period.
  struct Report {
    double sent = 0;            ///< The bytes per second that the server sends.
    double fairness = 1;        ///< Jain's fairness index of the clients.
    std::vector<double> got;    ///< The bytes of payloads per second, for each client.
    Duration wait_max{};        ///< The maximum time from queueing to sending a payload.
    std::vector<double> waits;  ///< The maximum wait of each client's payloads, in ticks.
    std::uint64_t refused = 0;
  };

  CappedGame(double cap, std::size_t clients, Duration tick = kServerTick)
      : stage_(11, {.latency = kOneWayDelay, .mtu = kDatagramBytesSafe}), tick_(tick) {
    stage_.options.bytes_per_second_max = cap;
    stage_.options.connection.channels = {{.delivery = Delivery::reliable_ordered}};
    stage_.start();
    add_clients(clients);
  }

  void add_clients(std::size_t count) {
    const std::size_t clients = stage_.clients.size() + count;
    while (stage_.clients.size() < clients) {
      const auto number = static_cast<std::uint16_t>(stage_.clients.size());
      const auto port = static_cast<std::uint16_t>(kFirstPort + number);
      const auto last = static_cast<std::uint8_t>(number + 1);
      stage_.add_client(stage_.client_options(), Address::ipv4({10, 0, 1, last}, port));
    }
    wants_.resize(clients, kEverything);
    backlog_.resize(clients);
    got_.resize(clients);
    waits_.resize(clients);
    for (int i = 0; i < 60; ++i) stage_.step(tick_);
    handles_.clear();
    stage_.server->for_each_client([&](ClientHandle client) { handles_.push_back(client); });
    REQUIRE(handles_.size() == clients);
  }

  /// Sets the bytes per second that the game sends to a client.
  void set_wish(std::size_t client, double bytes_per_second) {
    wants_[client] = bytes_per_second;
    backlog_[client] = 0;
  }
  /// Sets the rate of a client's path.
  void set_path(std::size_t client, double bytes_per_second) {
    LinkOptions& down = stage_.network.link(stage_.links[2 * client + 1]);
    down.bytes_per_second = bytes_per_second;
    down.queue_bytes = static_cast<std::size_t>(bytes_per_second);
  }
  /// Queues messages for a client whenever there is room.
  void add_messages(std::size_t client, std::size_t bytes = kMessageBytesMax) {
    has_messages_.push_back(client);
    message_.resize(bytes);
  }
  /// Makes each client send at each tick from now on.
  void let_clients_talk() { clients_talk_ = true; }
  /// Queues a payload of `bytes` for each client whose budget is not 0.
  void queue_for_each(std::size_t bytes) {
    for (const ClientHandle handle : handles_) {
      Connection& connection = *stage_.server->connection(handle);
      if (connection.budget(stage_.now) == 0) continue;
      REQUIRE(connection.send_payload(std::span(payload_).first(bytes), 0) == SendStatus::queued);
    }
  }
  /// Returns the estimated rate of a client's path.
  double bytes_per_second(std::size_t client) {
    return stage_.server->connection(handles_[client])->rate().bytes_per_second();
  }

  void run(Duration time) {
    for (const Time end = stage_.now + time; stage_.now < end;) step();
  }
  Report measure(Duration time) {
    std::ranges::fill(got_, 0);
    std::ranges::fill(waits_, Duration{});
    refused_ = 0;
    const std::uint64_t before = stage_.server->counters().bytes_out;
    const Time began = stage_.now;
    run(time);
    const double passed = std::chrono::duration<double>(stage_.now - began).count();
    Report report;
    report.sent = static_cast<double>(stage_.server->counters().bytes_out - before) / passed;
    double sum = 0;
    double squares = 0;
    for (const double bytes : got_) {
      report.got.push_back(bytes / passed);
      sum += bytes;
      squares += bytes * bytes;
    }
    report.fairness = sum * sum / (static_cast<double>(got_.size()) * squares);
    for (const Duration wait : waits_) {
      report.waits.push_back(static_cast<double>(wait / 1us) / static_cast<double>(tick_ / 1us));
      report.wait_max = std::max(report.wait_max, wait);
    }
    report.refused = refused_;
    return report;
  }

  const Server& server() const { return *stage_.server; }
  /// Closes the server. Returns the time until the last client received the close.
  Duration close() {
    const Time began = stage_.now;
    stage_.server->close("the end", stage_.now);
    const auto knows = [](const auto& client) {
      return client->connection()->state() == ConnectionState::closed;
    };
    while (!std::ranges::all_of(stage_.clients, knows)) {
      REQUIRE(stage_.now < began + 500ms);  // Before the server drops the clients.
      step();
    }
    return stage_.now - began;
  }

 private:
  void step() {
    stage_.now += tick_;
    stage_.network.advance(stage_.now);
    stage_.server->receive(stage_.now, stage_.date);
    for (const ClientHandle handle : handles_) {
      // Slots are assigned in the order of arrival, which may differ from the order of the clients.
      const std::uint16_t port = stage_.server->address(handle).port();
      offer(*stage_.server->connection(handle), port - kFirstPort);
    }
    stage_.server->send(stage_.now);
    for (std::size_t i = 0; i < stage_.clients.size(); ++i) {
      stage_.clients[i]->receive(stage_.now);
      Connection& connection = *stage_.clients[i]->connection();
      read(connection, i);
      if (clients_talk_) {
        connection.clear_delivery_reports();
        static_cast<void>(connection.send_payload(std::span(payload_).first(16), 0));
      }
      stage_.clients[i]->send(stage_.now);
    }
  }

  void offer(Connection& connection, std::size_t client) {
    connection.clear_delivery_reports();
    for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
    }
    if (std::ranges::count(has_messages_, client) > 0) {
      while (connection.send_message(0, message_) == SendStatus::queued) {
      }
    }
    backlog_[client] += wants_[client] * std::chrono::duration<double>(tick_).count();
    for (;;) {
      const double wanted = std::min(backlog_[client], static_cast<double>(payload_.size()));
      const std::size_t size =
          std::min({connection.budget(stage_.now), connection.payload_bytes_max(),
                    static_cast<std::size_t>(wanted)});
      if (size < sizeof(std::uint64_t)) return;
      SectionWriter(payload_).write_u64(
          static_cast<std::uint64_t>(stage_.now.time_since_epoch().count()));
      if (connection.send_payload(std::span(payload_).first(size), 0) != SendStatus::queued) {
        ++refused_;
        return;
      }
      backlog_[client] -= static_cast<double>(size);
    }
  }

  void read(Connection& connection, std::size_t client) {
    for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
      ByteReader reader(connection.payload().bytes);
      const Time sent(Duration(static_cast<std::int64_t>(reader.u64())));
      // The time until the client's tick does not count as waiting.
      waits_[client] = std::max(waits_[client], stage_.now - sent - kOneWayDelay - tick_);
      got_[client] += static_cast<double>(connection.payload().bytes.size());
    }
    for (; !connection.message(0).empty(); connection.pop_message(0)) {
    }
  }

  NetStage stage_;
  Duration tick_;
  std::vector<ClientHandle> handles_;
  std::vector<double> wants_;
  std::vector<double> backlog_;  ///< The bytes that the game still has for each client.
  std::vector<double> got_;
  std::vector<std::size_t> has_messages_;
  bool clients_talk_ = false;
  NetBytes payload_ = pattern(3, kDatagramBytesMax);
  NetBytes message_ = pattern(4, kMessageBytesMax);
  std::vector<Duration> waits_;
  std::uint64_t refused_ = 0;
};

TEST_CASE("Clients share the cap of a server, and bytes within a budget do not wait",
          "[net][endpoint][sys-31]") {
  const auto [clients, cap] = GENERATE(table<std::size_t, double>({
      {1, 30'000},
      {4, 400'000},
      {16, 160'000},
      {64, 300'000},
      {64, 60'000},  // ten ticks allow each client less than a small packet
  }));
  const Duration tick = std::chrono::microseconds(GENERATE(16'667, 50'000));
  CAPTURE(clients, cap, tick.count());
  CappedGame game(cap, clients, tick);
  game.run(2s);
  const CappedGame::Report report = game.measure(10s);
  CAPTURE(report.sent, report.fairness, report.wait_max.count(), report.refused);
  REQUIRE(report.sent <= cap * 1.01);
  REQUIRE(report.sent >= cap * 0.95);
  REQUIRE(report.fairness >= 0.99);
  REQUIRE(report.refused == 0);
  REQUIRE(report.wait_max == Duration::zero());
}

TEST_CASE("Other clients get the unused share of a client with a slow path",
          "[net][endpoint][sys-31]") {
  CappedGame game(200'000, 4);
  game.set_wish(0, 5'000);
  game.set_path(1, 20'000);
  game.run(3s);
  CappedGame::Report report = game.measure(10s);
  CAPTURE(report.got, report.wait_max.count());
  REQUIRE(report.sent <= 202'000);
  REQUIRE(report.sent >= 196'000);
  REQUIRE(report.got[0] >= 4'950);
  REQUIRE(report.got[1] >= 14'000);  // without headers
  REQUIRE(report.got[2] >= 75'000);
  REQUIRE(std::abs(report.got[2] / report.got[3] - 1) < 0.02);

  // The client gets its share again within a tenth of a second.
  game.set_wish(0, kEverything);
  game.run(100ms);
  report = game.measure(1s);
  CAPTURE(report.got);
  REQUIRE(std::abs(report.got[0] / report.got[2] - 1) < 0.02);
  REQUIRE(report.wait_max <= kServerTick + 100ms);  // the payload waits in the path's queue
}

TEST_CASE("Messages of a client delay only its own payloads, by a few ticks at most",
          "[net][endpoint][sys-31]") {
  const double cap = GENERATE(160'000, 128'000);  // 166 and 133 bytes per tick for each client
  CAPTURE(cap);
  CappedGame game(cap, 16);
  game.add_messages(3);
  game.run(2s);
  const CappedGame::Report report = game.measure(10s);
  CAPTURE(report.sent, report.fairness, report.got, report.waits);
  REQUIRE(report.sent <= cap * 1.01);
  REQUIRE(report.sent >= cap * 0.95);
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 3) continue;
    REQUIRE(std::abs(report.got[i] / report.got[0] - 1) < 0.02);
    REQUIRE(report.waits[i] == 0);
  }
  // A message of 1,024 bytes uses the client's share of at most eight ticks.
  REQUIRE(report.waits[3] <= 10);
  // Payloads have more weight than messages.
  REQUIRE(report.got[3] >= 0.4 * report.got[0]);
}

TEST_CASE("Without a cap, only the clients' paths limit the rates", "[net][endpoint]") {
  CappedGame game(kEverything, 2);
  game.set_path(0, 50'000);
  game.set_path(1, 100'000);
  game.run(5s);
  const CappedGame::Report report = game.measure(5s);
  CAPTURE(report.got);
  REQUIRE(report.got[0] >= 35'000);
  REQUIRE(report.got[1] >= 75'000);
  REQUIRE(game.server().counters().capped == 0);
}

TEST_CASE(
    "A client that joins gets a share of a used cap, and other clients use the share of one that "
    "leaves",
    "[net][endpoint][sys-31]") {
  CappedGame game(100'000, 2);
  game.run(2s);
  REQUIRE(game.measure(2s).got[1] >= 40'000);
  game.set_wish(0, 0);
  game.run(200ms);
  const CappedGame::Report alone = game.measure(2s);
  CAPTURE(alone.got);
  REQUIRE(alone.got[1] >= 90'000);
  game.add_clients(1);
  game.set_wish(0, kEverything);
  game.run(200ms);  // reads the data that arrived meanwhile
  const CappedGame::Report three = game.measure(2s);
  CAPTURE(three.got);
  REQUIRE(three.fairness >= 0.99);
  REQUIRE(three.wait_max == Duration::zero());
  REQUIRE(game.server().counters().capped > 100);
}

TEST_CASE("A server that closes notifies its clients at once, even beyond its cap",
          "[net][endpoint][sys-31]") {
  CappedGame game(1'000, 32);
  game.let_clients_talk();
  game.run(3s);
  // The cap also delays acknowledgements. The last packet may exceed the cap.
  REQUIRE(game.measure(10s).sent <= 1'010);
  REQUIRE(game.close() <= kOneWayDelay + 2 * kServerTick);
}

TEST_CASE(
    "When packets to all clients exceed the cap at once, the clients' packets are still "
    "acknowledged",
    "[net][endpoint][sys-31]") {
  CappedGame game(160'000, 64);
  for (std::size_t i = 0; i < 64; ++i) game.set_wish(i, 0);
  game.let_clients_talk();
  game.run(2s);
  game.queue_for_each(1'100);
  const std::uint64_t before = game.server().counters().datagrams_out;
  game.run(kServerTick);
  REQUIRE(game.server().counters().datagrams_out - before >= 64);
  for (int tick = 0; tick < 6; ++tick) {
    const std::uint64_t sent = game.server().counters().datagrams_out;
    game.run(2 * kServerTick);
    REQUIRE(game.server().counters().datagrams_out - sent >= 32);
  }
}

TEST_CASE("Messages that wait for a share of the cap do not affect the measured rate of the path",
          "[net][endpoint][sys-31]") {
  CappedGame game(10'000, 1);
  game.set_wish(0, 0);
  game.add_messages(0, 120);
  game.run(20s);
  // the rate doubles once at the start, while the cap has unused bytes
  REQUIRE(game.bytes_per_second(0) <= 96'000);
}

TEST_CASE("A cap allocates nothing when members join and leave", "[net][endpoint][sys-31]") {
  Time now(1s);
  SendCap cap(60'000, 64, now);
  for (std::size_t i = 0; i < 64; ++i) cap.join(i);
  const std::uint64_t before = allocation_count();
  for (int tick = 0; tick < 1000; ++tick) {
    now += kServerTick;
    for (std::size_t i = 0; i < 64; ++i) {
      if (cap.credit(i) > 0) cap.spent(i, 200);
    }
    static_cast<void>(cap.refill(now));
    cap.leave(static_cast<std::size_t>(tick) % 64);
    cap.join(static_cast<std::size_t>(tick) % 64);
  }
  REQUIRE(allocation_count() == before);
}

TEST_CASE("The sum of all credits is the available bytes minus the debt", "[net][endpoint]") {
  Time now(1s);
  SendCap cap(100'000, 8, now);
  for (std::size_t i = 0; i < 4; ++i) cap.join(i);
  std::uint32_t random = 1;
  std::int64_t sent = 0;
  for (int tick = 1; tick <= 2000; ++tick) {
    now += kServerTick;
    for (std::size_t i = 0; i < 4; ++i) {
      random = random * 1'664'525 + 1'013'904'223;
      // A packet is sent with any positive credit, and may exceed it.
      while (cap.credit(i) > 0 && (random = random * 1'664'525 + 1'013'904'223) >> 30U != 0) {
        const std::size_t bytes = 30 + (random >> 16U) % 1400;
        cap.spent(i, bytes);
        sent += static_cast<std::int64_t>(bytes);
      }
    }
    static_cast<void>(cap.refill(now));
    const double could = 100'000 * std::chrono::duration<double>(now - Time(1s)).count();
    std::int64_t credits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      credits += cap.credit(i);
      REQUIRE(cap.credit(i) <= 6'250);  // a full credit plus all bytes of 50 ms
    }
    REQUIRE(static_cast<double>(sent + credits) <= could + 100'000 * 0.05 + 5);
  }
  // All available bytes were used.
  REQUIRE(static_cast<double>(sent) >= 0.98 * 2000 * 100'000 / 60);
}

TEST_CASE("Bytes sent without credit stop at the maximum debt", "[net][endpoint]") {
  Time now(1s);
  SendCap cap(10'000, 2, now);
  cap.join(0);
  std::size_t bytes = 0;
  for (; !cap.is_used_up(); bytes += 40) cap.spent(0, 40);
  // The limit is the sum of the initial credit, the maximum stored credit, and one packet per
  // member.
  REQUIRE(bytes <= 500 + 500 + 2 * (300 + kDatagramBytesMax) + 40);
  REQUIRE(cap.credit(0) < 0);
  // After a second, the credit is positive again.
  now += 1s;
  REQUIRE(cap.refill(now) == 1);
  REQUIRE(cap.credit(0) > 0);
}

}  // namespace
}  // namespace muster
