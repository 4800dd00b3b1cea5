// Reads a packet in three steps: parses the whole packet, checks that all its contents can be
// stored, and then applies the packet. So either the whole packet is applied and acknowledged, or
// no part of it is.
#include <algorithm>
#include <array>
#include <cassert>

#include "net/transport/connection_impl.h"
#include "net/wire/bit_stream.h"
#include "registry/base/escaped_text.h"

namespace muster {

namespace {

constexpr std::size_t kLongLength = 128;
/// The minimum time between two closes that are sent again.
constexpr Duration kCloseAgain = std::chrono::milliseconds(50);
/// If no packet arrives for a longer time, a machine sleeps or the path has an outage, because
/// keep-alive packets are sent more often.
constexpr Duration kLongSilence = std::chrono::milliseconds(500);
constexpr Duration kSlackMin = std::chrono::milliseconds(20);

/// Reads a message's length. Fails the reader if the encoding is not the shortest possible
/// encoding.
std::size_t read_length(ByteReader& reader) {
  const std::size_t low = reader.u8();
  if (low < kLongLength) return low;
  const std::size_t high = reader.u8();
  if (high == 0) reader.fail();
  return (low & 127U) | (high << 7U);
}

}  // namespace

/// The parts of a packet, as views into the packet.
struct Connection::Impl::Incoming {
  /// The members have no default values, to save time: the array has 64 messages, but usually few
  /// of them are used.
  struct Message {
    std::uint8_t channel;
    bool is_reliable;
    std::uint16_t byte_count;
    std::uint32_t id;  ///< The low bits, until `check_contents` widens it.
    const std::byte* first;

    std::span<const std::byte> bytes() const { return {first, byte_count}; }
  };

  bool has_ping = false;
  std::array<std::uint64_t, kControlItemsMax> path_challenges;
  std::size_t path_challenge_count = 0;
  std::optional<std::uint64_t> path_answer;
  bool has_probe = false;
  std::array<RefusedBlock, kControlItemsMax> refusals;
  std::size_t refusal_count = 0;
  struct Limit {
    std::uint8_t channel;
    std::uint16_t id;
  };
  std::array<Limit, kChannelsMax> limits;
  std::size_t limit_count = 0;
  std::optional<std::uint16_t> map;
  PacketMap map_kind = PacketMap::present;
  bool has_close = false;
  CloseReason close_reason = CloseReason::none;
  std::span<const std::byte> close_text;
  std::span<const std::byte> payload;
  std::array<Message, kMessagesPerPacketMax> messages;
  std::size_t message_count = 0;
  std::array<Fragment, kFragmentsPerPacketMax> fragments;
  std::size_t fragment_count = 0;
  std::array<std::size_t, 4> section_bytes{};
};

Reception Connection::Impl::classify(std::optional<std::uint32_t> sequence) {
  const Reception reception =
      sequence.has_value() ? received_.classify(*sequence) : Reception::stale;
  if (reception == Reception::duplicate) ++counters_.duplicate_in;
  if (reception == Reception::stale) ++counters_.stale_in;
  return reception;
}

PacketVerdict Connection::Impl::read_packet(Time now, std::uint32_t sequence,
                                            std::size_t datagram_bytes,
                                            std::span<const std::byte> body) {
  BitReader bits(body);
  const PacketHeader header = read_packet_header(bits);
  Incoming incoming;
  const bool is_sound = !bits.failed() && parse(body.subspan(bits.bit_position() / 8),
                                                header.sections, datagram_bytes, incoming);
  if (state_ == ConnectionState::closed) {
    // A peer that still sends packets did not receive the close, so the close is sent again (like
    // QUIC's closing state, RFC 9000, section 10.2.1). If the peer closed the connection, nothing
    // is sent again. Otherwise both ends would repeat closes forever.
    const bool is_news = is_sound && !incoming.has_close && !end_->by_peer;
    if (is_news && now - last_departure_ >= kCloseAgain) {
      closes_to_send_ = std::max(closes_to_send_, 1U);
    }
    return PacketVerdict::received;
  }
  if (!is_sound) {
    ++counters_.malformed_in;
    return PacketVerdict::malformed;
  }
  const std::optional<std::uint32_t> ack = widen(header.ack, sent_.next_sequence() - 1);
  incoming.map_kind = maps_.classify(sequence, incoming.map);
  if (!ack.has_value() || !sent_.is_believable(*ack, header.mask) ||
      incoming.map_kind == PacketMap::impossible) {
    ++counters_.unbelievable_in;
    return PacketVerdict::unbelievable;
  }
  // An acknowledgement of no packet has one valid encoding. The low 16 bits of packet 65536 are
  // also 0, so the full number is tested.
  if (*ack == 0 && (header.mask.word_count != 1 || header.hold != kNoHold)) {
    ++counters_.malformed_in;
    return PacketVerdict::malformed;
  }
  if (incoming.map_kind == PacketMap::next) {
    leave_map();
    maps_.go_to(*incoming.map, next_sequence());
    incoming.map_kind = PacketMap::present;
  }
  if (const PacketVerdict verdict = check_contents(incoming); verdict != PacketVerdict::received) {
    verdict == PacketVerdict::no_room ? note_no_room() : void(++counters_.malformed_in);
    return verdict;
  }
  ++counters_.packets_in;
  counters_.bytes_in += datagram_bytes;
  counters_.header_bits_in += bits.bit_position();
  const bool is_present = incoming.map_kind == PacketMap::present;
  // Control items are applied before the acknowledgement, so that a refused block is not reported
  // as delivered.
  if (is_present) {
    apply_refusals(incoming);
    apply_limits(incoming);
  }
  apply_header(now, sequence, header, *ack);
  if (header.sections != 0) {
    if (unanswered_++ == 0) unanswered_since_ = now;
  }
  if (is_present) {
    maps_.received(sequence, incoming.map);
    apply_parts(now, sequence, incoming);
    give_up_stalled_blocks(now);
  } else {
    ++counters_.past_map_in;
  }
  apply_control(incoming);
  return PacketVerdict::received;
}

/// Counts a stop only if payloads or blocks are unread. Otherwise the game did not cause the lack
/// of room.
void Connection::Impl::note_no_room() {
  ++counters_.no_room_in;
  if (is_stopped_unread_ || (payloads_in_.has_room() && blocks_in_.unread() == 0)) return;
  is_stopped_unread_ = true;
  ++counters_.unread_stops;
}

void Connection::Impl::apply_refusals(const Incoming& incoming) {
  for (std::size_t i = 0; i < incoming.refusal_count; ++i) {
    if (blocks_out_.refused(incoming.refusals[i].id, incoming.refusals[i].reason)) {
      ++counters_.blocks_refused;
    }
  }
}

void Connection::Impl::apply_limits(const Incoming& incoming) {
  for (const Incoming::Limit& limit : std::span(incoming.limits).first(incoming.limit_count)) {
    MessageSender& sender = messages_out_[limit.channel];
    sender.allow_below(widen(Sequence(limit.id), sender.limit()).value_or(0));
  }
}

bool Connection::Impl::parse(std::span<const std::byte> sections, std::uint8_t which,
                             std::size_t datagram_bytes, Incoming& incoming) const {
  ByteReader reader(sections);
  std::size_t before = 0;
  const auto count_section = [&](std::size_t section) {
    incoming.section_bytes[section] = reader.position() - before;
    before = reader.position();
  };
  if ((which & kControlSection) != 0) {
    if (!parse_control(reader, datagram_bytes, incoming)) return false;
    count_section(0);
  }
  if ((which & kPayloadSection) != 0) {
    incoming.payload = reader.bytes(reader.u16());
    if (incoming.payload.empty()) return false;
    count_section(1);
  }
  if ((which & kMessageSection) != 0) {
    if (!parse_messages(reader, incoming)) return false;
    count_section(2);
  }
  if ((which & kBlockSection) != 0) {
    incoming.fragment_count = reader.u8();
    if (incoming.fragment_count < 1 || incoming.fragment_count > kFragmentsPerPacketMax) {
      return false;
    }
    for (std::size_t i = 0; i < incoming.fragment_count; ++i) {
      incoming.fragments[i] = read_fragment(reader);
      if (reader.failed()) return false;
    }
    count_section(3);
  }
  if (incoming.has_probe && !reader.consume_zeros()) return false;
  return reader.is_finished();
}

bool Connection::Impl::parse_control(ByteReader& reader, std::size_t datagram_bytes,
                                     Incoming& incoming) const {
  const std::size_t count = reader.u8();
  if (count < 1 || count > kControlItemsMax) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (incoming.has_close) return false;  // A close is the last item.
    switch (static_cast<ControlItem>(reader.u8())) {
      case ControlItem::ping:
        if (incoming.has_ping) return false;
        incoming.has_ping = true;
        break;
      case ControlItem::path_challenge:
        incoming.path_challenges[incoming.path_challenge_count++] = reader.u64();
        break;
      case ControlItem::path_response:
        incoming.path_answer = reader.u64();
        break;
      case ControlItem::probe:
        if (incoming.has_probe || reader.u16() != datagram_bytes ||
            datagram_bytes <= kDatagramBytesSafe || datagram_bytes > kDatagramBytesMax) {
          return false;
        }
        incoming.has_probe = true;
        break;
      case ControlItem::close: {
        incoming.has_close = true;
        const std::uint8_t reason = reader.u8();
        if (reason == 0 || reason > static_cast<std::uint8_t>(CloseReason::refused)) return false;
        incoming.close_reason = static_cast<CloseReason>(reason);
        const std::size_t size = reader.u8();
        if (size > kCloseTextBytesMax) return false;
        incoming.close_text = reader.bytes(size);
        break;
      }
      case ControlItem::block_refused: {
        RefusedBlock& refusal = incoming.refusals[incoming.refusal_count++];
        refusal.id = reader.u16();
        const std::uint8_t reason = reader.u8();
        if (reason < 1 || reason > 3) return false;
        refusal.reason = static_cast<BlockRefusal>(reason);
        break;
      }
      case ControlItem::map:
        if (incoming.map.has_value()) return false;
        incoming.map = reader.u16();
        break;
      case ControlItem::channel_limit:
        if (!parse_limit(reader, incoming)) return false;
        break;
      default:
        return false;
    }
    if (reader.failed()) return false;
  }
  return true;
}

bool Connection::Impl::parse_limit(ByteReader& reader, Incoming& incoming) const {
  const Incoming::Limit limit{.channel = reader.u8(), .id = reader.u16()};
  if (limit.channel >= messages_out_.size() ||
      messages_out_[limit.channel].options().delivery == Delivery::unreliable) {
    return false;
  }
  for (const Incoming::Limit& other : std::span(incoming.limits).first(incoming.limit_count)) {
    if (other.channel == limit.channel) return false;
  }
  incoming.limits[incoming.limit_count++] = limit;
  return true;
}

bool Connection::Impl::parse_messages(ByteReader& reader, Incoming& incoming) const {
  incoming.message_count = reader.u8();
  if (incoming.message_count < 1 || incoming.message_count > kMessagesPerPacketMax) return false;
  for (std::size_t i = 0; i < incoming.message_count; ++i) {
    Incoming::Message& message = incoming.messages[i];
    const std::uint8_t head = reader.u8();
    message.channel = head & 7U;
    if (head >= 32 || message.channel >= messages_out_.size()) return false;
    const Delivery delivery = messages_out_[message.channel].options().delivery;
    const bool is_reliable = delivery != Delivery::unreliable;
    const bool is_ordered = delivery == Delivery::reliable_ordered;
    if (((head & 8U) != 0) != is_reliable || ((head & 16U) != 0) != is_ordered) return false;
    message.is_reliable = is_reliable;
    message.id = is_reliable ? reader.u16() : 0;
    const std::size_t size = read_length(reader);
    if (size < 1 || size > kMessageBytesMax) return false;
    message.byte_count = static_cast<std::uint16_t>(size);
    message.first = reader.bytes(size).data();
    if (reader.failed()) return false;
  }
  return true;
}

/// Checks the contents against earlier packets. Contents of a past map are not checked.
PacketVerdict Connection::Impl::check_contents(Incoming& incoming) const {
  if (incoming.map_kind == PacketMap::past) return PacketVerdict::received;
  for (Incoming::Message& message : std::span(incoming.messages).first(incoming.message_count)) {
    if (!message.is_reliable) continue;
    message.id = messages_in_[message.channel].widen_id(static_cast<std::uint16_t>(message.id));
    if (message.id == 0) return PacketVerdict::malformed;
  }
  return check_room(incoming);
}

/// Checks that all reliable contents of the packet can be stored. An unreliable message that does
/// not fit is dropped, and the packet is still received.
PacketVerdict Connection::Impl::check_room(const Incoming& incoming) const {
  if (!incoming.payload.empty() && !payloads_in_.has_room()) return PacketVerdict::no_room;
  for (std::size_t i = 0; i < incoming.message_count; ++i) {
    const Incoming::Message& message = incoming.messages[i];
    if (!message.is_reliable) continue;
    const Arrival arrival = messages_in_[message.channel].classify(message.id);
    if (arrival == Arrival::no_room) return PacketVerdict::no_room;
  }
  const std::span fragments = std::span(incoming.fragments).first(incoming.fragment_count);
  switch (blocks_in_.classify(fragments)) {
    case FragmentVerdict::invalid:
      return PacketVerdict::malformed;
    case FragmentVerdict::no_room:
      return PacketVerdict::no_room;
    case FragmentVerdict::refused:
    case FragmentVerdict::accepted:
      break;
  }
  // Each fragment may add one refusal, if memory is exhausted.
  return refusal_count_ + fragments.size() <= refusals_.size() ? PacketVerdict::received
                                                               : PacketVerdict::no_room;
}

void Connection::Impl::apply_header(Time now, std::uint32_t sequence, const PacketHeader& header,
                                    std::uint32_t ack) {
  const Duration silence = now - last_arrival_;
  last_arrival_ = now;
  keep_pending_ack(sequence);
  if (received_.mark(sequence)) highest_arrival_ = now;
  // This packet is not acknowledged yet, so the next mask must cover its number.
  if (sequence <= peer_knows_to_) peer_knows_to_ = sequence - 1;
  const bool had_outage = silence >= kLongSilence || header.hold * kWireTimeUnit >= kLongSilence;
  if (ack > 0 && had_outage) {
    // After an outage the queues are empty, and either clock may have stopped.
    clocks_doubted_until_ = now + kPathWindow;
    peer_clock_.forget_ages();
    reported_delay_min_ = Duration::max();
  }
  peer_clock_.add(now, header.sent);
  const PacketRecord* const record = ack > 0 ? sent_.find_open(ack) : nullptr;
  const bool is_measured =
      record != nullptr && measure_round_trip(now, now - record->sent_at, header.hold, silence);
  const Duration delay = peer_clock_.queue_delay();
  delay_min_ = has_delay_min_ ? std::min(delay_min_, delay) : delay;
  has_delay_min_ = true;
  if (sequence == received_.highest()) {
    const Duration reported = without_clock(now, header.delay * kWireTimeUnit);
    // A queue lengthens the round trip, too. If the round trip contains only a part of the reported
    // delay, a clock added the rest.
    const Duration excess = round_trip_.latest() - round_trip_.minimum();
    if (is_measured) reported_delay_ = reported > excess + clock_slack(now) ? excess : reported;
    if (record != nullptr && header.hold == kNoHold) reported_delay_ = reported;
  }
  if (ack > 0) sent_.acknowledge(now, ack, header.mask, round_trip_);
  settle(now);
}

/// Returns false when the sample does not measure the path because a machine slept. This end slept
/// if the peer reports a hold time longer than the whole sample. The peer slept if the answer was
/// in flight for more than half of a long time without packets.
bool Connection::Impl::measure_round_trip(Time now, Duration sample, std::uint16_t hold_units,
                                          Duration silence) {
  const Duration hold = peer_clock_.on_our_clock(hold_units * kWireTimeUnit);
  const bool we_slept = sample + kClockNoise < hold;
  if (we_slept) clocks_doubted_until_ = now + kPathWindow;
  const bool peer_slept =
      round_trip_.has_sample() && silence >= kLongSilence && sample - hold > silence / 2;
  if (we_slept || peer_slept || hold_units == kNoHold) return false;
  round_trip_.add(now, sample, hold);
  peer_clock_.add_round_trip(now, round_trip_.latest(), clock_slack(now));
  return true;
}

/// After an outage, the delays that the peer reports may include time that a clock added. The queue
/// was empty when the outage ended, so the minimum reported delay is subtracted.
Duration Connection::Impl::without_clock(Time now, Duration reported) {
  if (now >= clocks_doubted_until_) return reported;
  reported_delay_min_ = std::min(reported_delay_min_, reported);
  return reported - reported_delay_min_;
}

/// Returns a tolerance. If a delay exceeds the round trip by more than the tolerance, a clock added
/// the excess. The tolerance is larger while the clocks are trusted, because random variation is
/// then the more likely cause.
Duration Connection::Impl::clock_slack(Time now) const {
  if (now < clocks_doubted_until_ || peer_clock_.drifts()) return kClockNoise;
  return kSlackMin + 4 * round_trip_.variation();
}

/// Stores an acknowledgement for an extra packet when more packets have arrived since our last
/// packet than one packet can acknowledge. Without the extra packet, the peer would treat received
/// packets as lost.
void Connection::Impl::keep_pending_ack(std::uint32_t sequence) {
  const std::uint32_t highest = received_.highest();
  if (sequence <= highest || sequence - acknowledged_to_ < kAckWindow) return;
  if (highest == acknowledged_to_ || pending_ack_count_ == pending_acks_.size()) return;
  pending_acks_[pending_ack_count_++] = {
      .ack = highest, .mask = received_.mask(peer_knows_to_), .arrived_at = highest_arrival_};
  acknowledged_to_ = highest;
}

void Connection::Impl::refuse_block(std::uint16_t id, BlockRefusal reason) {
  assert(refusal_count_ < refusals_.size());
  refusals_[refusal_count_++] = {.id = id, .reason = reason};
  has_new_refusal_ = true;
  ++counters_.blocks_refused_in;
}

/// Called only when a packet arrives, so that a replayed capture gives the same result.
void Connection::Impl::give_up_stalled_blocks(Time now) {
  while (refusal_count_ < refusals_.size()) {
    const std::optional<std::uint16_t> stalled = blocks_in_.give_up_stalled(now);
    if (!stalled.has_value()) return;
    refuse_block(*stalled, BlockRefusal::no_memory);
    ++counters_.blocks_stalled;
  }
}

void Connection::Impl::apply_parts(Time now, std::uint32_t sequence, const Incoming& incoming) {
  if (!incoming.payload.empty()) {
    payloads_in_.push(incoming.payload, sequence);
    ++counters_.payloads_in;
  }
  for (std::size_t i = 0; i < incoming.message_count; ++i) {
    const Incoming::Message& message = incoming.messages[i];
    MessageReceiver& receiver = messages_in_[message.channel];
    // A packet may contain the same message twice.
    if (receiver.classify(message.id) == Arrival::fresh) {
      receiver.store(message.id, message.bytes());
      ++counters_.messages_in;
    } else {
      ++(message.is_reliable ? counters_.messages_duplicate : counters_.messages_dropped);
    }
  }
  for (std::size_t i = 0; i < incoming.fragment_count; ++i) {
    const Fragment& fragment = incoming.fragments[i];
    if (const std::optional<BlockRefusal> reason = blocks_in_.store(now, fragment)) {
      refuse_block(fragment.block, *reason);
    }
    ++counters_.fragments_in;
  }
  counters_.control_bytes_in += incoming.section_bytes[0];
  counters_.payload_bytes_in += incoming.section_bytes[1];
  counters_.message_bytes_in += incoming.section_bytes[2];
  counters_.block_bytes_in += incoming.section_bytes[3];
}

void Connection::Impl::apply_control(const Incoming& incoming) {
  for (std::size_t i = 0; i < incoming.path_challenge_count; ++i) {
    if (path_challenge_count_ < path_challenges_.size()) {
      path_challenges_[path_challenge_count_++] = incoming.path_challenges[i];
    } else {
      ++counters_.path_challenges_dropped;
    }
  }
  if (incoming.path_answer.has_value()) path_answer_ = incoming.path_answer;
  if (incoming.has_close) finish(incoming.close_reason, true, printable(incoming.close_text));
}

}  // namespace muster
