// The implementation's side of packet_checker.py: emits packets, and judges given packets.
//
//   packet_vectors emit          prints lines `KIND HEX` and `run NAME=HEX...`
//   packet_vectors judge         reads lines `accept|drop KIND HEX RULE`
#include <array>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "net/endpoint/sealed_connection.h"
#include "registry/base/hex.h"
#include "tests/support/handshake_run.h"
#include "tests/support/hex.h"
#include "tests/support/net_bytes.h"

namespace {

using namespace muster;
using namespace std::chrono_literals;

/// One channel of each kind, so that a message may have any valid flags.
ConnectionOptions options(std::size_t overhead) {
  ConnectionOptions options{.channels = {}, .overhead_bytes = overhead};
  for (const Delivery delivery :
       {Delivery::unreliable, Delivery::reliable_unordered, Delivery::reliable_ordered}) {
    options.channels.push_back({.delivery = delivery});
  }
  options.channels.resize(kChannelsMax, {.delivery = Delivery::unreliable});
  options.block_bytes_max = kBlockBytesMax;
  return options;
}

void emit(std::string_view kind, std::span<const std::byte> bytes) {
  std::printf("%s %s\n", std::string(kind).c_str(), hex_text(bytes).c_str());
}

/// Emits the traffic of two ends over a path that loses a third of the packets.
void emit_bodies() {
  ConnectionOptions leading = options(23);
  leading.leads_maps = true;
  std::array<Connection, 2> ends = {Connection(leading, Time(1s)),
                                    Connection(options(23), Time(1s))};
  const NetBytes block = pattern(9, 3000);
  std::uint16_t id = 0;
  unsigned count = 0;
  NetBytes memory(kDatagramBytesMax);
  for (Time now(1s); count < 400; now += 16ms) {
    for (std::size_t i = 0; i < 2; ++i) {
      Connection& from = ends[i];
      if (count % 5 == i)
        static_cast<void>(from.send_payload(pattern(count, 1 + count % 700), count));
      for (std::size_t channel = 0; channel < 3; ++channel) {
        static_cast<void>(from.send_message(channel, pattern(count, 1 + count * 7 % 1024)));
        while (!from.message(channel).empty()) from.pop_message(channel);
      }
      if (count > 50 && count % 40 < 2) static_cast<void>(from.send_block(block, id));
      from.clear_finished_blocks();
      from.clear_delivery_reports();
      while (!from.payload().bytes.empty()) from.pop_payload();
      if (count < 300 && !from.block().empty()) from.pop_block();
      if (count == 200 && i == 0) from.begin_map();
      if (count == 380) from.close(CloseReason::left, "good bye", now);
      from.tick(now);
      while (from.wants_to_send(now)) {
        const std::uint32_t sequence = from.next_sequence();
        const auto body = from.write_packet(now, memory);
        emit("body", body);
        if (++count % 3 != 0 && ends[1 - i].classify(sequence) == Reception::fresh) {
          static_cast<void>(ends[1 - i].read_packet(now, sequence, body.size() + 23, body));
        }
      }
    }
    if (now > Time(60s)) return;
  }
}

/// Emits a whole handshake and a packet in each direction, with the secrets of both ends.
void emit_run(TrustMode mode) {
  HandshakeRun run(mode, 5 + static_cast<std::uint64_t>(mode));
  if (!run.shake()) return;
  std::string line = "run request=" + hex_text(run.request) +
                     " challenge=" + hex_text(run.challenge) +
                     " response=" + hex_text(run.response) + " accept=" + hex_text(run.accept) +
                     " client_secret=" + hex_text(run.client_secret.bytes());
  if (mode == TrustMode::token) {
    line += " token=" + hex_text(run.token) + " token_key=" + hex_text(run.backend_key.bytes());
    emit("token", run.token);
    const TokenClaims largest{.expires = kTokenLifetimeMax,
                              .servers = std::vector<Address>(kTokenAddressesMax),
                              .user_data = NetBytes(kUserDataBytesMax)};
    emit("token", issue_token(largest, run.backend_key, run.entropy).value());
  }
  const ConnectionKeys& keys = run.server_keys;
  SealedConnection client(options(0), keys.cipher, keys.to_server, keys.to_client,
                          {.ours = keys.client_receives, .theirs = keys.server_receives}, Time(1s));
  SealedConnection server(options(0), keys.cipher, keys.to_client, keys.to_server,
                          {.ours = keys.server_receives, .theirs = keys.client_receives}, Time(1s));
  static_cast<void>(client.connection().send_payload(pattern(1, 50), 1));
  NetBytes memory(kDatagramBytesMax);
  for (unsigned i = 0; i < 3; ++i) {
    const Time now = Time(1s) + i * 50ms;
    const std::size_t from_client = client.write(now, memory);
    line += " packet_client_" + std::to_string(i) + "=" +
            hex_text(std::span(memory).first(from_client));
    const std::size_t from_server = server.write(now, memory);
    line += " packet_server_" + std::to_string(i) + "=" +
            hex_text(std::span(memory).first(from_server));
  }
  std::printf("%s\n", line.c_str());
  emit("request", run.request);
  emit("challenge", run.challenge);
  emit("response", run.response);
  emit("accept", run.accept);
  std::array<std::byte, kRefuseBytesMax> refuse{};
  const RequestView request = read_request_head(run.request).value();
  for (const std::string_view text : {"", "the server is full"}) {
    emit("refuse",
         std::span(refuse).first(write_refuse(request, RefuseReason::full, text, refuse)));
  }
}

/// True if a connection that has sent packets accepts a body.
bool accepts(std::string_view kind, const NetBytes& body) {
  const std::size_t overhead = kind == "body" ? 23 : 7;
  Connection connection(options(overhead), Time(1s));
  NetBytes memory(kDatagramBytesMax);
  const std::uint32_t ack = body.size() < 2 ? 0U
                                            : std::to_integer<std::uint32_t>(body[0]) |
                                                  std::to_integer<std::uint32_t>(body[1]) << 8U;
  for (std::uint32_t i = 0; i < ack; ++i) {
    static_cast<void>(connection.write_packet(Time(1s), memory));
  }
  switch (connection.read_packet(Time(1s), 1, body.size() + overhead, body)) {
    case PacketVerdict::received:
      return true;
    case PacketVerdict::no_room:
      return true;  // The form is valid.
    case PacketVerdict::malformed:
    case PacketVerdict::unbelievable:
      break;
  }
  return false;
}

int judge(std::istream& lines) {
  std::string verdict;
  std::string kind;
  std::string bytes;
  std::string rule;
  int count = 0;
  int wrong = 0;
  while (lines >> verdict >> kind >> bytes && std::getline(lines, rule)) {
    ++count;
    if (accepts(kind, unhex(bytes)) == (verdict == "accept")) continue;
    ++wrong;
    std::printf("should %s:%s\n", verdict.c_str(), rule.c_str());
  }
  std::printf("%d vectors, %d with a wrong verdict\n", count, wrong);
  return wrong > 0 || count == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "judge") return judge(std::cin);
  if (what != "emit") {
    std::cerr << "packet_vectors emit | judge\n";
    return 2;
  }
  emit_bodies();
  for (const TrustMode mode : {TrustMode::pinned, TrustMode::token, TrustMode::unprotected}) {
    emit_run(mode);
  }
  return 0;
}
