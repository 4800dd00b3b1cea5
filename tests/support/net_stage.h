// A server and clients over a simulated network, with handshakes and encryption.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "net/transport/simulated_network.h"

namespace muster {

/// Admits every client by default.
class OpenDoor final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant& applicant) override {
    last_user_data = applicant.hello.user_data;
    return text;
  }
  bool admits_content(std::uint64_t theirs) override { return theirs == admitted_content; }

  std::optional<std::string> text;
  std::uint64_t admitted_content = 0;
  std::vector<std::byte> last_user_data;
};

/// A network with a server at 10.0.0.1:7000 and any number of clients.
class NetStage {
 public:
  static constexpr std::uint64_t kApplication = 0x6172656E61;
  static constexpr UnixSeconds kDate = 1'800'000'000;

  explicit NetStage(std::uint64_t seed, const LinkOptions& link = {})
      : network(seed),
        entropy(seed),
        server_key(SecretKey::random(entropy)),
        backend_key(SecretKey::random(entropy)),
        link_(link) {
    now = Time(std::chrono::seconds(1));
    network.advance(now);
    options.connection.channels = {ChannelOptions{}};
    options.agreement = {.application = kApplication, .content = 11, .descriptions = 22};
    options.identity = server_key;
    socket = network.open(server_address);
  }

  void start() { server.emplace(options, *socket, entropy, door, now); }

  ClientOptions client_options() const {
    ClientOptions client;
    client.connection = options.connection;
    client.handshake.agreement = options.agreement;
    client.handshake.server_key = KeyPair::of(server_key).shared;
    client.server = server_address;
    return client;
  }

  /// Returns a token for this server that expires a minute after `kDate`.
  std::vector<std::byte> token(AccountId account) {
    const TokenClaims claims{.application = kApplication,
                             .issued = kDate,
                             .expires = kDate + 60,
                             .server_key = KeyPair::of(server_key).shared,
                             .account = account,
                             .servers = {server_address},
                             .user_data = {std::byte{7}, std::byte{9}}};
    return issue_token(claims, backend_key, entropy).value();
  }

  /// Adds a client with new links. The options are the two elements of `links`: upward and
  /// downward.
  Client& add_client(const ClientOptions& client) {
    const auto number = static_cast<std::uint8_t>(clients.size() + 1);
    return add_client(client, Address::ipv4({10, 0, 1, number}, 1000));
  }
  Client& add_client(const ClientOptions& client, const Address& address) {
    links.push_back(network.add_link(link_));
    links.push_back(network.add_link(link_));
    sockets.push_back(network.open(address, {links[links.size() - 2]}, {links[links.size() - 1]}));
    clients.push_back(std::make_unique<Client>(client, *sockets.back(), entropy, now));
    return *clients.back();
  }

  void step(Duration tick) {
    now += tick;
    network.advance(now);
    server->receive(now, date);
    for (const auto& client : clients) client->receive(now);
    server->send(now);
    for (const auto& client : clients) client->send(now);
  }

  void run(Duration duration, Duration tick = std::chrono::milliseconds(16)) {
    for (const Time end = now + duration; now < end;) step(tick);
  }

  SimulatedNetwork network;
  SeededEntropy entropy;
  SecretKey server_key;
  SecretKey backend_key;
  OpenDoor door;
  ServerOptions options;
  Address server_address = Address::ipv4({10, 0, 0, 1}, 7000);
  UnixSeconds date = kDate;
  Time now;
  std::unique_ptr<DatagramSocket> socket;
  std::vector<LinkId> links;
  std::vector<std::unique_ptr<DatagramSocket>> sockets;
  std::optional<Server> server;
  std::vector<std::unique_ptr<Client>> clients;

 private:
  LinkOptions link_;
};

}  // namespace muster
