// Writes the classic pcap format with nanoseconds (draft-ietf-opsawg-pcap). The file contains raw
// IP packets with valid checksums, because some programs report wrong checksums.
#include "net/capture/pcap.h"

#include <algorithm>
#include <array>
#include <map>

#include "net/capture/capture_format.h"
#include "net/endpoint/sealed_connection.h"
#include "net/wire/section_writer.h"

namespace muster {

namespace {

constexpr std::uint32_t kNanosecondMagic = 0xA1B23C4D;
constexpr std::uint32_t kSnapLength = 65535;
constexpr std::uint32_t kLinkTypeRaw = 101;
constexpr std::size_t kMarkerBytes = 16;
constexpr std::size_t kUdpHeadBytes = 8;
constexpr std::size_t kIpv4HeadBytes = 20;
constexpr std::size_t kIpv6HeadBytes = 40;
constexpr std::uint8_t kUdpProtocol = 17;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

enum class MarkedKind : std::uint8_t { packet = 1, handshake = 2 };

/// The source and the target of a datagram.
struct Route {
  Address from;
  Address to;
};

Route route_of(const Address& local, const Address& peer, bool is_outgoing) {
  return is_outgoing ? Route{local, peer} : Route{peer, local};
}

void append_bytes(std::vector<std::byte>& file, std::span<const std::byte> bytes) {
  const std::size_t before = file.size();
  file.resize(before + bytes.size());
  std::ranges::copy(bytes, std::span(file).subspan(before).begin());
}

void write_big_u16(SectionWriter& writer, std::size_t value) {
  writer.write_u8(value >> 8U & 0xFFU);
  writer.write_u8(value & 0xFFU);
}

/// Returns the sum for the Internet checksum (RFC 1071), before it is folded to 16 bits.
std::uint64_t sum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += std::to_integer<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8U : 0U);
  }
  return sum;
}

std::uint16_t checksum_of(std::uint64_t sum) {
  while (sum > 0xFFFF) sum = (sum & 0xFFFFU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum & 0xFFFFU);
}

std::span<const std::byte> ip_of(const Address& address, bool is_ipv4) {
  const auto bytes = std::as_bytes(std::span(address.ip()));
  return is_ipv4 ? bytes.last(4) : bytes;
}

void put_big_u16(std::span<std::byte> at, std::uint16_t value) {
  at[0] = static_cast<std::byte>(value >> 8U);
  at[1] = static_cast<std::byte>(value & 0xFFU);
}

void write_ip_head(SectionWriter& writer, const Route& route, bool is_ipv4, std::size_t udp_bytes) {
  if (is_ipv4) {
    writer.write_u8(0x45);
    writer.write_u8(0);
    write_big_u16(writer, kIpv4HeadBytes + udp_bytes);
    write_big_u16(writer, 0);       // The identification is zero, because the
    write_big_u16(writer, 0x4000);  // packet is never fragmented.
    writer.write_u8(64);
    writer.write_u8(kUdpProtocol);
    write_big_u16(writer, 0);
  } else {
    writer.write_u8(0x60);
    writer.write_zeros(3);
    write_big_u16(writer, udp_bytes);
    writer.write_u8(kUdpProtocol);
    writer.write_u8(64);
  }
  writer.write_bytes(ip_of(route.from, is_ipv4));
  writer.write_bytes(ip_of(route.to, is_ipv4));
}

/// Appends a pcap record with one UDP datagram.
void append_datagram(std::vector<std::byte>& file, std::uint64_t unix_nanoseconds,
                     const Route& route, std::span<const std::byte> payload) {
  const bool is_ipv4 = route.from.is_ipv4() && route.to.is_ipv4();
  const std::size_t ip_bytes = is_ipv4 ? kIpv4HeadBytes : kIpv6HeadBytes;
  const std::size_t udp_bytes = kUdpHeadBytes + payload.size();
  std::array<std::byte, 16 + kIpv6HeadBytes + kUdpHeadBytes + kMarkerBytes + kPacketHeadBytes +
                            kDatagramBytesMax>
      memory;
  SectionWriter writer(memory);
  writer.write_u32(static_cast<std::uint32_t>(unix_nanoseconds / kNanosecondsPerSecond));
  writer.write_u32(static_cast<std::uint32_t>(unix_nanoseconds % kNanosecondsPerSecond));
  writer.write_u32(static_cast<std::uint32_t>(ip_bytes + udp_bytes));
  writer.write_u32(static_cast<std::uint32_t>(ip_bytes + udp_bytes));
  write_ip_head(writer, route, is_ipv4, udp_bytes);
  write_big_u16(writer, route.from.port());
  write_big_u16(writer, route.to.port());
  write_big_u16(writer, udp_bytes);
  write_big_u16(writer, 0);
  writer.write_bytes(payload);
  const std::span<std::byte> ip = writer.written().subspan(16);
  if (is_ipv4) put_big_u16(ip.subspan(10), checksum_of(sum_of(ip.first(kIpv4HeadBytes))));
  const std::uint64_t pseudo_head = sum_of(ip_of(route.from, is_ipv4)) +
                                    sum_of(ip_of(route.to, is_ipv4)) + kUdpProtocol + udp_bytes;
  const std::uint16_t checksum = checksum_of(pseudo_head + sum_of(ip.subspan(ip_bytes)));
  put_big_u16(ip.subspan(ip_bytes + 6), checksum == 0 ? std::uint16_t{0xFFFF} : checksum);
  append_bytes(file, writer.written());
}

void write_marker(SectionWriter& writer, MarkedKind kind, bool is_outgoing) {
  writer.write_bytes(std::as_bytes(std::span("MUSD", 4)));
  writer.write_u8(1);
  writer.write_u8(static_cast<std::uint8_t>(kind));
  writer.write_u8(is_outgoing ? 1 : 0);
}

/// Converts records to datagrams. Stores the addresses of connections.
class Converter {
 public:
  Converter(PcapFile& file, std::uint64_t unix_nanoseconds)
      : file_(file), start_(unix_nanoseconds) {}

  void operator()(const RecordedConnection& connection) {
    connections_[connection.our_id] = connection;
  }
  void operator()(const DroppedRecords& /*dropped*/) {}

  void operator()(const RecordedHandshake& handshake) {
    SectionWriter writer(memory_);
    write_marker(writer, MarkedKind::handshake, handshake.is_outgoing);
    writer.write_u8(0);
    writer.write_u32(0);
    writer.write_u16(static_cast<std::uint32_t>(handshake.datagram.size()));
    writer.write_u16(0);
    writer.write_bytes(handshake.datagram);
    append(handshake.at, route_of(handshake.local, handshake.peer, handshake.is_outgoing),
           writer.written());
  }

  void operator()(const RecordedPacket& packet) {
    const auto known = connections_.find(packet.connection);
    if (known == connections_.end()) ++file_.unknown_connection;
    const RecordedConnection connection =
        known == connections_.end() ? RecordedConnection{} : known->second;
    SectionWriter writer(memory_);
    write_marker(writer, MarkedKind::packet, packet.is_outgoing);
    writer.write_u8(static_cast<std::uint8_t>(packet.verdict));
    writer.write_u32(packet.sequence);
    writer.write_u16(static_cast<std::uint32_t>(packet.datagram_bytes));
    writer.write_u16(0);
    writer.write_u8(kPacketBit | (packet.key_phase ? kPhaseBit : 0U));
    writer.write_u32(packet.is_outgoing ? connection.their_id : packet.connection);
    writer.write_u16(packet.sequence & 0xFFFFU);
    writer.write_bytes(packet.body);
    append(packet.at, route_of(connection.local, connection.peer, packet.is_outgoing),
           writer.written());
  }

 private:
  void append(Time at, const Route& route, std::span<const std::byte> payload) {
    const auto passed = static_cast<std::uint64_t>(at.time_since_epoch().count());
    append_datagram(file_.bytes, start_ + passed, route, payload);
    ++file_.datagrams;
  }

  PcapFile& file_;
  std::uint64_t start_;
  std::map<std::uint32_t, RecordedConnection> connections_;
  std::array<std::byte, kMarkerBytes + kPacketHeadBytes + kDatagramBytesMax> memory_{};
};

void append_file_head(std::vector<std::byte>& file) {
  std::array<std::byte, 24> memory;
  SectionWriter writer(memory);
  writer.write_u32(kNanosecondMagic);
  writer.write_u16(2);
  writer.write_u16(4);
  writer.write_zeros(8);
  writer.write_u32(kSnapLength);
  writer.write_u32(kLinkTypeRaw);
  append_bytes(file, memory);
}

}  // namespace

PcapFile pcap_of(std::span<const std::byte> capture) {
  PcapFile file;
  append_file_head(file.bytes);
  CaptureReader reader(capture);
  Converter convert(file, reader.unix_nanoseconds());
  CaptureRecord record;
  while ((file.status = reader.next(record)) == CaptureStatus::record) {
    std::visit(convert, record);
  }
  file.offset = reader.offset();
  return file;
}

}  // namespace muster
