#include "net/capture/capture_reader.h"

#include <algorithm>
#include <array>

#include "net/capture/capture_format.h"
#include "net/endpoint/sealed_connection.h"
#include "net/transport/block.h"
#include "registry/base/bytes.h"

namespace muster {

namespace {

struct RecordHead {
  std::uint8_t flags = 0;
  std::uint32_t connection = 0;
  Time at{};

  bool has(std::uint8_t bit) const { return (flags & bit) != 0; }
  bool has_only(std::uint8_t bits) const { return (flags & ~bits) == 0; }
};

Address read_address(ByteReader& reader) {
  std::array<std::uint8_t, 16> ip{};
  for (std::uint8_t& byte : ip) byte = reader.u8();
  const std::uint16_t port = reader.u16();
  return Address(ip, port);
}

Duration read_duration(ByteReader& reader) {
  const std::uint64_t nanoseconds = reader.u64();
  if (nanoseconds >= kCaptureTimeEnd) reader.fail();
  return Duration(static_cast<std::int64_t>(nanoseconds % kCaptureTimeEnd));
}

void read_connection(const RecordHead& head, ByteReader& reader, CaptureRecord& record) {
  RecordedConnection connection{
      .at = head.at, .our_id = head.connection, .is_server = head.has(kCaptureServer)};
  connection.their_id = reader.u32();
  const std::uint8_t cipher = reader.u8();
  connection.channel_count = reader.u8();
  connection.datagram_bytes_max = reader.u16();
  connection.block_bytes_max = reader.u64();
  connection.interrupted_after = read_duration(reader);
  connection.closed_after = read_duration(reader);
  connection.local = read_address(reader);
  connection.peer = read_address(reader);
  connection.cipher = static_cast<Cipher>(cipher);
  const bool is_sound = head.has_only(kCaptureServer) && head.connection != 0 &&
                        (cipher <= 1 || connection.cipher == Cipher::none) &&
                        connection.channel_count <= kChannelsMax &&
                        connection.datagram_bytes_max >= kDatagramBytesSafe &&
                        connection.datagram_bytes_max <= kDatagramBytesMax &&
                        connection.block_bytes_max <= kBlockBytesMax;
  if (!is_sound) {
    reader.fail();
    return;
  }
  for (std::size_t i = 0; i < connection.channel_count; ++i) {
    const std::uint8_t delivery = reader.u8();
    if (delivery > static_cast<std::uint8_t>(Delivery::reliable_ordered)) reader.fail();
    connection.channels[i] = static_cast<Delivery>(delivery);
  }
  record = connection;
}

void read_packet(const RecordHead& head, ByteReader& reader, CaptureRecord& record) {
  RecordedPacket packet{.at = head.at,
                        .connection = head.connection,
                        .is_outgoing = head.has(kCaptureOut),
                        .key_phase = head.has(kCapturePhase)};
  packet.sequence = reader.u32();
  packet.datagram_bytes = reader.u16();
  const std::uint8_t verdict = reader.u8();
  packet.verdict = static_cast<PacketVerdict>(verdict);
  const bool is_sound =
      reader.u8() == 0 && head.connection != 0 && head.has_only(kCaptureOut | kCapturePhase) &&
      packet.sequence != 0 && packet.datagram_bytes >= kPacketHeadBytes &&
      packet.datagram_bytes <= kDatagramBytesMax &&
      verdict <= static_cast<std::uint8_t>(PacketVerdict::no_room) &&
      (!packet.is_outgoing || verdict == 0) && reader.remaining() <= kDatagramBytesMax;
  if (!is_sound) reader.fail();
  packet.body = reader.bytes(reader.remaining());
  record = packet;
}

void read_handshake(const RecordHead& head, ByteReader& reader, CaptureRecord& record) {
  RecordedHandshake handshake{.at = head.at, .is_outgoing = head.has(kCaptureOut)};
  handshake.local = read_address(reader);
  handshake.peer = read_address(reader);
  const bool is_sound = head.connection == 0 && head.has_only(kCaptureOut) &&
                        reader.remaining() >= 1 && reader.remaining() <= kDatagramBytesMax;
  if (!is_sound) reader.fail();
  handshake.datagram = reader.bytes(reader.remaining());
  record = handshake;
}

void read_dropped(const RecordHead& head, ByteReader& reader, CaptureRecord& record) {
  const DroppedRecords dropped{.at = head.at, .count = reader.u64()};
  if (dropped.count == 0 || head.connection != 0 || head.flags != 0) reader.fail();
  record = dropped;
}

}  // namespace

std::string_view text_of(CaptureStatus status) {
  switch (status) {
    case CaptureStatus::record:
      return "has another record";
    case CaptureStatus::end:
      return "is whole";
    case CaptureStatus::truncated:
      return "is truncated";
    case CaptureStatus::malformed:
      return "violates the format";
    case CaptureStatus::not_a_capture:
      return "is not a capture";
    case CaptureStatus::wrong_version:
      return "was made by a newer program";
  }
  return "";
}

CaptureReader::CaptureReader(std::span<const std::byte> bytes) : bytes_(bytes) {
  status_ = read_header();
}

CaptureStatus CaptureReader::read_header() {
  const auto magic = std::as_bytes(std::span(kCaptureMagic));
  const std::size_t there = std::min(magic.size(), bytes_.size());
  if (there == 0 || !std::ranges::equal(bytes_.first(there), magic.first(there))) {
    return CaptureStatus::not_a_capture;
  }
  if (bytes_.size() < kCaptureHeaderBytes) return CaptureStatus::truncated;
  ByteReader reader(bytes_.subspan(magic.size(), kCaptureHeaderBytes - magic.size()));
  if (reader.u32() != kCaptureVersion) return CaptureStatus::wrong_version;
  const bool is_first_zero = reader.u32() == 0;
  unix_nanoseconds_ = reader.u64();
  if (!is_first_zero || reader.u64() != 0) return CaptureStatus::malformed;
  offset_ = kCaptureHeaderBytes;
  return CaptureStatus::record;
}

CaptureStatus CaptureReader::next(CaptureRecord& record) {
  if (status_ == CaptureStatus::record) status_ = read_record(record);
  return status_;
}

CaptureStatus CaptureReader::read_record(CaptureRecord& record) {
  const std::span<const std::byte> left = bytes_.subspan(offset_);
  if (left.empty()) return CaptureStatus::end;
  if (left.size() < kRecordHeadBytes) return CaptureStatus::truncated;
  ByteReader reader(left.first(kRecordHeadBytes));
  const std::size_t content_bytes = reader.u16();
  const auto kind = static_cast<CaptureKind>(reader.u8());
  RecordHead head{.flags = reader.u8()};
  head.connection = reader.u32();
  const std::uint64_t time = reader.u64();
  if (content_bytes > kRecordContentMax || time >= kCaptureTimeEnd || time < last_time_) {
    return CaptureStatus::malformed;
  }
  if (left.size() - kRecordHeadBytes < content_bytes) return CaptureStatus::truncated;
  head.at = Time(Duration(static_cast<std::int64_t>(time)));
  ByteReader content(left.subspan(kRecordHeadBytes, content_bytes));
  switch (kind) {
    case CaptureKind::connection:
      read_connection(head, content, record);
      break;
    case CaptureKind::packet:
      read_packet(head, content, record);
      break;
    case CaptureKind::handshake:
      read_handshake(head, content, record);
      break;
    case CaptureKind::dropped:
      read_dropped(head, content, record);
      break;
    default:
      return CaptureStatus::malformed;
  }
  if (!content.is_finished()) return CaptureStatus::malformed;
  last_time_ = time;
  offset_ += kRecordHeadBytes + content_bytes;
  return CaptureStatus::record;
}

}  // namespace muster
