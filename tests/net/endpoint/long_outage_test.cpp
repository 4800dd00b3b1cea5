// A connection whose links are down for longer than a key is used.
#include <array>
#include <chrono>
#include <optional>

#include <catch2/catch.hpp>

#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Counts the key changes of a client's packets in both directions.
class KeyChanges final : public PacketRecorder {
 public:
  void begin(const RecordedConnection& connection) override { cipher = connection.cipher; }
  void packet(const RecordedPacket& packet) override {
    Direction& direction = packet.is_outgoing ? out_ : in_;
    if (direction.phase != packet.key_phase) ++direction.changes;
    direction.phase = packet.key_phase;
  }
  void handshake(const RecordedHandshake& /*handshake*/) override {}

  int out() const { return out_.changes; }
  int in() const { return in_.changes; }

  Cipher cipher = Cipher::none;

 private:
  struct Direction {
    bool phase = false;
    int changes = 0;
  };
  Direction out_;
  Direction in_;
};

struct LongOutage {
  LongOutage() {
    stage.options.connection.closed_after = 40min;
    stage.start();
    ClientOptions options = stage.client_options();
    options.recorder = &keys;
    client = &stage.add_client(options);
    stage.run(2s);
  }

  void set_down(bool is_down) {
    for (const LinkId link : stage.links) stage.network.link(link).is_down = is_down;
  }
  Connection& server_end() {
    Connection* found = nullptr;
    stage.server->for_each_client(
        [&](ClientHandle handle) { found = stage.server->connection(handle); });
    REQUIRE(found != nullptr);
    return *found;
  }
  /// Sends a message in both directions.
  void exchange_messages() {
    REQUIRE(client->state() == ClientState::connected);
    const std::array<Connection*, 2> ends{client->connection(), &server_end()};
    for (Connection* end : ends) {
      REQUIRE(end->send_message(0, pattern(++messages_, 50)) == SendStatus::queued);
    }
    stage.run(1s);
    REQUIRE(copy_of(ends[0]->message(0)) == pattern(messages_, 50));
    REQUIRE(copy_of(ends[1]->message(0)) == pattern(messages_ - 1, 50));
    for (Connection* end : ends) end->pop_message(0);
    CHECK(client->counters().forged == 0);
    CHECK(stage.server->counters().forged == 0);
  }

  KeyChanges keys;
  NetStage stage{3, {.latency = 20ms}};
  Client* client = nullptr;

 private:
  std::uint32_t messages_ = 0;
};

}  // namespace

TEST_CASE("A connection survives an outage in which keys become too old, and then changes keys",
          "[net][endpoint]") {
  const auto outage = GENERATE(12min, 21min, 35min);
  CAPTURE(outage.count());
  LongOutage scene;
  REQUIRE(scene.keys.cipher != Cipher::none);
  scene.exchange_messages();

  scene.set_down(true);
  scene.stage.run(outage, 50ms);
  CHECK(scene.client->state() == ClientState::interrupted);
  // No packet under the second key is delivered, so there is no third key.
  CHECK(scene.keys.out() == 1);
  scene.set_down(false);
  scene.stage.run(5s);
  CHECK(scene.keys.in() >= 1);
  scene.exchange_messages();

  const int in = scene.keys.in();
  const int out = scene.keys.out();
  scene.stage.run(kTimePerKey + 1min, 50ms);
  CHECK(scene.keys.in() > in);
  CHECK(scene.keys.out() > out);
  scene.exchange_messages();
}

}  // namespace muster
