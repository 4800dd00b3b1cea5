#include "tests/support/capture_samples.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <string_view>

#include "net/capture/capture_writer.h"
#include "net/capture/received_hash.h"
#include "net/wire/bit_stream.h"
#include "net/wire/section_writer.h"
#include "tests/support/net_stage.h"

namespace muster::samples {

namespace {

using namespace std::chrono_literals;
using Body = std::vector<std::byte>;

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Returns a packet body with this header and the sections that `write` appends.
template <typename Write>
Body body_of(const PacketHeader& header, const Write& write) {
  Body memory(kDatagramBytesMax);
  BitWriter bits(memory);
  write_packet_header(bits, header);
  const std::size_t head = bits.finish().size();
  SectionWriter writer(std::span<std::byte>(memory).subspan(head));
  write(writer);
  memory.resize(head + writer.used());
  return memory;
}

PacketHeader full_header(std::uint8_t sections) {
  return {.ack = Sequence(4),
          .mask = {.words = {0xFFFFFFFD, 0xFFFFFFFF, 0xFFFFFFFF}, .word_count = 3},
          .sent = 10160,
          .hold = 35,
          .delay = 12,
          .sections = sections};
}

void write_control(SectionWriter& writer) {
  writer.write_u8(4);
  writer.write_u8(1);
  writer.write_u8(2);
  writer.write_u64(0x0123456789ABCDEF);
  writer.write_u8(3);
  writer.write_u64(0xFEDCBA9876543210);
  writer.write_u8(6);
  writer.write_u16(9);
  writer.write_u8(1);
}

void write_messages(SectionWriter& writer) {
  writer.write_u8(3);
  writer.write_u8(0);  // Channel 0, unreliable.
  writer.write_u8(4);
  writer.write_bytes(bytes_of("shot"));
  writer.write_u8(8 | 1);  // Channel 1, reliable.
  writer.write_u16(1);
  writer.write_u8(4);
  writer.write_bytes(bytes_of("door"));
  writer.write_u8(16 | 8 | 2);  // Channel 2, ordered.
  writer.write_u16(1);
  writer.write_u8((130 & 127) | 128);
  writer.write_u8(130 >> 7);
  writer.write_bytes(bytes_of(std::string(130, 'c')));
}

void write_blocks(SectionWriter& writer) {
  const std::array<std::byte, 300> block{std::byte{1}};
  writer.write_u8(2);
  for (const std::uint32_t first : {0U, 1U}) {
    writer.write_u16(5);
    writer.write_u32(300);
    writer.write_u8(1);
    writer.write_u24(first);
    writer.write_bytes(first == 0 ? std::span(block).first(256) : std::span(block).last(44));
  }
}

Body everything() {
  return body_of(full_header(kAllSections), [](SectionWriter& writer) {
    write_control(writer);
    writer.write_u16(8);
    writer.write_bytes(bytes_of("snapshot"));
    write_messages(writer);
    write_blocks(writer);
  });
}

Body probe(std::size_t datagram_bytes, std::size_t overhead) {
  Body body = body_of({.sections = kControlSection}, [&](SectionWriter& writer) {
    writer.write_u8(1);
    writer.write_u8(4);
    writer.write_u16(static_cast<std::uint32_t>(datagram_bytes));
  });
  body.resize(datagram_bytes - overhead);
  return body;
}

Body farewell() {
  return body_of(full_header(kControlSection), [](SectionWriter& writer) {
    writer.write_u8(1);
    writer.write_u8(5);
    writer.write_u8(2);
    writer.write_u8(4);
    writer.write_bytes(bytes_of("bye\a"));
  });
}

/// One handshake datagram of each kind, filled with increasing numbers.
void add_handshakes(CaptureWriter& writer, Time at, const Address& local, const Address& peer) {
  const std::array<std::size_t, 5> sizes = {1200, 64, 1200, 76, 0};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Body datagram(sizes[i] == 0 ? 28 + 4 : sizes[i]);
    for (std::size_t at_byte = 4; at_byte < 72; ++at_byte) {
      if (at_byte < datagram.size()) datagram[at_byte] = static_cast<std::byte>(at_byte);
    }
    datagram[0] = static_cast<std::byte>(i + 1);
    datagram[1] = std::byte{1};
    if (i == 2) datagram[74] = std::byte{20};  // A hello without a token.
    if (i == 4) {
      datagram[3] = std::byte{6};
      datagram[24] = std::byte{1};
      datagram[25] = std::byte{4};
      datagram[26] = datagram[27] = std::byte{0};
      std::ranges::copy(bytes_of("full"), datagram.begin() + 28);
    }
    writer.handshake({.at = at + i * 1ms,
                      .is_outgoing = i % 2 == 0 && i < 4,
                      .local = local,
                      .peer = peer,
                      .datagram = datagram});
  }
}

std::vector<std::byte> copy_pending(CaptureWriter& writer) {
  const auto pending = writer.pending();
  return {pending.begin(), pending.end()};
}

}  // namespace

std::vector<std::byte> sample_capture() {
  const Time start(5s);
  CaptureWriter writer({.start = start, .unix_nanoseconds = 1'800'000'000'000'000'000});
  const Address local = Address::ipv4({10, 0, 1, 1}, 1000);
  const Address peer = Address::ipv4({10, 0, 0, 1}, 7000);
  add_handshakes(writer, start + 1ms, local, peer);
  RecordedConnection connection{
      .at = start + 10ms,
      .our_id = 0xA1B2C3D4,
      .their_id = 0x00001001,
      .cipher = Cipher::chacha20_poly1305,
      .local = local,
      .peer = peer,
      .datagram_bytes_max = 1472,
      .block_bytes_max = 16 << 20,
      .interrupted_after = 5s,
      .closed_after = 35s,
      .channels = {Delivery::unreliable, Delivery::reliable_unordered, Delivery::reliable_ordered},
      .channel_count = 3};
  writer.begin(connection);
  const auto add = [&](Duration at, bool is_outgoing, std::uint32_t sequence, const Body& body,
                       PacketVerdict verdict = PacketVerdict::received) {
    writer.packet({.at = start + at,
                   .connection = connection.our_id,
                   .is_outgoing = is_outgoing,
                   .key_phase = sequence > 2,
                   .sequence = sequence,
                   .datagram_bytes = body.size() + 7 + seal_bytes(connection.cipher),
                   .verdict = verdict,
                   .body = body});
  };
  const Body empty = body_of({}, [](SectionWriter&) {});
  for (std::uint32_t sequence = 1; sequence <= 4; ++sequence) {
    add(10ms + sequence * 20ms, true, sequence, empty);
  }
  add(90ms, false, 1, empty);
  add(100ms, false, 2, everything());
  add(101ms, true, 5, probe(1320, 23));
  add(102ms, false, 3, everything(), PacketVerdict::no_room);
  Body broken = everything();
  broken.pop_back();
  add(103ms, false, 4, broken, PacketVerdict::malformed);
  add(104ms, true, 6, farewell());
  connection = {.at = start + 2s,
                .our_id = 0x00002002,
                .their_id = 7,
                .is_server = true,
                .cipher = Cipher::none,
                .local = Address::parse("[::]:7000").value(),
                .peer = Address::parse("[2001:db8::9]:1234").value(),
                .datagram_bytes_max = 1200,
                .block_bytes_max = 0,
                .interrupted_after = 1s,
                .closed_after = 2s};
  writer.begin(connection);
  add(2001ms, false, 1, empty);
  // Too large for a record, so the capture drops it.
  add(2002ms, false, 2, Body(2000));
  return copy_pending(writer);
}

namespace {

/// A game that sends and reads data in each tick.
class Talk {
 public:
  explicit Talk(NetStage& stage) : stage_(stage) {}

  void step(int tick) {
    stage_.step(16ms);
    stage_.server->for_each_client([&](ClientHandle handle) {
      Connection& connection = *stage_.server->connection(handle);
      if (!at_server.contains(handle.slot)) {
        static_cast<void>(connection.send_block(block_, id_));
      }
      // While the client does not read, the server sends more payloads than the client can store.
      send(connection, tick, 2, tick % 500 <= 100 ? 16 : 1);
      at_server[handle.slot].drain(connection, 3);
    });
    for (std::size_t i = 0; i < stage_.clients.size(); ++i) {
      Connection* const connection = stage_.clients[i]->connection();
      if (connection == nullptr) continue;
      send(*connection, tick, 1);
      // When the client does not read, packets are refused.
      if (i != 0) at_other_client_.drain(*connection, 3);
      if (i == 0 && tick % 500 > 100) at_client.drain(*connection, 3);
    }
  }

  std::map<std::uint32_t, ReceivedHash> at_server;  ///< The hash for each client, by its slot.
  ReceivedHash at_client;

 private:
  void send(Connection& connection, int tick, int messages, int payloads = 1) {
    std::array<std::byte, 60> words{};
    SectionWriter(words).write_u32(static_cast<std::uint32_t>(tick));
    for (int i = 0; i < messages; ++i) {
      static_cast<void>(connection.send_message(static_cast<std::size_t>((tick + i) % 3), words));
    }
    for (int i = 0; i < payloads; ++i) {
      static_cast<void>(connection.send_payload(words, static_cast<std::uint64_t>(tick)));
    }
    connection.clear_delivery_reports();
  }

  NetStage& stage_;
  ReceivedHash at_other_client_;
  std::vector<std::byte> block_ = std::vector<std::byte>(40'000, std::byte{7});
  std::uint16_t id_ = 0;
};

}  // namespace

LiveCapture live_capture(std::uint64_t seed) {
  NetStage stage(seed, {.latency = 30ms, .jitter = 20ms, .loss = 0.1, .duplicate = 0.05});
  stage.options.connection.channels = {{.delivery = Delivery::unreliable},
                                       {.delivery = Delivery::reliable_unordered},
                                       {.delivery = Delivery::reliable_ordered}};
  CaptureWriter server_writer({.start = stage.now, .buffer_bytes = std::size_t{32} << 20U});
  CaptureWriter client_writer({.start = stage.now, .buffer_bytes = std::size_t{32} << 20U});
  stage.options.recorder = &server_writer;
  stage.start();
  ClientOptions options = stage.client_options();
  options.recorder = &client_writer;
  stage.add_client(options);
  options.recorder = nullptr;
  stage.add_client(options);
  Talk talk(stage);
  for (int tick = 0; tick < 3600; ++tick) talk.step(tick);
  stage.clients[1]->close("enough", stage.now);
  for (int tick = 3600; tick < 3630; ++tick) talk.step(tick);
  LiveCapture live{.server = copy_pending(server_writer),
                   .client = copy_pending(client_writer),
                   .at_server = {},
                   .at_client = talk.at_client.value(),
                   .client_blocks = talk.at_client.blocks()};
  for (const auto& [slot, hash] : talk.at_server) live.at_server[slot] = hash.value();
  return live;
}

}  // namespace muster::samples
