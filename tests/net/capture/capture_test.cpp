#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "net/capture/capture_reader.h"
#include "net/capture/capture_writer.h"
#include "net/capture/packet_view.h"
#include "net/capture/pcap.h"
#include "net/capture/replay.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/capture_samples.h"
#include "tests/support/golden_file.h"
#include "tests/support/net_bytes.h"
#include "tests/support/net_stage.h"

namespace muster {
namespace {

using namespace std::chrono_literals;
using File = std::vector<std::byte>;

/// The result of reading, and the number of records.
struct Reading {
  CaptureStatus status = CaptureStatus::end;
  std::size_t records = 0;
  std::size_t offset = 0;
};

Reading read_all(std::span<const std::byte> bytes) {
  CaptureReader reader(bytes);
  Reading reading;
  CaptureRecord record;
  while ((reading.status = reader.next(record)) == CaptureStatus::record) ++reading.records;
  reading.offset = reader.offset();
  return reading;
}

RecordedPacket packet_of(Duration at, std::span<const std::byte> body) {
  return {.at = Time(at),
          .connection = 1,
          .sequence = 1,
          .datagram_bytes = body.size() + 7,
          .body = body};
}

TEST_CASE("The sample capture equals the golden capture", "[net][capture]") {
  const File sample = samples::sample_capture();
  const std::string text(reinterpret_cast<const char*>(sample.data()), sample.size());
  const bool is_golden = text == read_golden("net/sample.mcapture");
  if (!is_golden) leave_for_comparison("sample.mcapture", text);
  INFO("the written capture is sample.mcapture in the build folder");
  REQUIRE(is_golden);
}

TEST_CASE("A capture is unchanged after a round trip", "[net][capture]") {
  const File sample = samples::sample_capture();
  CaptureReader reader(sample);
  REQUIRE(reader.unix_nanoseconds() == 1'800'000'000'000'000'000);
  CaptureRecord record;
  REQUIRE(reader.next(record) == CaptureStatus::record);
  const auto& request = std::get<RecordedHandshake>(record);
  REQUIRE(request.at == Time(1ms));
  REQUIRE(request.is_outgoing);
  REQUIRE(request.peer.text() == "10.0.0.1:7000");
  REQUIRE(request.datagram.size() == 1200);
  for (int i = 0; i < 4; ++i) REQUIRE(reader.next(record) == CaptureStatus::record);
  REQUIRE(reader.next(record) == CaptureStatus::record);
  const auto& connection = std::get<RecordedConnection>(record);
  REQUIRE(connection.our_id == 0xA1B2C3D4);
  REQUIRE(connection.their_id == 0x1001);
  REQUIRE_FALSE(connection.is_server);
  REQUIRE(connection.closed_after == 35s);
  REQUIRE(connection.channel_count == 3);
  REQUIRE(connection.channels[2] == Delivery::reliable_ordered);
  std::size_t problems = 0;
  PacketView view;
  while (reader.next(record) == CaptureStatus::record) {
    const auto* const packet = std::get_if<RecordedPacket>(&record);
    if (packet == nullptr) continue;
    read_packet_view(packet->body, packet->datagram_bytes, view);
    REQUIRE(view.problem.empty() == (packet->verdict != PacketVerdict::malformed));
    problems += view.problem.empty() ? 0U : 1U;
  }
  REQUIRE(problems == 1);
}

TEST_CASE("A capture that is truncated at any byte is read up to its last complete record",
          "[net][capture]") {
  const File sample = samples::sample_capture();
  const std::size_t whole = read_all(sample).records;
  REQUIRE(read_all(sample).status == CaptureStatus::end);
  std::size_t before = 0;
  for (std::size_t size = 0; size < sample.size(); ++size) {
    const Reading reading = read_all(std::span(sample).first(size));
    CAPTURE(size);
    if (size == 0) {
      REQUIRE(reading.status == CaptureStatus::not_a_capture);
    } else if (reading.offset == size) {
      REQUIRE(reading.status == CaptureStatus::end);
    } else {
      REQUIRE(reading.status == CaptureStatus::truncated);
    }
    REQUIRE(reading.records >= before);
    before = reading.records;
  }
  REQUIRE(before == whole - 1);
}

TEST_CASE("Every reader of captures survives a flipped bit", "[net][capture]") {
  const File sample = samples::sample_capture();
  std::size_t seen = 0;
  for (std::size_t at = 0; at < sample.size(); ++at) {
    File damaged = sample;
    damaged[at] ^= static_cast<std::byte>(1U << (at % 8));
    const Reading reading = read_all(damaged);
    seen += reading.status == CaptureStatus::end ? 0U : 1U;
    if (at >= 32) continue;
    CAPTURE(at);
    // In the header only the date may have any value.
    REQUIRE((reading.status == CaptureStatus::end) == (at >= 16 && at < 24));
  }
  REQUIRE(seen > 100);
}

TEST_CASE("A record that does not fit is dropped, counted and reported", "[net][capture]") {
  CaptureWriter writer({.buffer_bytes = 64 * 1024});
  const std::array<std::byte, 1000> body{};
  for (int i = 0; i < 100; ++i) writer.packet(packet_of(std::chrono::milliseconds(i), body));
  const std::uint64_t dropped = writer.dropped();
  REQUIRE(dropped == 37);
  File file(writer.pending().begin(), writer.pending().end());
  REQUIRE(file.size() <= 64 * 1024);
  writer.clear_pending();
  writer.packet(packet_of(200ms, body));
  REQUIRE(writer.dropped() == dropped);
  file.insert(file.end(), writer.pending().begin(), writer.pending().end());
  const Replay replayed = replay(file);
  REQUIRE(replayed.status == CaptureStatus::end);
  REQUIRE(replayed.dropped == dropped);
  REQUIRE(replayed.unknown_connection == 64);
  REQUIRE_FALSE(replayed.is_faithful());
}

TEST_CASE("A capture never exceeds its maximum size", "[net][capture]") {
  CaptureWriter writer({.buffer_bytes = 64 * 1024, .capture_bytes_max = 100'000});
  const std::array<std::byte, 1000> body{};
  File file;
  const std::uint64_t allocations = allocation_count();
  std::uint64_t own = 0;
  for (int i = 0; i < 500; ++i) {
    writer.packet(packet_of(std::chrono::milliseconds(i), body));
    const std::uint64_t before = allocation_count();
    file.insert(file.end(), writer.pending().begin(), writer.pending().end());
    own += allocation_count() - before;
    writer.clear_pending();
  }
  REQUIRE(allocation_count() - allocations == own);
  REQUIRE(file.size() <= 100'000);
  const Reading reading = read_all(file);
  REQUIRE(reading.status == CaptureStatus::end);
  REQUIRE(writer.dropped() > 400);
}

TEST_CASE("The times of a capture's records never decrease", "[net][capture]") {
  CaptureWriter writer({.start = Time(1s)});
  const std::array<std::byte, 10> body{};
  writer.packet(packet_of(3s, body));
  writer.packet(packet_of(2s, body));
  writer.packet(packet_of(0s, body));
  REQUIRE(read_all(writer.pending()).status == CaptureStatus::end);
  REQUIRE(read_all(writer.pending()).records == 3);
}

TEST_CASE("A replay delivers what the recorded game received, each time", "[net][capture]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  CAPTURE(seed);
  const samples::LiveCapture live = samples::live_capture(seed);
  REQUIRE(live.client_blocks == 1);

  const Replay server = replay(live.server);
  REQUIRE(server.is_faithful());
  REQUIRE(server.connections.size() == 2);
  int ended = 0;
  for (const ReplayedConnection& connection : server.connections) {
    // The low bits of an id are the client's slot.
    const std::uint32_t slot = connection.recorded.our_id % 4096;
    REQUIRE(connection.received.value() == live.at_server.at(slot));
    REQUIRE(connection.recorded.is_server);
    if (!connection.end.has_value()) continue;
    REQUIRE(connection.end->by_peer);
    REQUIRE(connection.end->text == "enough");
    ++ended;
  }
  REQUIRE(ended == 1);
  REQUIRE(server.connections[0].received.messages() > 1000);
  REQUIRE(server.handshakes >= 4);

  const Replay client = replay(live.client);
  REQUIRE(client.is_faithful());
  REQUIRE(client.connections.size() == 1);
  REQUIRE(client.connections[0].refused > 0);
  REQUIRE(client.connections[0].received.value() == live.at_client);
  REQUIRE(replay(live.client).hash() == client.hash());
}

TEST_CASE("A replay follows the maps of its capture", "[net][capture][sys-34]") {
  NetStage stage(4, {.latency = 30ms, .jitter = 20ms, .loss = 0.1});
  CaptureWriter at_server({.start = stage.now, .buffer_bytes = std::size_t{8} << 20U});
  CaptureWriter at_client({.start = stage.now, .buffer_bytes = std::size_t{8} << 20U});
  stage.options.recorder = &at_server;
  stage.start();
  ClientOptions options = stage.client_options();
  options.recorder = &at_client;
  Client& client = stage.add_client(options);
  ReceivedHash read;
  for (std::uint32_t tick = 0; tick < 600; ++tick) {
    stage.now += 16ms;
    stage.network.advance(stage.now);
    stage.server->receive(stage.now, stage.date);
    stage.server->for_each_client([&](ClientHandle handle) {
      Connection& connection = *stage.server->connection(handle);
      read.drain(connection, 1);
      if (tick % 100 == 50) connection.begin_map();
      static_cast<void>(connection.send_message(0, pattern(tick, 50)));
    });
    stage.server->send(stage.now);
    client.receive(stage.now);
    if (client.connection() != nullptr) {
      ReceivedHash().drain(*client.connection(), 1);
      static_cast<void>(client.connection()->send_message(0, pattern(tick, 60)));
    }
    client.send(stage.now);
  }
  REQUIRE(client.connection()->map() == 6);

  const Replay server = replay(at_server.pending());
  REQUIRE(server.is_faithful());
  REQUIRE(server.connections.size() == 1);
  REQUIRE(server.connections[0].counters.past_map_in > 0);
  REQUIRE(server.connections[0].received.value() == read.value());
  const Replay followed = replay(at_client.pending());
  REQUIRE(followed.is_faithful());
  REQUIRE(followed.connections[0].received.messages() > 500);
}

TEST_CASE("A replay of a damaged capture reports the difference", "[net][capture]") {
  File capture = samples::live_capture(4).client;
  const Replay whole = replay(capture);
  // Changes a payload in the second half.
  CaptureReader reader(capture);
  CaptureRecord record;
  PacketView view;
  std::size_t offset = 0;
  while (offset == 0) {
    REQUIRE(reader.next(record) == CaptureStatus::record);
    const auto* const packet = std::get_if<RecordedPacket>(&record);
    if (packet == nullptr || packet->is_outgoing || reader.offset() < capture.size() / 2) continue;
    read_packet_view(packet->body, packet->datagram_bytes, view);
    if (view.payload.empty() || packet->verdict != PacketVerdict::received) continue;
    offset = static_cast<std::size_t>(view.payload.data() - capture.data());
  }
  capture[offset] ^= std::byte{0xFF};
  const Replay damaged = replay(capture);
  REQUIRE(damaged.status == CaptureStatus::end);
  REQUIRE(damaged.hash() != whole.hash());
}

TEST_CASE("A pcap has a datagram for every packet and handshake", "[net][capture]") {
  const File sample = samples::sample_capture();
  const PcapFile pcap = pcap_of(sample);
  REQUIRE(pcap.status == CaptureStatus::end);
  REQUIRE(pcap.datagrams == read_all(sample).records - 3);
  REQUIRE(pcap.unknown_connection == 0);
  // Each record contains its length; together they fill the file.
  std::size_t at = 24;
  std::uint64_t count = 0;
  for (; at < pcap.bytes.size(); ++count) {
    ByteReader head(std::span(pcap.bytes).subspan(at, 16));
    REQUIRE(head.u32() >= 1'800'000'000);
    REQUIRE(head.u32() < 1'000'000'000);
    const std::uint32_t length = head.u32();
    REQUIRE(head.u32() == length);
    at += 16 + length;
  }
  REQUIRE(at == pcap.bytes.size());
  REQUIRE(count == pcap.datagrams);
}

}  // namespace
}  // namespace muster
