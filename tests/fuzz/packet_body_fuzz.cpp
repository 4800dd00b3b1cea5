// The input is a list of bodies. The two bytes before each body are its length. One connection
// receives the bodies in order. Their acknowledgements refer to sent packets. A body is applied
// completely or not at all, and all values stay within their limits.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "net/transport/connection.h"
#include "registry/base/bytes.h"

namespace {

using namespace muster;

void require(bool holds) {
  if (!holds) std::abort();
}

std::uint64_t contents(const ConnectionCounters& counters) {
  return counters.payloads_in + counters.messages_in + counters.fragments_in;
}

void read_everything(Connection& connection) {
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (; !connection.message(channel).empty(); connection.pop_message(channel)) {
      require(connection.message(channel).size() <= kMessageBytesMax);
    }
  }
  for (; !connection.payload().bytes.empty(); connection.pop_payload()) {
  }
  for (; !connection.block().empty(); connection.pop_block()) {
    require(connection.block().size() <= 100'000);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ByteReader input(std::as_bytes(std::span(data, size)));
  Time now(std::chrono::seconds(1));
  Connection connection({.channels = {{.delivery = Delivery::unreliable},
                                      {.delivery = Delivery::reliable_unordered},
                                      {.delivery = Delivery::reliable_ordered}},
                         .block_bytes_max = 100'000},
                        now);
  static const std::array<std::byte, 3000> kBlock{};
  std::uint16_t id = 0;
  static_cast<void>(connection.send_block(kBlock, id));
  std::array<std::byte, kDatagramBytesMax> memory{};
  std::uint32_t sequence = 0;
  for (int packets = 0; packets < 64 && input.remaining() > 0; ++packets) {
    const std::span<const std::byte> body = input.bytes(input.u16() % 1466U);
    static_cast<void>(connection.send_message(2, std::span(kBlock).first(20)));
    connection.tick(now);
    for (int i = 0; i < 4 && connection.wants_to_send(now); ++i) {
      require(!connection.write_packet(now, memory).empty());
    }
    const ConnectionCounters before = connection.counters();
    if (connection.classify(++sequence) != Reception::fresh) continue;
    const PacketVerdict verdict = connection.read_packet(now, sequence, body.size() + 23, body);
    const ConnectionCounters after = connection.counters();
    if (verdict != PacketVerdict::received) {
      require(contents(before) == contents(after));
      require(connection.highest_received() < sequence);
    }
    if (sequence % 8 == 0) read_everything(connection);
    now += std::chrono::milliseconds(5);
  }
  read_everything(connection);
  require(connection.delivery_reports().empty());
  return 0;
}
