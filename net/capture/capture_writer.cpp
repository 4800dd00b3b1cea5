// When any other record is written, room for one `dropped` record remains. So a full capture can
// report its dropped records.
#include "net/capture/capture_writer.h"

#include <algorithm>
#include <cassert>

#include "net/capture/capture_format.h"

namespace muster {

namespace {

constexpr std::size_t kDroppedRecordBytes = kRecordHeadBytes + kDroppedContentBytes;
constexpr std::size_t kBoundMin = std::size_t{64} * 1024;

std::uint64_t nanoseconds_of(Duration duration) {
  const std::int64_t count = std::max<std::int64_t>(duration.count(), 0);
  return std::min(static_cast<std::uint64_t>(count), kCaptureTimeEnd - 1);
}

std::uint8_t flag(bool is_set, std::uint8_t bit) { return is_set ? bit : std::uint8_t{0}; }

}  // namespace

struct CaptureWriter::RecordHead {
  CaptureKind kind = CaptureKind::dropped;
  unsigned flags = 0;
  std::uint32_t connection = 0;
  Time at{};
  std::size_t content_bytes = 0;
};

CaptureWriter::CaptureWriter(const CaptureOptions& options)
    : options_(options), memory_(options.buffer_bytes), writer_(memory_) {
  assert(options.buffer_bytes >= kBoundMin);
  assert(options.capture_bytes_max >= kBoundMin);
  writer_.write_bytes(std::as_bytes(std::span(kCaptureMagic)));
  writer_.write_u32(kCaptureVersion);
  writer_.write_u32(0);
  writer_.write_u64(options.unix_nanoseconds);
  writer_.write_u64(0);
}

bool CaptureWriter::fits(std::size_t bytes) const {
  return bytes <= writer_.free() &&
         written_before_ + writer_.used() + bytes <= options_.capture_bytes_max;
}

/// Begins a record. If there is no room, drops the record and returns false.
bool CaptureWriter::begin_record(const RecordHead& head) {
  const std::uint64_t time = nanoseconds_of(head.at - options_.start);
  const std::size_t bytes = kRecordHeadBytes + head.content_bytes;
  if (!fits(bytes + 2 * kDroppedRecordBytes) || head.content_bytes > kRecordContentMax) {
    ++dropped_;
    ++unreported_;
    return false;
  }
  report_dropped();
  last_time_ = std::max(last_time_, time);
  writer_.write_u16(static_cast<std::uint32_t>(head.content_bytes));
  writer_.write_u8(static_cast<std::uint8_t>(head.kind));
  writer_.write_u8(head.flags);
  writer_.write_u32(head.connection);
  writer_.write_u64(last_time_);
  return true;
}

void CaptureWriter::report_dropped() {
  if (unreported_ == 0 || !fits(kDroppedRecordBytes)) return;
  writer_.write_u16(kDroppedContentBytes);
  writer_.write_u8(static_cast<std::uint8_t>(CaptureKind::dropped));
  writer_.write_u8(0);
  writer_.write_u32(0);
  writer_.write_u64(last_time_);
  writer_.write_u64(unreported_);
  unreported_ = 0;
}

void CaptureWriter::write_address(const Address& address) {
  writer_.write_bytes(std::as_bytes(std::span(address.ip())));
  writer_.write_u16(address.port());
}

void CaptureWriter::begin(const RecordedConnection& connection) {
  if (!begin_record({.kind = CaptureKind::connection,
                     .flags = flag(connection.is_server, kCaptureServer),
                     .connection = connection.our_id,
                     .at = connection.at,
                     .content_bytes = kConnectionContentBytes + connection.channel_count})) {
    return;
  }
  writer_.write_u32(connection.their_id);
  writer_.write_u8(static_cast<std::uint8_t>(connection.cipher));
  writer_.write_u8(static_cast<std::uint32_t>(connection.channel_count));
  writer_.write_u16(static_cast<std::uint32_t>(connection.datagram_bytes_max));
  writer_.write_u64(connection.block_bytes_max);
  writer_.write_u64(nanoseconds_of(connection.interrupted_after));
  writer_.write_u64(nanoseconds_of(connection.closed_after));
  write_address(connection.local);
  write_address(connection.peer);
  for (std::size_t i = 0; i < connection.channel_count; ++i) {
    writer_.write_u8(static_cast<std::uint8_t>(connection.channels[i]));
  }
}

void CaptureWriter::packet(const RecordedPacket& packet) {
  const unsigned flags =
      flag(packet.is_outgoing, kCaptureOut) | flag(packet.key_phase, kCapturePhase);
  if (!begin_record({.kind = CaptureKind::packet,
                     .flags = flags,
                     .connection = packet.connection,
                     .at = packet.at,
                     .content_bytes = kPacketContentBytes + packet.body.size()})) {
    return;
  }
  writer_.write_u32(packet.sequence);
  writer_.write_u16(static_cast<std::uint32_t>(packet.datagram_bytes));
  writer_.write_u8(static_cast<std::uint8_t>(packet.verdict));
  writer_.write_u8(0);
  writer_.write_bytes(packet.body);
}

void CaptureWriter::handshake(const RecordedHandshake& handshake) {
  if (!begin_record({.kind = CaptureKind::handshake,
                     .flags = flag(handshake.is_outgoing, kCaptureOut),
                     .connection = 0,
                     .at = handshake.at,
                     .content_bytes = 2 * kAddressBytes + handshake.datagram.size()})) {
    return;
  }
  write_address(handshake.local);
  write_address(handshake.peer);
  writer_.write_bytes(handshake.datagram);
}

std::span<const std::byte> CaptureWriter::pending() {
  report_dropped();
  assert(!writer_.overflowed());
  return writer_.written();
}

void CaptureWriter::clear_pending() {
  written_before_ += writer_.used();
  writer_ = SectionWriter(memory_);
}

}  // namespace muster
