#include "net/transport/udp_socket.h"

#include <algorithm>
#include <array>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/net_bytes.h"

namespace muster {
namespace {

using namespace std::chrono_literals;

/// Receives until `count` datagrams have arrived, or no datagram arrives for a second.
std::vector<std::pair<Address, NetBytes>> receive(DatagramSocket& socket, std::size_t count) {
  std::vector<std::pair<Address, NetBytes>> arrived;
  std::vector<NetBytes> memory(16, NetBytes(kDatagramBytesMax + 1));
  std::vector<IncomingDatagram> datagrams;
  for (NetBytes& each : memory) datagrams.push_back({.from = {}, .memory = each});
  for (int silent = 0; arrived.size() < count && silent < 10;) {
    const std::size_t received = socket.receive(datagrams);
    for (const IncomingDatagram& each : std::span(datagrams).first(received)) {
      arrived.emplace_back(each.from, copy_of(each.memory.first(each.byte_count)));
    }
    if (received > 0) continue;
    socket.wait(100ms);
    ++silent;
  }
  return arrived;
}

std::unique_ptr<DatagramSocket> open(std::string_view local) {
  OpenedUdp opened = open_udp({.local = *Address::parse(local)});
  if (opened.socket == nullptr) WARN(local << ": " << opened.error);
  return std::move(opened.socket);
}

/// Sends datagrams of different sizes from one socket to another, and requires that all arrive.
void require_exchange(DatagramSocket& from, DatagramSocket& to, const Address& at,
                      const Address& seen_as) {
  std::vector<NetBytes> sent;
  for (std::uint32_t i = 0; i < 200; ++i) {
    // Runs of equal sizes, and datagrams of different sizes.
    sent.push_back(pattern(i, i % 10 < 7 ? 900 : i * 7));
  }
  sent.push_back(pattern(1, kDatagramBytesMax));
  std::vector<OutgoingDatagram> datagrams;
  for (const NetBytes& each : sent) datagrams.push_back({.to = at, .bytes = each});
  const SendOutcome outcome = from.send(datagrams);
  REQUIRE(outcome.sent == sent.size());
  REQUIRE(outcome.failed + outcome.too_large == 0);
  auto arrived = receive(to, sent.size());
  REQUIRE(arrived.size() == sent.size());
  for (std::size_t i = 0; i < sent.size(); ++i) {
    REQUIRE(arrived[i].second == sent[i]);  // The loopback interface keeps the order.
    REQUIRE(arrived[i].first == seen_as);
  }
}

TEST_CASE("Datagrams are sent and received over IPv4", "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  const auto b = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  REQUIRE(a->local_address().port() != 0);
  REQUIRE(a->local_address() != b->local_address());
  require_exchange(*a, *b, b->local_address(), a->local_address());
  require_exchange(*b, *a, a->local_address(), b->local_address());
}

TEST_CASE("Datagrams are sent and received over IPv6", "[net][transport][sys-22]") {
  const auto a = open("[::1]:0");
  if (a == nullptr) {
    WARN("this machine has no IPv6 loopback: not tested");
    return;
  }
  const auto b = open("[::1]:0");
  REQUIRE(b != nullptr);
  require_exchange(*a, *b, b->local_address(), a->local_address());
}

TEST_CASE("A dual-stack socket receives IPv4 and reports it as IPv4", "[net][transport][sys-22]") {
  const auto both = open("[::]:0");
  const auto four = open("127.0.0.1:0");
  REQUIRE(both != nullptr);
  REQUIRE(four != nullptr);
  const Address at = Address::ipv4({127, 0, 0, 1}, both->local_address().port());
  require_exchange(*four, *both, at, four->local_address());
  require_exchange(*both, *four, four->local_address(), at);
  const auto six = open("[::1]:0");
  if (six == nullptr || both->local_address().is_ipv4()) {
    WARN("this machine has no IPv6: not tested");
    return;
  }
  const Address at_six = Address::parse("[::1]:1")->with_port(both->local_address().port());
  require_exchange(*six, *both, at_six, six->local_address());
}

TEST_CASE("A datagram that is too large is recognised and does not affect the next",
          "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  const auto b = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  const NetBytes large = pattern(1, 4000);
  const NetBytes small = pattern(2, 40);
  const std::array<OutgoingDatagram, 2> datagrams = {
      OutgoingDatagram{.to = b->local_address(), .bytes = large},
      OutgoingDatagram{.to = b->local_address(), .bytes = small}};
  REQUIRE(a->send(datagrams).sent == 2);
  const auto arrived = receive(*b, 2);
  REQUIRE(arrived.size() == 2);
  REQUIRE(arrived[0].second.size() == kDatagramBytesMax + 1);
  REQUIRE(arrived[1].second == small);
}

TEST_CASE("Every datagram is in exactly one count of the send outcome",
          "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  const auto b = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  const NetBytes beyond(70'000);  // This size exceeds the maximum of UDP.
  const NetBytes small = pattern(2, 40);
  const Address six = *Address::parse("[2001:db8::1]:9");
  const std::array<OutgoingDatagram, 5> datagrams = {
      OutgoingDatagram{.to = b->local_address(), .bytes = small},
      OutgoingDatagram{.to = b->local_address(), .bytes = beyond},
      OutgoingDatagram{.to = six, .bytes = small},  // The socket is for IPv4.
      OutgoingDatagram{.to = b->local_address().with_port(0), .bytes = small},
      OutgoingDatagram{.to = b->local_address(), .bytes = small}};
  const SendOutcome outcome = a->send(datagrams);
  REQUIRE(outcome.sent == 2);
  REQUIRE(outcome.too_large == 1);
  REQUIRE(outcome.failed == 2);
  REQUIRE(receive(*b, 2).size() == 2);
}

TEST_CASE("Empty datagrams are sent and received", "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  const auto b = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  const NetBytes bytes = pattern(2, 40);
  const Address at = b->local_address();
  const std::array<OutgoingDatagram, 5> datagrams = {
      OutgoingDatagram{.to = at, .bytes = {}}, OutgoingDatagram{.to = at, .bytes = {}},
      OutgoingDatagram{.to = at, .bytes = bytes}, OutgoingDatagram{.to = at, .bytes = {}},
      OutgoingDatagram{.to = at, .bytes = bytes}};
  REQUIRE(a->send(datagrams).sent == 5);
  const auto arrived = receive(*b, 5);
  REQUIRE(arrived.size() == 5);
  REQUIRE(arrived[3].second.empty());
  REQUIRE(arrived[4].second == bytes);
}

TEST_CASE("A closed port at the other end does not stop receiving", "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  const auto b = open("127.0.0.1:0");
  auto gone = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  REQUIRE(gone != nullptr);
  const Address closed_port = gone->local_address();
  gone.reset();
  const NetBytes small = pattern(2, 40);
  for (int i = 0; i < 3; ++i) {
    const OutgoingDatagram into_the_void{.to = closed_port, .bytes = small};
    static_cast<void>(a->send(std::span(&into_the_void, 1)));
    const OutgoingDatagram out{.to = a->local_address(), .bytes = small};
    REQUIRE(b->send(std::span(&out, 1)).sent == 1);
    REQUIRE(receive(*a, 1).size() == 1);
  }
}

#ifdef __linux__
TEST_CASE("A socket at all addresses reports the target address and answers from it",
          "[net][transport][sys-22]") {
  const auto* const local = GENERATE("0.0.0.0:0", "[::]:0");
  const auto* const target = GENERATE("127.0.0.1:1", "127.0.0.2:1", "[::1]:1");
  CAPTURE(local, target);
  const auto server = open(local);
  REQUIRE(server != nullptr);
  const Address at = Address::parse(target)->with_port(server->local_address().port());
  const auto client = open(at.is_ipv4() ? "127.0.0.1:0" : "[::1]:0");
  const bool can_reach = at.is_ipv4() || !server->local_address().is_ipv4();
  if (client == nullptr || !can_reach) return;
  const NetBytes bytes = pattern(2, 40);
  const OutgoingDatagram question{.to = at, .bytes = bytes};
  REQUIRE(client->send(std::span(&question, 1)).sent == 1);
  server->wait(1s);
  std::array<std::byte, kDatagramBytesMax + 1> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  REQUIRE(server->receive(std::span(&in, 1)) == 1);
  REQUIRE(in.to == at.with_port(0));

  // One datagram, and a run that the kernel splits.
  const std::vector<OutgoingDatagram> answers(
      5, OutgoingDatagram{.to = in.from, .bytes = bytes, .from = in.to});
  REQUIRE(server->send(answers).sent == answers.size());
  REQUIRE(server->send(std::span(answers).first(1)).sent == 1);
  const auto arrived = receive(*client, 6);
  REQUIRE(arrived.size() == 6);
  for (const auto& [from, answer] : arrived) {
    REQUIRE(from == at);
    REQUIRE(answer == bytes);
  }
}

TEST_CASE(
    "A socket reports unread datagrams, and datagrams that were dropped because its buffer was "
    "full",
    "[net][transport]") {
  OpenedUdp opened = open_udp({.local = *Address::parse("127.0.0.1:0"), .buffer_bytes = 4096});
  REQUIRE(opened.socket != nullptr);
  const auto from = open("127.0.0.1:0");
  REQUIRE(opened.socket->backlog().waiting_bytes == 0);
  REQUIRE(opened.socket->backlog().dropped == 0);
  const NetBytes bytes = pattern(1, 1000);
  for (int i = 0; i < 200; ++i) {
    const OutgoingDatagram out{.to = opened.socket->local_address(), .bytes = bytes};
    REQUIRE(from->send(std::span(&out, 1)).sent == 1);
  }
  REQUIRE(opened.socket->backlog().waiting_bytes > 1000);
  const std::size_t dropped = opened.socket->backlog().dropped;
  REQUIRE(dropped > 0);
  REQUIRE(receive(*opened.socket, 200).size() + dropped == 200);
  REQUIRE(opened.socket->backlog().waiting_bytes == 0);
}
#endif

TEST_CASE("A used port or a foreign address gives a readable error", "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  const OpenedUdp again = open_udp({.local = a->local_address()});
  REQUIRE(again.socket == nullptr);
  REQUIRE_FALSE(again.error.empty());
  const OpenedUdp elsewhere = open_udp({.local = *Address::parse("192.0.2.1:0")});
  REQUIRE(elsewhere.socket == nullptr);
  REQUIRE_FALSE(elsewhere.error.empty());
}

TEST_CASE("A socket reports how long a datagram waited in it", "[net][transport][sys-28]") {
  const auto from = open("127.0.0.1:0");
  const auto to = open("127.0.0.1:0");
  const auto silent = open("127.0.0.1:0");
  REQUIRE(silent != nullptr);
  const NetBytes bytes = pattern(1, 100);
  const OutgoingDatagram out{.to = to->local_address(), .bytes = bytes};
  std::array<std::byte, kDatagramBytesMax + 1> memory;
  IncomingDatagram in{.from = {}, .memory = memory};
  // Linux begins to stamp arrivals shortly after a socket requests it.
  for (int attempt = 0; attempt < 50 && in.waited < 10ms; ++attempt) {
    REQUIRE(from->send(std::span(&out, 1)).sent == 1);
    to->wait(1s);
    silent->wait(20ms);
    REQUIRE(to->receive(std::span(&in, 1)) == 1);
    // Zero means that the system does not report the time.
    if (in.waited == Duration::zero()) return;
  }
  REQUIRE(in.waited >= 10ms);
  REQUIRE(in.waited < 1min);
}

TEST_CASE("Waiting ends when a datagram arrives", "[net][transport][sys-22]") {
  const auto a = open("127.0.0.1:0");
  REQUIRE(a != nullptr);
  const NetBytes small = pattern(2, 40);
  const OutgoingDatagram out{.to = a->local_address(), .bytes = small};
  REQUIRE(a->send(std::span(&out, 1)).sent == 1);
  a->wait(1h);
  REQUIRE(receive(*a, 1).size() == 1);
  a->wait(1us);
}

}  // namespace
}  // namespace muster
