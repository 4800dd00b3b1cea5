// The first pass finds the records of each connection. The second pass replays one connection after
// another, so that memory for one connection is enough.
#include "net/capture/replay.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "net/capture/packet_view.h"
#include "net/endpoint/sealed_connection.h"
#include "net/wire/sequence.h"

namespace muster {

namespace {

/// This offset is added to recorded times. Recorded times start at zero, but a connection also uses
/// times before its first packet.
constexpr Time kStart{std::chrono::seconds(1)};

struct Part {
  RecordedConnection recorded;
  std::vector<RecordedPacket> packets;
};

Time replay_time(Time recorded) { return kStart + recorded.time_since_epoch(); }

ConnectionOptions options_of(const RecordedConnection& recorded) {
  ConnectionOptions options{.block_bytes_max = recorded.block_bytes_max,
                            .datagram_bytes_max = recorded.datagram_bytes_max,
                            .overhead_bytes = kPacketHeadBytes + seal_bytes(recorded.cipher),
                            .leads_maps = recorded.is_server,
                            .interrupted_after = recorded.interrupted_after,
                            .closed_after = recorded.closed_after};
  for (std::size_t i = 0; i < recorded.channel_count; ++i) {
    options.channels.push_back({.delivery = recorded.channels[i]});
  }
  return options;
}

/// Replays one connection.
class Player {
 public:
  explicit Player(const RecordedConnection& recorded)
      : connection_(options_of(recorded), replay_time(recorded.at)) {
    result_.recorded = recorded;
  }

  void play(const RecordedPacket& packet) {
    if (packet.is_outgoing) {
      play_outgoing(packet);
    } else {
      play_incoming(packet);
    }
    connection_.clear_delivery_reports();
  }

  ReplayedConnection result() {
    result_.end = connection_.end();
    result_.counters = connection_.counters();
    return result_;
  }

 private:
  void play_outgoing(const RecordedPacket& packet) {
    const Time now = replay_time(packet.at);
    read_packet_view(packet.body, packet.datagram_bytes, view_);
    begin_map_as_recorded();
    connection_.tick(now);
    // After a gap of `kWidenLimit` numbers, a receiver could not restore the number.
    if (packet.sequence < connection_.next_sequence() ||
        packet.sequence - connection_.next_sequence() >= std::uint32_t{kWidenLimit}) {
      ++result_.unfit;
      return;
    }
    for (; connection_.next_sequence() < packet.sequence; ++result_.missing_out) write(now);
    write(now);
    ++result_.packets_out;
    close_as_recorded(now);
  }

  void write(Time now) { static_cast<void>(connection_.write_packet(now, memory_)); }

  /// Repeats the map changes of the recorded game. Only the sent packets show these changes.
  void begin_map_as_recorded() {
    if (!result_.recorded.is_server) return;
    for (const ControlView& item : std::span(view_.controls).first(view_.control_count)) {
      if (item.kind == ControlItem::map && item.number != connection_.map()) {
        connection_.begin_map();
      }
    }
  }

  /// Closes the connection at the recorded time, because no later packet was received.
  void close_as_recorded(Time now) {
    for (const ControlView& item : std::span(view_.controls).first(view_.control_count)) {
      if (item.kind != ControlItem::close) continue;
      connection_.close(static_cast<CloseReason>(item.reason), "as in the capture", now);
    }
  }

  void play_incoming(const RecordedPacket& packet) {
    if (packet.verdict == PacketVerdict::no_room) {
      ++result_.refused;
      return;
    }
    // An endpoint makes the same checks before it opens a packet.
    const auto sequence = widen(Sequence::of(packet.sequence), connection_.highest_received());
    if (sequence != packet.sequence || connection_.classify(packet.sequence) != Reception::fresh) {
      ++result_.unfit;
      return;
    }
    const Time now = replay_time(packet.at);
    const PacketVerdict verdict =
        connection_.read_packet(now, packet.sequence, packet.datagram_bytes, packet.body);
    if (verdict != packet.verdict) ++result_.differing;
    if (verdict == PacketVerdict::received) {
      ++result_.packets_in;
      result_.received.drain(connection_, result_.recorded.channel_count);
    } else if (verdict != PacketVerdict::no_room) {
      connection_.close(CloseReason::malformed, "a packet broke the protocol", now);
    }
  }

  Connection connection_;
  ReplayedConnection result_;
  PacketView view_;
  std::array<std::byte, kDatagramBytesMax> memory_{};
};

}  // namespace

bool Replay::is_faithful() const {
  const auto is_whole = [](const ReplayedConnection& connection) {
    return connection.unfit == 0 && connection.differing == 0 && connection.missing_out == 0;
  };
  return status == CaptureStatus::end && unknown_connection == 0 && dropped == 0 &&
         std::ranges::all_of(connections, is_whole);
}

std::uint64_t Replay::hash() const {
  std::uint64_t all = 0;
  for (const ReplayedConnection& connection : connections) {
    all = all * 0x100000001B3U + connection.received.value();
  }
  return all;
}

Replay replay(std::span<const std::byte> capture) {
  Replay result;
  std::vector<Part> parts;
  std::map<std::uint32_t, std::size_t>
      part_of;  // For each connection id, the connection that began last.
  CaptureReader reader(capture);
  CaptureRecord record;
  while ((result.status = reader.next(record)) == CaptureStatus::record) {
    if (const auto* connection = std::get_if<RecordedConnection>(&record)) {
      part_of[connection->our_id] = parts.size();
      parts.push_back({.recorded = *connection, .packets = {}});
    } else if (const auto* packet = std::get_if<RecordedPacket>(&record)) {
      const auto part = part_of.find(packet->connection);
      if (part == part_of.end()) {
        ++result.unknown_connection;
      } else {
        parts[part->second].packets.push_back(*packet);
      }
    } else if (const auto* dropped = std::get_if<DroppedRecords>(&record)) {
      result.dropped += dropped->count;
    } else {
      ++result.handshakes;
    }
  }
  result.offset = reader.offset();
  for (const Part& part : parts) {
    Player player(part.recorded);
    for (const RecordedPacket& packet : part.packets) player.play(packet);
    result.connections.push_back(player.result());
  }
  return result;
}

}  // namespace muster
