// The input is a capture, or the content of a capture. All readers of captures must survive it and
// agree. Each packet that a replayed connection accepts must also be valid for the printing reader.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "net/capture/capture_reader.h"
#include "net/capture/packet_view.h"
#include "net/capture/pcap.h"
#include "net/capture/replay.h"
#include "net/wire/sequence.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr std::size_t kConnectionsMax = 4;

/// Sends the packets of all recorded connections to one connection.
class Receiver {
 public:
  Receiver()
      : connection_({.channels = {{.delivery = muster::Delivery::unreliable},
                                  {.delivery = muster::Delivery::reliable_unordered},
                                  {.delivery = muster::Delivery::reliable_ordered}}},
                    kNow) {}

  void receive(const muster::RecordedPacket& packet) {
    using namespace muster;
    read_packet_view(packet.body, packet.datagram_bytes, view_);
    const auto sequence = widen(Sequence::of(packet.sequence), connection_.highest_received());
    if (!sequence.has_value() || *sequence == 0) return;
    if (connection_.classify(*sequence) != Reception::fresh) return;
    if (connection_.state() == ConnectionState::closed) return;
    const PacketVerdict verdict =
        connection_.read_packet(kNow, *sequence, packet.datagram_bytes, packet.body);
    require(view_.problem.empty() || verdict == PacketVerdict::malformed);
    received_.drain(connection_, 3);
  }

 private:
  static constexpr muster::Time kNow{std::chrono::seconds(1)};
  muster::Connection connection_;
  muster::PacketView view_;
  muster::ReceivedHash received_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  muster::CaptureReader reader(bytes);
  muster::CaptureRecord record;
  std::optional<Receiver> receiver;
  std::uint64_t datagrams = 0;
  std::size_t connections = 0;
  muster::CaptureStatus status = muster::CaptureStatus::end;
  while ((status = reader.next(record)) == muster::CaptureStatus::record) {
    const auto* const packet = std::get_if<muster::RecordedPacket>(&record);
    if (packet != nullptr) {
      if (!receiver.has_value()) receiver.emplace();
      receiver->receive(*packet);
    }
    connections += std::holds_alternative<muster::RecordedConnection>(record) ? 1U : 0U;
    datagrams +=
        packet != nullptr || std::holds_alternative<muster::RecordedHandshake>(record) ? 1U : 0U;
  }
  require(reader.offset() <= size);
  require(reader.next(record) == status);
  const muster::PcapFile pcap = muster::pcap_of(bytes);
  require(pcap.datagrams == datagrams);
  require(pcap.status == status);
  if (connections > kConnectionsMax) return 0;
  const muster::Replay replay = muster::replay(bytes);
  require(replay.status == status);
  require(replay.connections.size() == connections);
  return 0;
}
