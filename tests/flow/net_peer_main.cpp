// One end of a connection as a separate process, for net_process_test.py.
//
//   net_peer server ADDRESS            prints "listening PORT KEY"; serves one client and echoes
//   net_peer client ADDRESS KEY        connects, sends, and checks the echo
//
// The client sends messages, payloads and a block whose bytes both ends can verify. The exit code
// is 0 if all echoes are unchanged.
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "net/transport/udp_socket.h"
#include "registry/base/clock.h"
#include "registry/base/hex.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMessages = 500;
constexpr std::size_t kBlockBytes = 300'000;
constexpr Duration kPatience = 40s;

ConnectionOptions connection_options() {
  ConnectionOptions options;
  options.channels = {ChannelOptions{}};
  return options;
}

class LetIn final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant&) override { return std::nullopt; }
  bool admits_content(std::uint64_t) override { return false; }
};

std::array<std::byte, 40> message_of(std::uint32_t number) {
  std::array<std::byte, 40> message{};
  std::memcpy(message.data(), &number, sizeof(number));
  for (std::size_t i = 4; i < message.size(); ++i) message[i] = static_cast<std::byte>(number + i);
  return message;
}

int serve(const Address& address) {
  const SteadyClock clock;
  SystemEntropy entropy;
  LetIn door;
  OpenedUdp udp = open_udp({.local = address});
  if (udp.socket == nullptr) {
    std::fprintf(stderr, "net_peer: %s\n", udp.error.c_str());
    return 2;
  }
  ServerOptions options;
  options.connection = connection_options();
  options.identity = SecretKey::random(entropy);
  Server server(options, *udp.socket, entropy, door, clock.now());
  std::printf("listening %u %s\n", udp.socket->local_address().port(),
              hex_text(server.public_key()).c_str());
  std::fflush(stdout);
  std::vector<std::byte> block;
  for (const Time end = clock.now() + kPatience; clock.now() < end;) {
    const Time now = clock.now();
    server.receive(now, 0);
    server.for_each_client([&](ClientHandle handle) {
      Connection& client = *server.connection(handle);
      while (!client.message(0).empty() &&
             client.send_message(0, client.message(0)) == SendStatus::queued) {
        client.pop_message(0);
      }
      for (; !client.payload().bytes.empty(); client.pop_payload()) {
        static_cast<void>(client.send_payload(client.payload().bytes, 0));
      }
      if (!client.block().empty() && block.empty()) {
        block.assign(client.block().begin(), client.block().end());
        client.pop_block();
        std::uint16_t id = 0;
        static_cast<void>(client.send_block(block, id));
      }
      client.clear_delivery_reports();
    });
    server.send(now);
    for (const ServerEvent& event : server.events()) {
      if (event.kind == ServerEvent::Kind::closed) {
        return event.close->reason == CloseReason::left ? 0 : 1;
      }
    }
    server.clear_events();
    udp.socket->wait(4ms);
  }
  return 1;
}

/// The echoes that a client has received.
struct Echo {
  std::uint32_t sent = 0;
  std::uint32_t returned = 0;
  std::uint64_t payloads_back = 0;
  bool has_block = false;
  bool is_wrong = false;
};

void play(Connection& connection, const std::vector<std::byte>& block, Echo& echo) {
  if (echo.sent == 0) {
    std::uint16_t id = 0;
    echo.is_wrong = connection.send_block(block, id) != SendStatus::queued;
  }
  while (echo.sent < kMessages &&
         connection.send_message(0, message_of(echo.sent)) == SendStatus::queued) {
    ++echo.sent;
  }
  const auto payload = message_of(7);
  static_cast<void>(connection.send_payload(payload, 0));
  for (; !connection.message(0).empty(); connection.pop_message(0)) {
    const auto expected = message_of(echo.returned++);
    echo.is_wrong = echo.is_wrong || !std::ranges::equal(connection.message(0), expected);
  }
  for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
    echo.is_wrong = echo.is_wrong || !std::ranges::equal(connection.payload().bytes, payload);
    ++echo.payloads_back;
  }
  if (!connection.block().empty()) {
    echo.is_wrong = echo.is_wrong || !std::ranges::equal(connection.block(), block);
    echo.has_block = true;
    connection.pop_block();
  }
  connection.clear_delivery_reports();
}

int connect(const Address& address, std::string_view key) {
  const SteadyClock clock;
  SystemEntropy entropy;
  OpenedUdp udp = open_udp({.local = address.is_ipv4() ? Address::ipv4({}, 0) : Address()});
  ClientOptions options;
  options.connection = connection_options();
  options.server = address;
  if (udp.socket == nullptr || !parse_hex(key, options.handshake.server_key)) return 2;
  Client client(options, *udp.socket, entropy, clock.now());
  std::vector<std::byte> block(kBlockBytes);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = static_cast<std::byte>(i * i >> 5U);
  Echo echo;
  const Time end = clock.now() + kPatience;
  while (clock.now() < end && client.state() != ClientState::closed && !echo.is_wrong) {
    const Time now = clock.now();
    client.receive(now);
    if (client.connection() != nullptr) play(*client.connection(), block, echo);
    client.send(now);
    if (echo.returned == kMessages && echo.has_block && echo.payloads_back > 0) {
      client.close("done", clock.now());
      std::printf(
          "echoed %u messages, %llu payloads, a block; round trip %.2f ms\n", echo.returned,
          static_cast<unsigned long long>(echo.payloads_back),
          std::chrono::duration<double, std::milli>(client.connection()->round_trip().smoothed())
              .count());
      return 0;
    }
    udp.socket->wait(4ms);
  }
  std::fprintf(stderr, "net_peer: %u of %u messages came back%s%s\n", echo.returned, kMessages,
               echo.is_wrong ? ", and data was wrong" : "",
               client.end().has_value() ? (": " + client.end()->text).c_str() : "");
  return 1;
}

}  // namespace
}  // namespace muster

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const auto address = muster::Address::parse(argc > 2 ? argv[2] : "");
  if (mode == "server" && argc == 3 && address.has_value()) return muster::serve(*address);
  if (mode == "client" && argc == 4 && address.has_value()) {
    return muster::connect(*address, argv[3]);
  }
  std::fprintf(stderr, "usage: net_peer server ADDRESS | client ADDRESS KEY\n");
  return 2;
}
