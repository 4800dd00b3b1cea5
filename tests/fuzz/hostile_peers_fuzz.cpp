// The input is a script for malicious peers of a server and of a client. The malicious peers send
// noise, real handshakes, replays, changed datagrams, sealed packets with any body, and floods, in
// any order. No call of `receive` does more work than its limit, all calls together use no more
// than their share of the time, and each answer counts as work.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/endpoint/client.h"
#include "net/endpoint/server.h"
#include "net/secure/packet_seal.h"
#include "tests/support/net_bytes.h"
#include "tests/support/scripted_socket.h"

namespace {

using namespace muster;
using namespace std::chrono_literals;

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr ReceiveLimits kLimits{.share = 0.25, .call_max = 2ms, .datagrams_max = 300};
constexpr std::size_t kGuestsMax = 4;
constexpr std::size_t kPeers = 12;

struct Datagram {
  Address from;
  NetBytes bytes;
};

/// Reads a script. Returns zero after the end of the script.
class Script {
 public:
  explicit Script(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  bool is_over() const { return bytes_.empty(); }
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const std::uint8_t byte = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return byte;
  }
  NetBytes some(std::size_t size_max) {
    const auto piece = bytes_.first(std::min(bytes_.size(), size_max));
    bytes_ = bytes_.subspan(piece.size());
    return copy_of(std::as_bytes(piece));
  }

 private:
  std::span<const std::uint8_t> bytes_;
};

/// Counts the requests to the game: one for each opened hello.
class CountingDoor final : public Admission {
 public:
  std::optional<std::string> refusal(const Applicant& applicant) override {
    ++request_count;
    return applicant.hello.user_data.empty() ? std::nullopt : std::optional<std::string>("no");
  }
  bool admits_content(std::uint64_t) override { return true; }
  std::uint64_t request_count = 0;
};

/// The total work of one end's calls.
struct WorkDone {
  double work = 0;
  void check(const ReceiveReport& report, Duration time) {
    // In the slowest loop, a call may use its share of 250 ms. This is at most `kFactorMax` times
    // the limit of one call.
    constexpr double kFactorMax = kLimits.share * (250.0 / 2);
    static_assert(kLimits.call_max == 2ms && kFactorMax >= 1);
    const double call_max = kFactorMax * std::chrono::duration<double>(kLimits.call_max).count() *
                            receive_work::kUnitsPerSecond;
    require(static_cast<double>(report.datagrams) <=
            kFactorMax * static_cast<double>(kLimits.datagrams_max));
    require(static_cast<double>(report.work) <= call_max + receive_work::kDatagramMax);
    work += static_cast<double>(report.work);
    const double seconds = std::chrono::duration<double>(time).count();
    require(work <= call_max + receive_work::kDatagramMax +
                        seconds * kLimits.share * receive_work::kUnitsPerSecond);
  }
};

/// A peer with real keys that sends what the script chooses.
struct Peer {
  Address address;
  std::optional<ClientHandshake> handshake;
  std::optional<ConnectionKeys> keys;
  std::uint32_t sequence = 0;
};

class Scene {
 public:
  Scene() {
    for (std::size_t i = 0; i < kPeers; ++i) {
      std::array<std::uint8_t, 16> ip{0x20, 1, 0xD, 0xB8, 0, 0, 0, static_cast<std::uint8_t>(i)};
      const auto low = static_cast<std::uint8_t>(i);
      peers_[i].address = i % 2 == 0 ? Address(ip, 1000) : Address::ipv4({50, 0, 1, low}, 1000);
    }
    server_socket_.next = [this](std::span<std::byte> memory, Address& from) {
      return give(to_server_, memory, from);
    };
    client_socket_.next = [this](std::span<std::byte> memory, Address& from) {
      return give(to_client_, memory, from);
    };
    server_socket_.on_send = [this](const OutgoingDatagram& out) { deliver(out); };
    client_socket_.on_send = [this](const OutgoingDatagram& out) {
      overhear(kClientAddress, out.bytes);
      if (!is_client_cut_) queue(to_server_, {.from = kClientAddress, .bytes = copy_of(out.bytes)});
    };
    ServerOptions options;
    options.connection.channels = {ChannelOptions{}};
    options.agreement = agreement_;
    options.identity = key_;
    options.clients_max = kGuestsMax;
    options.receive_limits = kLimits;
    server_.emplace(options, server_socket_, entropy_, door_, now_);
    ClientOptions client;
    client.connection = options.connection;
    client.handshake = handshake_options({});
    client.server = kServerAddress;
    client.receive_limits = kLimits;
    client_.emplace(client, client_socket_, entropy_, now_);
  }

  void run(Script script) {
    for (int step = 0; step < 400 && !script.is_over(); ++step) act(script);
  }

 private:
  static constexpr std::size_t kQueueMax = 4096;
  static inline const Address kServerAddress = Address::ipv4({10, 0, 0, 1}, 7000);
  static inline const Address kClientAddress = Address::ipv4({10, 0, 1, 1}, 1000);

  ClientHandshake::Options handshake_options(NetBytes user_data) const {
    return {.agreement = agreement_,
            .server_key = KeyPair::of(key_).shared,
            .user_data = std::move(user_data)};
  }

  static std::size_t give(std::deque<Datagram>& queue, std::span<std::byte> memory, Address& from) {
    if (queue.empty()) return 0;
    const Datagram datagram = std::move(queue.front());
    queue.pop_front();
    from = datagram.from;
    std::ranges::copy(datagram.bytes, memory.begin());
    return datagram.bytes.size();
  }
  static void queue(std::deque<Datagram>& queue, Datagram datagram) {
    if (!datagram.bytes.empty() && queue.size() < kQueueMax) queue.push_back(std::move(datagram));
  }
  void overhear(const Address& from, std::span<const std::byte> bytes) {
    if (overheard_.size() == 64) overheard_.pop_front();
    overheard_.push_back({.from = from, .bytes = copy_of(bytes)});
  }

  void deliver(const OutgoingDatagram& out) {
    ++sent_;
    require(out.to.is_peer());
    overhear(kServerAddress, out.bytes);
    if (out.to == kClientAddress) {
      queue(to_client_, {.from = kServerAddress, .bytes = copy_of(out.bytes)});
      return;
    }
    for (Peer& peer : peers_) {
      if (out.to != peer.address || !peer.handshake.has_value()) continue;
      if (peer.handshake->read_challenge(out.bytes)) {
        NetBytes response(kRequestBytes);
        peer.handshake->write_response(std::span<std::byte, kRequestBytes>(response));
        overhear(peer.address, response);
      } else if (const auto keys = peer.handshake->read_accept(out.bytes)) {
        peer.keys = keys;
        peer.sequence = 0;
      }
    }
  }

  void receive() {
    const std::uint64_t sent_before = sent_;
    const std::uint64_t requests_before = door_.request_count;
    const ReceiveReport report = server_->receive(now_, 1'800'000'000);
    server_work_.check(report, now_ - kStart);
    // The reported work includes the calls that this test counts.
    require((sent_ - sent_before) * receive_work::kAnswer <= report.work);
    require((door_.request_count - requests_before) * receive_work::kHello <= report.work);
    client_work_.check(client_->receive(now_), now_ - kStart);
    std::size_t count = 0;
    server_->for_each_client([&](ClientHandle handle) {
      ++count;
      Connection& connection = *server_->connection(handle);
      for (; !connection.message(0).empty(); connection.pop_message(0)) {
      }
      for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
      }
      for (; !connection.block().empty(); connection.pop_block()) {
      }
    });
    require(count <= kGuestsMax);
  }

  void send() {
    server_->send(now_);
    client_->send(now_);
    server_->clear_events();
  }

  void act(Script& script) {
    const std::uint8_t action = script.next();
    const std::uint8_t value = script.next();
    Peer& peer = peers_[value % kPeers];
    switch (action % 12) {
      case 0:
      case 1:
        now_ += std::chrono::milliseconds(action % 12 == 0 ? value : value * 50);
        receive();
        send();
        break;
      case 2:
        for (int i = 0; i < value % 16; ++i) receive();
        break;
      case 3:
        queue(to_server_, {.from = peer.address, .bytes = script.some(value)});
        break;
      case 4: {  // Sends a request of a new attempt.
        const bool is_refused = value >= 200;
        peer.handshake.emplace(handshake_options(is_refused ? NetBytes(3) : NetBytes()), entropy_);
        NetBytes request(kRequestBytes);
        peer.handshake->write_request(std::span<std::byte, kRequestBytes>(request));
        queue(to_server_, {.from = peer.address, .bytes = request});
        break;
      }
      case 5:
        repeat(script, value, to_server_, false);
        break;
      case 6:  // The datagram is changed, or has another source address.
        repeat(script, value, to_server_, true);
        break;
      case 7:
        flood(script, value);
        break;
      case 8:
        send_sealed(script, peer, value);
        break;
      case 9:  // The datagram goes to the client, with the server's address as its source.
        queue(to_client_, {.from = kServerAddress, .bytes = script.some(value)});
        break;
      case 10:
        repeat(script, value, to_client_, true);
        break;
      default:
        is_client_cut_ = (value & 1U) != 0;
        if (Connection* const connection = client_->connection()) {
          static_cast<void>(connection->send_message(0, NetBytes(1 + value)));
        }
    }
  }

  /// Sends a recorded datagram again, unchanged or changed. The value 0 is the latest datagram.
  void repeat(Script& script, std::uint8_t value, std::deque<Datagram>& to, bool is_changed) {
    if (overheard_.empty()) return;
    Datagram datagram = overheard_[overheard_.size() - 1 - value % overheard_.size()];
    if (is_changed) {
      const std::size_t offset = (script.next() * 256U + script.next()) % datagram.bytes.size();
      datagram.bytes[offset] ^= static_cast<std::byte>(script.next());
      const std::uint8_t sender = script.next();
      if (sender < kPeers) datagram.from = peers_[sender].address;
      if (sender >= 250) datagram.from = datagram.from.with_port(0);
      if (&to == &to_client_) datagram.from = kServerAddress;
    }
    queue(to, std::move(datagram));
  }

  /// Sends the same datagram many times, each time from a new address.
  void flood(Script& script, std::uint8_t value) {
    if (overheard_.empty()) return;
    Datagram datagram = overheard_[script.next() % overheard_.size()];
    for (int i = 0; i < value * 8; ++i) {
      ++flood_;
      if (value % 2 == 0) {
        datagram.from = Address::ipv4(
            {11, static_cast<std::uint8_t>(flood_ >> 8U), static_cast<std::uint8_t>(flood_), 1},
            4000);
      }
      queue(value % 4 == 3 ? to_client_ : to_server_, datagram);
    }
  }

  /// Sends a packet with a valid seal and a body that the script chooses.
  void send_sealed(Script& script, Peer& peer, std::uint8_t value) {
    if (!peer.keys.has_value()) return;
    const NetBytes body = script.some(value);
    NetBytes packet(7 + body.size() + seal_bytes(peer.keys->cipher));
    SectionWriter head(packet);
    head.write_u8(kPacketBit);
    head.write_u32(peer.keys->server_receives);
    head.write_u16(++peer.sequence & 0xFFFFU);
    head.write_bytes(body);
    SealKey key(peer.keys->cipher, peer.keys->to_server);
    key.seal(peer.sequence, std::span(packet).first(7), std::span(packet).subspan(7), body.size());
    queue(to_server_, {.from = peer.address, .bytes = packet});
  }

  static constexpr Time kStart{1s};
  Time now_ = kStart;
  SeededEntropy entropy_{3};
  SecretKey key_ = SecretKey::random(entropy_);
  Agreement agreement_{.application = 7, .content = 1, .descriptions = 2};
  CountingDoor door_;
  FloodSocket server_socket_;
  FloodSocket client_socket_;
  std::deque<Datagram> to_server_;
  std::deque<Datagram> to_client_;
  std::deque<Datagram> overheard_;
  std::array<Peer, kPeers> peers_;
  std::uint64_t sent_ = 0;
  std::uint32_t flood_ = 0;
  bool is_client_cut_ = false;
  WorkDone server_work_;
  WorkDone client_work_;
  std::optional<Server> server_;
  std::optional<Client> client_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto scene = std::make_unique<Scene>();
  scene->run(Script(std::span(data, size)));
  return 0;
}
