// Players of one server behind one link get equal shares of the link.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Two players behind one link. Other players with separate links joined earlier.
class Household {
 public:
  Household(double kbit_per_s, std::size_t others) : others_(others) {
    stage_.start();
    const auto queue = static_cast<std::size_t>(kbit_per_s * 125);  // The bytes of one second.
    down_ = stage_.network.add_link(
        {.latency = 20ms, .bytes_per_second = kbit_per_s * 125, .queue_bytes = queue});
    for (std::size_t i = 0; i < others; ++i) stage_.add_client(stage_.client_options());
    stage_.run(1s);
  }

  void add_player() {
    const auto number = static_cast<std::uint8_t>(players_.size() + 1);
    const LinkId up = stage_.network.add_link({.latency = 20ms});
    Player& player = players_.emplace_back();
    player.socket = stage_.network.open(Address::ipv4({10, 0, 9, number}, 1000), {up}, {down_});
    player.client = std::make_unique<Client>(stage_.client_options(), *player.socket,
                                             stage_.entropy, stage_.now);
  }

  void run(Duration duration) {
    for (const Time end = stage_.now + duration; stage_.now < end;) tick();
  }

  std::array<double, 2> received() const { return {players_[0].received, players_[1].received}; }

 private:
  struct Player {
    std::unique_ptr<DatagramSocket> socket;
    std::unique_ptr<Client> client;
    double received = 0;  ///< The received bytes of payloads.
  };

  /// Runs a tick of the server, and a little later a tick of the players.
  void tick() {
    stage_.now += 12667us;
    stage_.network.advance(stage_.now);
    stage_.server->receive(stage_.now, stage_.date);
    stage_.server->for_each_client([this](ClientHandle handle) { fill(handle); });
    stage_.server->send(stage_.now);
    stage_.now += 4ms;
    stage_.network.advance(stage_.now);
    for (Player& player : players_) player.received += serve(*player.client);
    for (const auto& other : stage_.clients) serve(*other);
  }

  /// Runs a tick of a client, and returns the received bytes of payloads.
  double serve(Client& client) {
    double received = 0;
    client.receive(stage_.now);
    if (Connection* const connection = client.connection()) {
      for (; !connection->payload().bytes.empty(); connection->pop_payload()) {
        received += static_cast<double>(connection->payload().bytes.size());
      }
    }
    client.send(stage_.now);
    return received;
  }

  /// Fills the budgets of the two players, and sends little data to other players.
  void fill(ClientHandle handle) {
    Connection& connection = *stage_.server->connection(handle);
    const bool is_other = handle.slot < others_;
    for (int i = 0; i < (is_other ? 1 : 16); ++i) {
      const std::size_t payload_bytes =
          std::min(connection.budget(stage_.now), is_other ? 50 : connection.payload_bytes_max());
      if (payload_bytes == 0) break;
      const std::vector<std::byte> bytes(payload_bytes);
      if (connection.send_payload(bytes, 0) != SendStatus::queued) break;
    }
    connection.clear_delivery_reports();
  }

  NetStage stage_{5};
  std::size_t others_;
  LinkId down_ = 0;
  std::vector<Player> players_;
};

TEST_CASE("Two players of one server on a slow link get equal shares", "[net][endpoint][sys-32]") {
  const double kbit_per_s = GENERATE(512.0, 2000.0);
  const std::size_t others = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{6});
  CAPTURE(kbit_per_s, others);
  Household household(kbit_per_s, others);
  household.add_player();
  household.run(5s);
  household.add_player();
  household.run(25s);
  const std::array<double, 2> before = household.received();
  household.run(30s);
  const std::array<double, 2> after = household.received();
  const double first = after[0] - before[0];
  const double second = after[1] - before[1];
  const double jain = (first + second) * (first + second) / (2 * (first * first + second * second));
  CAPTURE(first, second);
  REQUIRE(jain >= 0.95);
  // Payloads alone use about nine tenths of the link.
  REQUIRE(first + second > 0.85 * 30 * kbit_per_s * 125);
}

}  // namespace
}  // namespace muster
