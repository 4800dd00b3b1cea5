// Tests that secrets are wiped when they are no longer needed. So an attacker who reads the memory
// later cannot decrypt recorded packets.
#include <memory>
#include <optional>
#include <vector>

#include <catch2/catch.hpp>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "tests/support/memory_search.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Stores the last response and the last accept of a socket.
class RecordingSocket final : public DatagramSocket {
 public:
  explicit RecordingSocket(DatagramSocket& inner) : inner_(inner) {}
  SendOutcome send(std::span<const OutgoingDatagram> datagrams) override {
    for (const OutgoingDatagram& each : datagrams) note(each.bytes);
    return inner_.send(datagrams);
  }
  std::size_t receive(std::span<IncomingDatagram> datagrams) override {
    const std::size_t count = inner_.receive(datagrams);
    for (const IncomingDatagram& each : datagrams.first(count)) {
      note(each.memory.first(each.byte_count));
    }
    return count;
  }
  void wait(Duration timeout) override { inner_.wait(timeout); }
  Address local_address() const override { return inner_.local_address(); }

  NetBytes response;
  NetBytes accept;

 private:
  void note(std::span<const std::byte> datagram) {
    if (datagram.front() == std::byte{3}) response = copy_of(datagram);
    if (datagram.front() == std::byte{4}) accept = copy_of(datagram);
  }
  DatagramSocket& inner_;
};

/// A server and one client, whose entropy is recorded. The object must be on the heap, because the
/// search does not include the stack.
class Scene {
 public:
  explicit Scene(bool has_token) {
    if (has_token) stage_.options.backend_key = stage_.backend_key;
    server_.emplace(stage_.options, *stage_.socket, server_entropy, stage_.door, stage_.now);
    ClientOptions options = stage_.client_options();
    if (has_token) {
      NetBytes token = stage_.token(AccountId(5));
      options.handshake.mode = TrustMode::token;
      options.handshake.token = read_client_token(token);
      token_secret.emplace(options.handshake.token->secret.bytes());
      std::ranges::fill(token, std::byte{});
      keep_the_write(token);
    }
    client_.emplace(options, socket_, client_entropy, stage_.now);
  }

  void run(Duration time) {
    for (const Time end = stage_.now + time; stage_.now < end;) {
      stage_.now += 50ms;
      stage_.network.advance(stage_.now);
      if (server_.has_value()) {
        server_->receive(stage_.now, stage_.date);
        server_->send(stage_.now);
        server_->clear_events();
      }
      if (!client_.has_value()) continue;
      client_->receive(stage_.now);
      client_->send(stage_.now);
    }
  }

  Client& client() { return *client_; }
  void end_client() { client_.reset(); }
  void end_server() { server_.reset(); }

  /// Returns the key chain and the first packet keys, without a token. The keys are computed from
  /// recorded datagrams and the client's ephemeral secret (net/WIRE_FORMAT.md, "Keys").
  std::vector<DisguisedSecret> computed_keys() const {
    SeededEntropy same(kClientSeed);
    const SecretKey ephemeral = SecretKey::random(same);
    const PublicKey server = KeyPair::of(stage_.server_key).shared;
    constexpr std::string_view kLabel = "muster handshake 1";
    const SecretKey c1 = mix(hash(std::as_bytes(std::span(kLabel))), server);
    const SecretKey c2 = mix(c1, agree(ephemeral, server)->bytes());
    const SecretKey c3 = mix(c2, SecretKey().bytes());
    const SecretKey c4 = mix(c3, hash(socket_.response).bytes());
    PublicKey theirs{};
    std::copy_n(socket_.accept.begin() + 8, theirs.size(), theirs.begin());
    const SecretKey c5 = mix(c4, agree(ephemeral, theirs)->bytes());
    std::vector<DisguisedSecret> keys;
    for (const SecretKey& key :
         {c3, c4, c5, mix(c5, "client packets"), mix(c5, "server packets")}) {
      keys.emplace_back(key.bytes());
    }
    return keys;
  }

  static constexpr std::uint64_t kClientSeed = 4711;
  OverheardEntropy client_entropy{kClientSeed};
  OverheardEntropy server_entropy{815};
  std::optional<DisguisedSecret> token_secret;

 private:
  /// Prevents the compiler from removing the write.
  static void keep_the_write(const NetBytes& bytes) {
    asm volatile("" : : "g"(bytes.data()) : "memory");
  }

  NetStage stage_{9};
  std::unique_ptr<DatagramSocket> inner_ = stage_.network.open(Address::ipv4({10, 0, 1, 1}, 1000));
  RecordingSocket socket_{*inner_};
  std::optional<Server> server_;
  std::optional<Client> client_;
};

/// Returns true when any of the secrets is in memory.
bool is_in_memory(std::span<const DisguisedSecret> secrets) {
  return std::ranges::any_of(secrets,
                             [](const DisguisedSecret& each) { return times_in_memory(each) > 0; });
}

bool can_search() {
  const std::vector<std::byte> known = pattern(77, 32);
  return times_in_memory(DisguisedSecret(known)) > 0;
}

TEST_CASE("The secrets of a handshake are wiped when the keys exist, and old keys after rekeying",
          "[net][endpoint]") {
  if (!can_search()) {
    WARN("the memory of this process cannot be searched: not tested");
    return;
  }
  const auto on_heap = std::make_unique<Scene>(false);
  Scene& scene = *on_heap;
  scene.run(2s);
  REQUIRE(scene.client().state() == ClientState::connected);
  // The first value of the client's entropy is its ephemeral secret.
  REQUIRE(scene.client_entropy.given.front().size() == 32);
  REQUIRE(times_in_memory(scene.client_entropy.given.front()) == 0);
  std::size_t ephemeral_count = 0;
  for (const DisguisedSecret& each : scene.server_entropy.given) {
    if (each.size() != 32) continue;
    ++ephemeral_count;
    REQUIRE(times_in_memory(each) == 0);
  }
  REQUIRE(ephemeral_count == 1);
  const std::vector<DisguisedSecret> keys = scene.computed_keys();
  REQUIRE_FALSE(is_in_memory(std::span(keys).first(3)));
  // The computed keys are correct, because the keys in use are in memory.
  REQUIRE(times_in_memory(keys[3]) > 0);
  REQUIRE(times_in_memory(keys[4]) > 0);
  scene.run(25min);
  REQUIRE(scene.client().state() == ClientState::connected);
  REQUIRE_FALSE(is_in_memory(keys));
}

TEST_CASE("A token's secret is wiped when the keys exist, and when an attempt ends",
          "[net][endpoint]") {
  if (!can_search()) return;
  const bool is_answered = GENERATE(true, false);
  const auto on_heap = std::make_unique<Scene>(true);
  Scene& scene = *on_heap;
  if (!is_answered) scene.end_server();
  REQUIRE(times_in_memory(*scene.token_secret) > 0);
  scene.run(11s);
  const ClientState expected = is_answered ? ClientState::connected : ClientState::closed;
  REQUIRE(scene.client().state() == expected);
  REQUIRE(times_in_memory(*scene.token_secret) == 0);
  REQUIRE(times_in_memory(scene.client_entropy.given.front()) == 0);
}

TEST_CASE("A destroyed server and client leave no secrets in memory", "[net][endpoint]") {
  if (!can_search()) return;
  const auto on_heap = std::make_unique<Scene>(false);
  Scene& scene = *on_heap;
  scene.run(2s);
  REQUIRE(scene.client().state() == ClientState::connected);
  const std::vector<DisguisedSecret> keys = scene.computed_keys();
  // The secrets of the cookie and of the address table have 16 bytes each.
  std::vector<DisguisedSecret> secrets;
  for (const DisguisedSecret& each : scene.server_entropy.given) {
    if (each.size() == 16) secrets.push_back(each);
  }
  REQUIRE(secrets.size() == 2);
  REQUIRE(times_in_memory(secrets[0]) == 1);
  REQUIRE(times_in_memory(secrets[1]) == 1);
  scene.end_client();
  scene.end_server();
  REQUIRE_FALSE(is_in_memory(secrets));
  REQUIRE_FALSE(is_in_memory(keys));
}

}  // namespace
}  // namespace muster
