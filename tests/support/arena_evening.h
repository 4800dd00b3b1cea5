// A match of the arena in one process: the real server and clients, over a simulated network and an
// injected clock. The seed determines all of it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "content/arena/game/arena_client.h"
#include "content/arena/game/arena_server.h"
#include "net/transport/simulated_network.h"
#include "registry/base/content_hash.h"
#include "registry/base/disk_file_system.h"
#include "tests/support/arena_build.h"

namespace muster {

inline const MemoryFileSystem& arena_build() {
  static const MemoryFileSystem files = testing::build_to_memory(
      DiskFileSystem::open(MUSTER_SOURCE_DIR "/content/arena").value(), {.level = 1});
  return files;
}

inline const Address kServerAddress = Address::ipv4({10, 0, 0, 1}, 7000);

/// A typical bad link: delayed, with jitter and occasional loss.
inline LinkOptions bad_link(double loss, bool may_overtake) {
  return {.latency = std::chrono::milliseconds(40),
          .jitter = std::chrono::milliseconds(10),
          .may_overtake = may_overtake,
          .loss = loss,
          .duplicate = 0.01};
}

struct Seat {
  /// Requires: `files` outlives the seat.
  explicit Seat(const Clock& clock, bool is_manual, const MemoryFileSystem& files = arena_build())
      : source(files, AssetPath::parse("client").value()),
        loads(source, store.catalog(), is_manual),
        client(arena::ArenaClient::open(store, loader, clock).value()) {}

  FileSystemSource source;
  BundleStore store = BundleStore::open(source).value();
  SteppedLoads loads;
  BundleLoader loader{store, loads, {}};
  std::unique_ptr<DatagramSocket> socket;
  SeededEntropy entropy{99};
  std::unique_ptr<arena::ArenaClient> client;
};

/// Options besides the server's seed.
struct EveningOptions {
  std::uint32_t still_from_tick = 0;
  double loss = 0.05;
  std::uint32_t worker_count = 1;
};

/// Records the datagrams that one end sent.
class HeardSocket final : public DatagramSocket {
 public:
  explicit HeardSocket(std::unique_ptr<DatagramSocket> inner) : inner_(std::move(inner)) {}

  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) {
      heard.push_back(each.to.text() + " " + std::to_string(each.bytes.size()) + " " +
                      hash_bytes(each.bytes).to_string());
    }
    return inner_->send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    return inner_->receive(datagrams);
  }
  void wait(Duration at_most) override { inner_->wait(at_most); }
  Address local_address() const override { return inner_->local_address(); }

  std::vector<std::string> heard;  ///< Receiver, size and hash of each datagram.

 private:
  std::unique_ptr<DatagramSocket> inner_;
};

class Evening {
 public:
  explicit Evening(std::uint64_t seed, const EveningOptions& options = {})
      : network(seed), loss_(options.loss) {
    clock.advance(std::chrono::seconds(1));
    network.advance(arena::net_time(clock.now()));
    server = arena::ArenaServer::open(store, {.seed = seed,
                                              .still_from_tick = options.still_from_tick,
                                              .worker_count = options.worker_count})
                 .value();
    server_socket = std::make_unique<HeardSocket>(network.open(kServerAddress));
    server->start(*server_socket, entropy, clock.now());
  }

  bool may_overtake = false;  ///< Links of later clients reorder datagrams.

  Seat& join(bool is_manual = false, const MemoryFileSystem& files = arena_build()) {
    auto seat = std::make_unique<Seat>(clock, is_manual, files);
    const auto number = static_cast<std::uint8_t>(10 + seats.size());
    seat->socket = network.open(Address::ipv4({10, 0, 0, number}, 1000),
                                {network.add_link(bad_link(loss_, may_overtake))},
                                {network.add_link(bad_link(loss_, may_overtake))});
    seat->entropy = SeededEntropy(number);
    seat->client->connect({kServerAddress, server->public_key()}, *seat->socket, seat->entropy);
    seats.push_back(std::move(seat));
    return *seats.back();
  }

  void run(Duration duration) {
    constexpr Duration kFrame = std::chrono::milliseconds(8);
    for (Duration passed{}; passed < duration; passed += kFrame) {
      clock.advance(kFrame);
      network.advance(arena::net_time(clock.now()));
      server->frame(clock.now());
      for (const auto& seat : seats) seat->client->frame();
    }
  }

  /// The first difference between a client's world and the server's; empty if they are equal.
  std::string difference(const Seat& seat) const {
    const auto world = seat.client->world();
    if (!world || !seat.client->player()) return "it has none";
    const arena::WorldValues expected = server->world_of(*seat.client->player());
    return world->text() == expected.text()
               ? ""
               : "expected\n" + expected.text() + "but sees\n" + world->text();
  }

  ManualClock clock;
  SimulatedNetwork network;
  FileSystemSource source{arena_build(), AssetPath::parse("server").value()};
  BundleStore store = BundleStore::open(source).value();
  SeededEntropy entropy{1};
  std::unique_ptr<HeardSocket> server_socket;
  std::unique_ptr<arena::ArenaServer> server;
  std::vector<std::unique_ptr<Seat>> seats;

 private:
  double loss_;
};

}  // namespace muster
