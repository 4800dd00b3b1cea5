// The functions of a connection that a game calls: its queues and its state. connection_write.cpp
// writes packets, and connection_read.cpp reads packets.
#include "net/transport/connection_impl.h"

#include <algorithm>
#include <cassert>

namespace muster {

namespace {

/// At least this many payloads may wait, so that a snapshot can consist of several payloads. More
/// payloads may wait if all of them fit into the budgets of two ticks.
constexpr std::size_t kPayloadsOutMin = 16;
constexpr std::uint32_t kPayloadsOutMax = kPacketsInFlightMax;
/// The maximum number of unread payloads: as many as a peer can have in flight.
constexpr std::uint32_t kPayloadsIn = kPacketsInFlightMax;
/// The maximum number of unread delivery reports: twice the number of packets in flight.
constexpr std::size_t kDeliveryReportsMax = 2048;
/// The size of a map item: a type and a number. A refusal item has a type, a block and a reason.
constexpr std::size_t kMapItemBytes = 3;
constexpr std::size_t kRefusalItemBytes = 4;
/// Probes of the path's size begin after this time. The rate is then close to the rate of the path.
constexpr Duration kProbeAfter = std::chrono::seconds(1);

}  // namespace

Connection::Impl::Impl(const ConnectionOptions& options, Time now)
    : options_(options),
      rate_(options.rate),
      path_size_(options.datagram_bytes_max),
      maps_(options.leads_maps),
      blocks_in_(options.block_bytes_max),
      payloads_out_(kPayloadsOutMax),
      payloads_in_(kPayloadsIn),
      last_arrival_(now),
      last_departure_(now),
      probe_from_(now + kProbeAfter) {
  assert(options.channels.size() <= kChannelsMax);
  schedule_.set_weight(SendSchedule::kPayloadSource, SendSchedule::kPayloadWeight);
  schedule_.set_weight(SendSchedule::kBlockSource, SendSchedule::kBlockWeight);
  for (std::size_t i = 0; i < options.channels.size(); ++i) {
    const ChannelOptions& channel = options.channels[i];
    messages_out_.emplace_back(static_cast<std::uint8_t>(i), channel);
    messages_in_.emplace_back(channel.delivery);
    schedule_.set_weight(i, channel.weight);
  }
}

SendStatus Connection::Impl::send_message(std::size_t channel, std::span<const std::byte> message) {
  assert(channel < messages_out_.size());
  const SendStatus status =
      state_ == ConnectionState::closed ? SendStatus::closed : messages_out_[channel].push(message);
  if (status != SendStatus::queued) ++counters_.would_block;
  return status;
}

std::size_t Connection::Impl::unconfirmed(std::size_t channel) const {
  assert(channel < messages_out_.size());
  return messages_out_[channel].waiting();
}

SendStatus Connection::Impl::send_payload(std::span<const std::byte> payload, std::uint64_t tag) {
  SendStatus status = SendStatus::queued;
  if (state_ == ConnectionState::closed) {
    status = SendStatus::closed;
  } else if (payload.empty()) {
    status = SendStatus::empty;
  } else if (payload.size() > payload_bytes_max()) {
    status = SendStatus::too_large;
  } else if (!has_room_for_payload()) {
    status = SendStatus::would_block;
  }
  if (status == SendStatus::queued) {
    payloads_out_.push(payload, tag);
  } else {
    ++counters_.would_block;
  }
  return status;
}

/// A game that respects its budgets always has room.
bool Connection::Impl::has_room_for_payload() const {
  if (payloads_out_.count() < kPayloadsOutMin) return true;
  return payloads_out_.has_room() && payloads_out_.byte_count() < rate_.bytes_in(2 * rate_.burst());
}

SendStatus Connection::Impl::send_block(std::span<const std::byte> block, std::uint16_t& id) {
  const SendStatus status =
      state_ == ConnectionState::closed ? SendStatus::closed : blocks_out_.begin(block, id);
  if (status != SendStatus::queued) ++counters_.would_block;
  return status;
}

std::size_t Connection::Impl::payload_bytes_max() const {
  return path_size_.bytes() - options_.overhead_bytes - kPacketHeaderBytesMax - kPayloadHeadBytes -
         standing_bytes();
}

/// The size of the control items that are repeated in every packet until the peer has received
/// them. The size includes the count byte of the section.
std::size_t Connection::Impl::standing_bytes() const {
  const std::size_t items =
      (maps_.must_send() ? kMapItemBytes : 0) + refusal_count_ * kRefusalItemBytes;
  return items == 0 ? 0 : 1 + items;
}

std::size_t Connection::Impl::budget(Time now) const {
  budget_calls_.note(now);
  // Data that is queued after this tick's packets were sent is sent in the next tick.
  const Time when = std::max(now, ticks_.next_call());
  const std::size_t free = rate_.game_budget(when, sent_.open_bytes());
  const std::size_t around = payload_heads() + payloads_out_.byte_count();
  if (!is_worth_a_packet(allowed_) || free <= around) return 0;
  const auto allowed = static_cast<std::size_t>(allowed_);
  const std::size_t used = payload_heads() + waiting_bytes();
  return allowed > used ? std::min(free - around, allowed - used) : 0;
}

/// The overhead of a packet that contains a single payload.
std::size_t Connection::Impl::payload_heads() const {
  return options_.overhead_bytes + kPacketHeaderBytesMin + kPayloadHeadBytes;
}

/// The bytes of waiting payloads and of the headers of their packets.
std::size_t Connection::Impl::waiting_bytes() const {
  return payloads_out_.byte_count() + payload_heads() * payloads_out_.count();
}

void Connection::Impl::tick(Time now) {
  if (state_ == ConnectionState::closed) return;
  ticks_.note(now);
  rate_.set_loops({.interval = std::max(ticks_.longest(), budget_calls_.longest()),
                   .answers = sent_.answer_interval(),
                   .hold = round_trip_.hold()});
  sent_.tick(now, round_trip_, ticks_.longest());
  settle(now);
  drop_unfit_payloads();
  const Duration silence = now - last_arrival_;
  if (silence >= options_.closed_after) {
    finish(CloseReason::timed_out, false, "nothing was received from the other end for too long");
  } else if (next_sequence() == ~std::uint32_t{0}) {
    finish(CloseReason::exhausted, false, "the connection has used all its packet numbers");
  } else {
    state_ = silence >= options_.interrupted_after ? ConnectionState::interrupted
                                                   : ConnectionState::connected;
  }
}

bool Connection::Impl::has_fitting_payload() const {
  return !payloads_out_.is_empty() && payloads_out_.front().size() <= payload_bytes_max();
}

/// Drops payloads that no longer fit into a packet, because the maximum datagram size has become
/// smaller. Such payloads could never be sent, and would block all later payloads.
void Connection::Impl::drop_unfit_payloads() {
  while (!payloads_out_.is_empty() && !has_fitting_payload()) {
    drop_payload();
  }
}

void Connection::Impl::drop_payload() {
  report_delivery({.record = {.payload_tag = payloads_out_.front_number()}}, false);
  payloads_out_.pop();
}

void Connection::Impl::begin_map() {
  assert(maps_.leads());
  if (state_ == ConnectionState::closed) return;
  leave_map();
  maps_.go_to(static_cast<std::uint16_t>(maps_.present() + 1U), next_sequence());
}

/// Message ids start again at both ends. Block ids continue. The old ids in late packets have no
/// effect, because the contents of packets of a past map are ignored.
void Connection::Impl::leave_map() {
  for (MessageSender& sender : messages_out_) {
    counters_.lost_at_map += sender.unconfirmed();
    sender.clear();
  }
  for (MessageReceiver& receiver : messages_in_) {
    counters_.unread_at_map += receiver.unread();
    receiver.clear();
  }
  while (!payloads_out_.is_empty()) drop_payload();
  counters_.unread_at_map += payloads_in_.count();
  while (!payloads_in_.is_empty()) payloads_in_.pop();
  static_cast<void>(blocks_out_.end_all(BlockRefusal::map_over));
  counters_.unread_at_map += blocks_in_.unread();
  blocks_in_.clear();
  end_unread_stop();
  refusal_count_ = 0;
  has_new_refusal_ = false;
  sent_limits_ = {};
}

/// Handles each part of the packets that were delivered or lost.
void Connection::Impl::settle(Time now) {
  for (const ResolvedPacket& packet : sent_.resolved()) {
    const PacketRecord& record = packet.record;
    maps_.settled(packet.sequence, packet.delivered);
    const bool is_past = !maps_.is_ours(packet.sequence);
    if (!record.is_probe) path_size_.settled(now, record.byte_count, packet.delivered);
    if (packet.delivered) {
      ++counters_.delivered;
      peer_knows_to_ = std::max(peer_knows_to_, record.acknowledged);
      rate_.delivered(now, record, reported_delay_, round_trip_);
      if (record.is_probe) path_size_.probe_delivered(record.byte_count);
    } else {
      ++counters_.lost_out;
      counters_.messages_lost += record.unreliable_count;
      if (!sent_.is_of_outage(record)) rate_.lost(record);
      if (record.is_probe) path_size_.probe_lost();
    }
    if (record.has_payload) report_delivery(packet, packet.delivered && !is_past);
    if (is_past) continue;
    for (std::uint32_t i = 0; i < record.part_count; ++i) {
      settle_part(parts_.at(record.first_part + i), packet.sequence, packet.delivered);
    }
  }
  sent_.clear_resolved();
}

void Connection::Impl::report_delivery(const ResolvedPacket& packet, bool delivered) {
  if (!delivered) ++counters_.payloads_lost;
  if (delivery_reports_.size() == kDeliveryReportsMax) {
    ++counters_.delivery_reports_unread;
    return;
  }
  delivery_reports_.push_back(
      {.tag = packet.record.payload_tag, .sequence = packet.sequence, .delivered = delivered});
}

void Connection::Impl::settle_part(const PacketPart& part, std::uint32_t sequence, bool delivered) {
  switch (part.kind) {
    case PacketPart::Kind::message: {
      MessageSender& sender = messages_out_[part.channel];
      delivered ? sender.delivered(part.message_id) : sender.lost(part.message_id);
      return;
    }
    case PacketPart::Kind::chunks:
      if (!delivered) ++counters_.fragments_lost;
      delivered ? blocks_out_.delivered(part.chunks) : blocks_out_.lost(part.chunks);
      return;
    case PacketPart::Kind::refusal:
      if (delivered) refusal_is_known(part.chunks.block);
      return;
    case PacketPart::Kind::limit:
      settle_limit(part, sequence, delivered);
      return;
  }
}

void Connection::Impl::refusal_is_known(std::uint16_t id) {
  for (std::size_t i = 0; i < refusal_count_; ++i) {
    if (refusals_[i].id == id) refusals_[i] = refusals_[--refusal_count_];
  }
}

/// A lost limit is sent again, unless a later packet carried it.
void Connection::Impl::settle_limit(const PacketPart& part, std::uint32_t sequence,
                                    bool delivered) {
  SentLimit& limit = sent_limits_[part.channel];
  if (delivered) {
    limit.known = std::max(limit.known, part.message_id);
  } else if (limit.sequence == sequence) {
    limit.sent = limit.known;
  }
}

std::span<const std::byte> Connection::Impl::message(std::size_t channel) const {
  return messages_in_[channel].front();
}

void Connection::Impl::pop_message(std::size_t channel) { messages_in_[channel].pop(); }

ReceivedPayload Connection::Impl::payload() const {
  if (payloads_in_.is_empty()) return {};
  return {.sequence = static_cast<std::uint32_t>(payloads_in_.front_number()),
          .bytes = payloads_in_.front()};
}

void Connection::Impl::pop_payload() {
  payloads_in_.pop();
  end_unread_stop();
}

void Connection::Impl::pop_block() {
  blocks_in_.pop();
  end_unread_stop();
}

// A stop ends only when everything is read. Otherwise a game that reads one payload per tick would
// cause a new stop in every tick.
void Connection::Impl::end_unread_stop() {
  if (!is_stopped_unread_) return;
  is_stopped_unread_ = !payloads_in_.is_empty() || blocks_in_.unread() > 0;
}

void Connection::Impl::close(CloseReason reason, std::string_view text, Time now) {
  if (state_ == ConnectionState::closed) return;
  finish(reason, false, text.substr(0, kCloseTextBytesMax));
  closes_to_send_ = 3;  // A close is sent three times, because no close is acknowledged.
  last_departure_ = now;
}

void Connection::Impl::finish(CloseReason reason, bool by_peer, std::string_view text) {
  state_ = ConnectionState::closed;
  end_ = Close{.reason = reason, .by_peer = by_peer, .text = std::string(text)};
  for (const MessageSender& sender : messages_out_) {
    counters_.lost_at_close += sender.unconfirmed();
  }
  counters_.lost_at_close += payloads_out_.count() + sent_.open_payloads();
  sent_.give_up();
  for (const ResolvedPacket& packet : sent_.resolved()) {
    ++counters_.lost_out;
    counters_.lost_at_close += packet.record.unreliable_count;
    if (packet.record.has_payload) report_delivery(packet, false);
  }
  sent_.clear_resolved();
  while (!payloads_out_.is_empty()) drop_payload();
  counters_.lost_at_close += blocks_out_.end_all(BlockRefusal::closed);
}

std::optional<std::uint64_t> Connection::Impl::drain_path_answer() {
  return std::exchange(path_answer_, std::nullopt);
}

void Connection::Impl::path_changed() {
  rate_.restart();
  path_size_.restart();
  probe_from_ = last_departure_ + kProbeAfter;
  sent_.path_changed();
  round_trip_ = RoundTrip();
  peer_clock_ = PeerClock();
}

ConnectionCounters Connection::Impl::counters() const {
  ConnectionCounters all = counters_;
  all.late_out = sent_.late_acknowledgements();
  all.lost_in = received_.lost();
  all.out_of_order_in = received_.out_of_order();
  for (const MessageSender& sender : messages_out_) all.messages_resent += sender.resent();
  all.chunks_resent = blocks_out_.chunks_resent();
  return all;
}

}  // namespace muster
