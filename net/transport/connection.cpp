// Forwards to `Connection::Impl`, which keeps private members out of the public header.
#include "net/transport/connection.h"

#include "net/transport/connection_impl.h"

namespace muster {

Connection::Connection(const ConnectionOptions& options, Time now)
    : impl_(std::make_unique<Impl>(options, now)) {}
Connection::~Connection() = default;
Connection::Connection(Connection&&) noexcept = default;
Connection& Connection::operator=(Connection&&) noexcept = default;

SendStatus Connection::send_message(std::size_t channel, std::span<const std::byte> message) {
  return impl_->send_message(channel, message);
}

std::size_t Connection::unconfirmed(std::size_t channel) const {
  return impl_->unconfirmed(channel);
}

SendStatus Connection::send_payload(std::span<const std::byte> payload, std::uint64_t tag) {
  return impl_->send_payload(payload, tag);
}

SendStatus Connection::send_block(std::span<const std::byte> block, std::uint16_t& id) {
  return impl_->send_block(block, id);
}

void Connection::begin_map() { impl_->begin_map(); }

std::uint16_t Connection::map() const { return impl_->map(); }

std::size_t Connection::budget(Time now) const { return impl_->budget(now); }

void Connection::allow(std::int64_t bytes) { impl_->allow(bytes); }

std::size_t Connection::payload_bytes_max() const { return impl_->payload_bytes_max(); }

void Connection::tick(Time now) { impl_->tick(now); }

bool Connection::wants_to_send(Time now) const { return impl_->wants_to_send(now); }

std::span<const std::byte> Connection::write_packet(Time now, std::span<std::byte> memory) {
  return impl_->write_packet(now, memory);
}

std::uint32_t Connection::next_sequence() const { return impl_->next_sequence(); }

std::uint32_t Connection::highest_delivered() const { return impl_->highest_delivered(); }

Reception Connection::classify(std::optional<std::uint32_t> sequence) {
  return impl_->classify(sequence);
}

std::uint32_t Connection::highest_received() const { return impl_->highest_received(); }

PacketVerdict Connection::read_packet(Time now, std::uint32_t sequence, std::size_t datagram_bytes,
                                      std::span<const std::byte> body) {
  return impl_->read_packet(now, sequence, datagram_bytes, body);
}

std::span<const std::byte> Connection::message(std::size_t channel) const {
  return impl_->message(channel);
}

void Connection::pop_message(std::size_t channel) { impl_->pop_message(channel); }

ReceivedPayload Connection::payload() const { return impl_->payload(); }

void Connection::pop_payload() { impl_->pop_payload(); }

bool Connection::is_stopped_unread() const { return impl_->is_stopped_unread(); }

std::span<const std::byte> Connection::block() const { return impl_->block(); }

void Connection::pop_block() { impl_->pop_block(); }

std::span<const DeliveryReport> Connection::delivery_reports() const {
  return impl_->delivery_reports();
}

void Connection::clear_delivery_reports() { impl_->clear_delivery_reports(); }

std::span<const SentBlock> Connection::finished_blocks() const { return impl_->finished_blocks(); }

void Connection::clear_finished_blocks() { impl_->clear_finished_blocks(); }

std::optional<SentBlock> Connection::release_finished_block(std::uint16_t id) {
  return impl_->release_finished_block(id);
}

void Connection::close(CloseReason reason, std::string_view text, Time now) {
  impl_->close(reason, text, now);
}

ConnectionState Connection::state() const { return impl_->state(); }

const std::optional<Close>& Connection::end() const { return impl_->end(); }

std::span<const std::byte> Connection::write_path_challenge(Time now, std::uint64_t challenge,
                                                            std::span<std::byte> memory) {
  return impl_->write_path_challenge(now, challenge, memory);
}

std::optional<std::uint64_t> Connection::drain_path_answer() { return impl_->drain_path_answer(); }

void Connection::path_changed() { impl_->path_changed(); }

const RoundTrip& Connection::round_trip() const { return impl_->round_trip(); }

const PeerClock& Connection::peer_clock() const { return impl_->peer_clock(); }

const SendRate& Connection::rate() const { return impl_->rate(); }

std::size_t Connection::datagram_bytes() const { return impl_->datagram_bytes(); }

ConnectionCounters Connection::counters() const { return impl_->counters(); }

}  // namespace muster
