// Writes a packet: first the control items, then the data of payloads, channels and blocks by
// weight, then the header.
#include <algorithm>
#include <array>
#include <cassert>

#include "net/transport/connection_impl.h"
#include "net/wire/bit_stream.h"

namespace muster {

namespace {

constexpr Duration kKeepAlive = std::chrono::milliseconds(250);
/// If no payload filled the budget for this long, the game is assumed to use less than its budget.
constexpr Duration kPayloadGap = std::chrono::milliseconds(60);
constexpr Duration kChokeInterval = std::chrono::milliseconds(300);
constexpr unsigned kAnswerAfterPackets = 16;
/// The maximum time that the chunks in one packet may take at the current rate.
constexpr Duration kBlockTimeMax = std::chrono::milliseconds(20);
/// The maximum time that a probe may take at the current rate. This time is longer than
/// `kBlockTimeMax`, so that the initial rate is enough for probes.
constexpr Duration kProbeTimeMax = std::chrono::milliseconds(32);

constexpr std::size_t header_bytes(const AckMask& mask) {
  std::size_t bits = 16 + 3 + 16 + 16 + 12 + 8;
  for (unsigned i = 0; i < mask.word_count; ++i) bits += mask.words[i] == ~0U ? 1U : 33U;
  return (bits + 7) / 8;
}

}  // namespace

/// A packet that is being written. Each section is filled separately, and `finish_packet` joins the
/// sections.
struct Connection::Impl::PacketDraft {
  PacketHeader header;
  PacketRecord record;
  std::array<std::byte, 320> control_buffer;
  std::array<std::byte, kDatagramBytesMax> message_buffer;
  std::array<std::byte, kDatagramBytesMax> block_buffer;
  SectionWriter control{control_buffer};
  SectionWriter messages{message_buffer};
  SectionWriter blocks{block_buffer};
  std::uint8_t control_count = 0;
  std::uint8_t message_count = 0;
  std::uint8_t fragment_count = 0;
  std::span<const std::byte> payload;
  std::size_t body_max = 0;  ///< The maximum size of the body, in bytes.
  /// True if the packet carries the oldest `PendingAck`, not the newest acknowledgement.
  bool is_pending_ack = false;
  std::size_t fill_to = 0;  ///< For a probe, the size of its body in bytes.

  /// The bytes used, including the count byte of each non-empty section.
  std::size_t used() const {
    std::size_t bytes = header_bytes(header.mask);
    if (control_count > 0) bytes += 1 + control.used();
    if (!payload.empty()) bytes += kPayloadHeadBytes + payload.size();
    if (message_count > 0) bytes += 1 + messages.used();
    if (fragment_count > 0) bytes += 1 + blocks.used();
    return bytes;
  }
};

bool Connection::Impl::has_content() const {
  if (has_fitting_payload() || blocks_out_.has_pending()) return true;
  return std::ranges::any_of(messages_out_,
                             [](const MessageSender& sender) { return sender.has_pending(); });
}

/// Returns 0 when a probe would take too long at the current rate. Larger packets would then not be
/// useful either.
std::size_t Connection::Impl::wanted_probe(Time now) const {
  if (now < probe_from_) return 0;
  const std::size_t probe = path_size_.wanted_probe(now);
  // `budget` has reported a part of the allowance to the game. A probe may use only the remaining
  // part.
  const bool is_allowed = allowed_ >= static_cast<std::int64_t>(probe + waiting_bytes());
  return is_allowed && probe <= rate_.bytes_in(kProbeTimeMax) ? probe : 0;
}

bool Connection::Impl::is_answer_due(Time now) const {
  if (pending_ack_count_ > 0) return true;
  if (unanswered_ == 0) return false;
  return unanswered_ >= kAnswerAfterPackets || now - unanswered_since_ >= kAckDelay;
}

bool Connection::Impl::may_send_content(Time now) const {
  if (!is_content_allowed() || !sent_.has_room() || !has_room_for_part()) return false;
  return rate_.budget(now, sent_.open_bytes()) > 0;
}

/// Messages and blocks wait until the allowance is enough for a packet. Otherwise they would use
/// every small allowance, and the game's budget would stay 0. A queued payload needs only a
/// positive allowance.
bool Connection::Impl::is_content_allowed() const {
  return is_worth_a_packet(allowed_) || (allowed_ > 0 && payloads_out_.count() > 0);
}

/// True when there is room for one more part, in addition to the parts of the packets in flight.
bool Connection::Impl::has_room_for_part() const {
  const PacketRecord* const oldest = sent_.oldest_open();
  return parts_.has_room(1, oldest != nullptr ? oldest->first_part : parts_.next());
}

bool Connection::Impl::wants_to_send(Time now) const {
  if (next_sequence() == ~std::uint32_t{0}) return false;  // The nonce would be used twice.
  if (state_ == ConnectionState::closed) return closes_to_send_ > 0;
  if (!sent_.has_room()) return now - last_choke_ >= kChokeInterval;
  if (path_challenge_count_ > 0 || has_new_refusal_ || maps_.is_urgent()) return true;
  if (has_room_for_part()) {
    for (std::size_t i = 0; i < messages_in_.size(); ++i) {
      if (messages_in_[i].limit() - sent_limits_[i].sent >= kUrgentLimitStep) return true;
    }
  }
  if (is_answer_due(now)) return true;
  if (now - last_departure_ >= kKeepAlive) return true;
  if (wanted_probe(now) != 0) return true;
  return may_send_content(now) && has_due_content(now);
}

std::span<const std::byte> Connection::Impl::write_packet(Time now, std::span<std::byte> memory) {
  assert(memory.size() + options_.overhead_bytes >= kDatagramBytesMax);
  PacketDraft draft;
  draft.header = next_header(now);
  draft.record = {.sent_at = now, .first_part = parts_.next(), .acknowledged = received_.highest()};
  if (pending_ack_count_ > 0) acknowledge_pending(draft);
  draft.body_max = path_size_.bytes() - options_.overhead_bytes;
  const bool is_choked = !sent_.has_room();
  if (is_choked) {
    ++counters_.choked;
    last_choke_ = now;
  }
  const bool is_open = state_ != ConnectionState::closed && !is_choked;
  const std::size_t probe = is_open ? wanted_probe(now) : 0;
  write_control(draft, now, probe);
  if (probe == 0 && is_open && may_send_content(now)) {
    const auto allowed = static_cast<std::size_t>(allowed_);
    add_contents(draft, std::min(rate_.budget(now, sent_.open_bytes()), allowed));
  }
  return finish_packet(now, draft, memory);
}

void Connection::Impl::acknowledge_pending(PacketDraft& draft) {
  const PendingAck& pending = pending_acks_.front();
  draft.header.ack = Sequence::of(pending.ack);
  draft.header.mask = pending.mask;
  draft.header.hold = hold_units(draft.record.sent_at - pending.arrived_at);
  draft.record.acknowledged = pending.ack;
  std::ranges::move(pending_acks_.begin() + 1, pending_acks_.end(), pending_acks_.begin());
  --pending_ack_count_;
  draft.is_pending_ack = true;
}

void Connection::Impl::write_control(PacketDraft& draft, Time now, std::size_t probe_bytes) {
  const auto item = [&draft](ControlItem kind) {
    draft.control.write_u8(static_cast<std::uint8_t>(kind));
    ++draft.control_count;
  };
  const bool is_silent = now - last_departure_ >= kKeepAlive && !has_content();
  if (is_silent || !sent_.has_room()) item(ControlItem::ping);
  // The newest challenge is answered last, because the peer uses only the last response.
  for (const std::uint64_t challenge : std::span(path_challenges_).first(path_challenge_count_)) {
    item(ControlItem::path_response);
    draft.control.write_u64(challenge);
  }
  path_challenge_count_ = 0;
  write_refusals(draft);
  write_map(draft);
  if (state_ != ConnectionState::closed) write_limits(draft);
  if (probe_bytes != 0) {
    item(ControlItem::probe);
    draft.control.write_u16(static_cast<std::uint32_t>(probe_bytes));
    draft.fill_to = probe_bytes - options_.overhead_bytes;
    draft.record.is_probe = true;
    path_size_.probe_sent(now);
  }
  if (closes_to_send_ > 0) {
    --closes_to_send_;
    item(ControlItem::close);
    draft.control.write_u8(static_cast<std::uint8_t>(end_->reason));
    draft.control.write_u8(static_cast<std::uint32_t>(end_->text.size()));
    draft.control.write_bytes(std::as_bytes(std::span(end_->text)));
  }
}

void Connection::Impl::write_map(PacketDraft& draft) {
  if (!maps_.must_send()) return;
  draft.control.write_u8(static_cast<std::uint8_t>(ControlItem::map));
  draft.control.write_u16(maps_.present());
  ++draft.control_count;
  maps_.sent();
}

/// Limits stop a sender before the receiver runs out of room. So a channel that the game does not
/// read does not stop other channels (as in QUIC, RFC 9000, section 4). Changed limits are written
/// first. If there is nothing else to send, unacknowledged limits are repeated, because the peer
/// may be waiting for them.
void Connection::Impl::write_limits(PacketDraft& draft) {
  const auto each_with = [&](auto is_due) {
    for (std::size_t i = 0; i < messages_in_.size(); ++i) {
      if (is_due(messages_in_[i].limit(), sent_limits_[i])) write_limit(draft, i);
    }
  };
  each_with([](std::uint32_t limit, const SentLimit& before) {
    return limit - before.sent >= kLimitStep;
  });
  if (has_content()) return;
  const std::uint32_t sequence = next_sequence();
  each_with([sequence](std::uint32_t limit, const SentLimit& before) {
    return limit - before.known >= kLimitStep && before.sequence != sequence;
  });
}

void Connection::Impl::write_limit(PacketDraft& draft, std::size_t channel) {
  // The other two items are a probe and a close.
  constexpr std::size_t kItemsMax = kControlItemsMax - 2;
  if (draft.control_count >= kItemsMax || !has_room_for_part()) return;
  SentLimit& limit = sent_limits_[channel];
  limit.sent = messages_in_[channel].limit();
  limit.sequence = next_sequence();
  draft.control.write_u8(static_cast<std::uint8_t>(ControlItem::channel_limit));
  draft.control.write_u8(static_cast<std::uint32_t>(channel));
  draft.control.write_u16(limit.sent & 0xFFFFU);
  ++draft.control_count;
  add_part(draft, {.kind = PacketPart::Kind::limit,
                   .channel = static_cast<std::uint8_t>(channel),
                   .message_id = limit.sent});
}

void Connection::Impl::write_refusals(PacketDraft& draft) {
  has_new_refusal_ = false;
  for (const RefusedBlock& refusal : std::span(refusals_).first(refusal_count_)) {
    draft.control.write_u8(static_cast<std::uint8_t>(ControlItem::block_refused));
    ++draft.control_count;
    draft.control.write_u16(refusal.id);
    draft.control.write_u8(static_cast<std::uint8_t>(refusal.reason));
    // Without room for a part, the refusal is sent, but its delivery is not tracked. So it is sent
    // again.
    if (!has_room_for_part()) continue;
    add_part(draft, {.kind = PacketPart::Kind::refusal,
                     .channel = static_cast<std::uint8_t>(refusal.reason),
                     .chunks = {.block = refusal.id}});
  }
}

void Connection::Impl::add_part(PacketDraft& draft, const PacketPart& part) {
  parts_.add(part);
  ++draft.record.part_count;
}

/// Adds data of payloads, channels and blocks until the budget is used. The first addition may
/// exceed the budget if it fits into the packet. The next packets are then delayed by the excess.
void Connection::Impl::add_contents(PacketDraft& draft, std::size_t budget) {
  bool is_first = true;
  for (;;) {
    const std::size_t used = draft.used();
    const std::size_t maximum =
        is_first ? draft.body_max : std::min(draft.body_max, budget - options_.overhead_bytes);
    const std::size_t room = maximum > used + 1 ? maximum - used - 1 : 0;
    // A source that has used more than its share may not exceed the budget.
    const std::size_t around = options_.overhead_bytes + used + 1;
    const std::size_t paid = budget > around ? std::min(room, budget - around) : 0;
    const auto room_of = [&](std::size_t each) {
      return is_deferred(each, draft.record.sent_at) ? paid : room;
    };
    const std::size_t source =
        schedule_.next([&](std::size_t each) { return is_ready(each, draft, room_of(each)); });
    if (source == SendSchedule::kSources) return;
    add_from(source, draft, room_of(source));
    schedule_.sent(source, draft.used() - used);
    is_first = false;
    if (budget <= options_.overhead_bytes) return;
  }
}

/// A game that fills its budget at every tick has no payload waiting between its ticks. In this
/// time, other sources must stay within the budget. Otherwise the next payload would be delayed.
bool Connection::Impl::is_deferred(std::size_t source, Time now) const {
  return source != SendSchedule::kPayloadSource && now - last_full_payload_ < kPayloadGap &&
         schedule_.is_ahead(source, SendSchedule::kPayloadSource);
}

/// True when some waiting data may be sent.
bool Connection::Impl::has_due_content(Time now) const {
  if (has_fitting_payload()) return true;
  if (!has_content()) return false;
  const std::size_t heads = options_.overhead_bytes + kPacketHeaderBytesMax + 1;
  const std::size_t budget =
      std::min({rate_.budget(now, sent_.open_bytes()), path_size_.bytes(),
                static_cast<std::size_t>(std::max<std::int64_t>(allowed_, 0))});
  const std::size_t paid = budget > heads ? budget - heads : 0;
  const auto is_due = [&](std::size_t source, std::size_t bytes) {
    return bytes <= paid || !is_deferred(source, now);
  };
  if (blocks_out_.has_pending() &&
      is_due(SendSchedule::kBlockSource, kFragmentHeadBytes + kChunkBytes)) {
    return true;
  }
  for (std::size_t i = 0; i < messages_out_.size(); ++i) {
    if (messages_out_[i].has_pending() && is_due(i, messages_out_[i].pending_bytes())) return true;
  }
  return false;
}

bool Connection::Impl::is_ready(std::size_t source, const PacketDraft& draft,
                                std::size_t room) const {
  if (!has_room_for_part()) return false;
  if (source != SendSchedule::kPayloadSource && !is_worth_a_packet(allowed_)) return false;
  if (source == SendSchedule::kPayloadSource) {
    return draft.payload.empty() && !payloads_out_.is_empty() &&
           payloads_out_.front().size() + kPayloadHeadBytes <= room + 1;
  }
  if (source == SendSchedule::kBlockSource) {
    // A packet carries one payload. If each packet also contained chunks, the packets would be
    // larger, and the waiting payloads would be sent later.
    const bool payloads_wait = !draft.payload.empty() && payloads_out_.count() > 1;
    if (payloads_wait && schedule_.is_ahead(source, SendSchedule::kPayloadSource)) return false;
    return draft.fragment_count < kFragmentsPerPacketMax &&
           room >= kFragmentHeadBytes + kChunkBytes && blocks_out_.has_pending();
  }
  if (source >= messages_out_.size() || draft.message_count >= kMessagesPerPacketMax) return false;
  const MessageSender& sender = messages_out_[source];
  return sender.has_pending() && sender.pending_bytes() <= room;
}

void Connection::Impl::add_from(std::size_t source, PacketDraft& draft, std::size_t room) {
  if (source == SendSchedule::kPayloadSource) {
    draft.payload = payloads_out_.front();
    draft.record.has_payload = true;
    draft.record.payload_tag = payloads_out_.front_number();
    return;
  }
  if (source == SendSchedule::kBlockSource) {
    const std::size_t maximum =
        std::max(kFragmentHeadBytes + kChunkBytes, rate_.bytes_in(kBlockTimeMax));
    const std::optional<ChunkRange> range =
        blocks_out_.write_pending(draft.blocks, std::min(room, maximum));
    assert(range.has_value());
    add_part(draft, {.kind = PacketPart::Kind::chunks, .chunks = *range});
    ++draft.fragment_count;
    return;
  }
  const std::uint32_t id = messages_out_[source].write_pending(draft.messages);
  ++draft.message_count;
  if (messages_out_[source].options().delivery == Delivery::unreliable) {
    ++draft.record.unreliable_count;
    return;
  }
  ++counters_.messages_reliable_out;
  add_part(draft, {.kind = PacketPart::Kind::message,
                   .channel = static_cast<std::uint8_t>(source),
                   .message_id = id});
}

std::uint16_t Connection::Impl::hold_units(Duration hold) {
  return static_cast<std::uint16_t>(std::min<std::int64_t>(hold / kWireTimeUnit, kNoHold));
}

PacketHeader Connection::Impl::next_header(Time now) const {
  PacketHeader header;
  header.ack = Sequence::of(received_.highest());
  header.mask = received_.mask(peer_knows_to_);
  header.sent = wire_time(now);
  if (received_.highest() > 0) {
    header.hold = hold_units(now - highest_arrival_);
  }
  const Duration delay = has_delay_min_ ? delay_min_ : peer_clock_.queue_delay();
  header.delay =
      static_cast<std::uint16_t>(std::min<std::int64_t>(delay / kWireTimeUnit, kDelayMax));
  return header;
}

/// Joins the sections, counts the packet, and records its contents.
std::span<const std::byte> Connection::Impl::finish_packet(Time now, PacketDraft& draft,
                                                           std::span<std::byte> memory) {
  PacketHeader& header = draft.header;
  if (draft.control_count > 0) header.sections |= kControlSection;
  if (!draft.payload.empty()) header.sections |= kPayloadSection;
  if (draft.message_count > 0) header.sections |= kMessageSection;
  if (draft.fragment_count > 0) header.sections |= kBlockSection;
  BitWriter bits(memory);
  write_packet_header(bits, header);
  const std::size_t head = bits.finish().size();
  SectionWriter writer(memory.subspan(head));
  if (draft.control_count > 0) {
    writer.write_u8(draft.control_count);
    writer.write_bytes(draft.control.written());
    counters_.control_bytes_out += 1 + draft.control.used();
  }
  if (!draft.payload.empty()) {
    writer.write_u16(static_cast<std::uint32_t>(draft.payload.size()));
    writer.write_bytes(draft.payload);
    counters_.payload_bytes_out += kPayloadHeadBytes + draft.payload.size();
    ++counters_.payloads_out;
    payloads_out_.pop();
  }
  if (draft.message_count > 0) {
    writer.write_u8(draft.message_count);
    writer.write_bytes(draft.messages.written());
    counters_.message_bytes_out += 1 + draft.messages.used();
    counters_.messages_out += draft.message_count;
  }
  if (draft.fragment_count > 0) {
    writer.write_u8(draft.fragment_count);
    writer.write_bytes(draft.blocks.written());
    counters_.block_bytes_out += 1 + draft.blocks.used();
    counters_.fragments_out += draft.fragment_count;
  }
  if (draft.fill_to > head + writer.used())
    writer.write_zeros(draft.fill_to - head - writer.used());
  assert(!writer.overflowed());
  const std::size_t body = head + writer.used();
  PacketRecord& record = draft.record;
  record.byte_count = static_cast<std::uint16_t>(body + options_.overhead_bytes);
  record.is_ack_eliciting = header.sections != 0;
  const std::int64_t left =
      std::min(static_cast<std::int64_t>(rate_.left(now)), std::max<std::int64_t>(allowed_, 0));
  const std::size_t others = draft.messages.used() + draft.blocks.used();
  const bool is_filling = left + static_cast<std::int64_t>(others) <
                          static_cast<std::int64_t>(record.byte_count + kAllowedMin);
  if (record.has_payload && is_filling) last_full_payload_ = now;
  rate_.stamp(record);
  sent_.send(record);
  allowed_ -= record.byte_count;
  // Data that waits for the allowance or for the next packet does not show that the path is full.
  const bool is_limited = sent_.open_bytes() >= rate_.window() && is_content_allowed();
  if (record.is_ack_eliciting) rate_.sent(now, record.byte_count, is_limited && has_content());
  ++counters_.packets_out;
  counters_.bytes_out += record.byte_count;
  last_departure_ = now;
  if (!draft.is_pending_ack) {
    unanswered_ = 0;
    has_delay_min_ = false;
    acknowledged_to_ = received_.highest();
  }
  return memory.first(body);
}

std::span<const std::byte> Connection::Impl::write_path_challenge(Time now, std::uint64_t challenge,
                                                                  std::span<std::byte> memory) {
  PacketDraft draft;
  draft.header = next_header(now);
  draft.record = {.sent_at = now, .first_part = parts_.next(), .acknowledged = 0};
  draft.control.write_u8(static_cast<std::uint8_t>(ControlItem::path_challenge));
  draft.control.write_u64(challenge);
  draft.control_count = 1;
  write_refusals(draft);
  write_map(draft);
  return finish_packet(now, draft, memory);
}

}  // namespace muster
