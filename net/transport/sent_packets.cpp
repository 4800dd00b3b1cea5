#include "net/transport/sent_packets.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace muster {

namespace {

/// The maximum of `reorder_distance`. If packets overtake each other by more, some packets are
/// reported as lost too early.
constexpr std::uint32_t kReorderMax = 64;
/// The maximum age that `learn_overtaking` records.
constexpr Duration kOvertakingMax = std::chrono::milliseconds(500);
constexpr Duration kTimeoutMax = std::chrono::seconds(2);

}  // namespace

/// More than 32 reports at once are rare.
SentPackets::SentPackets() { resolved_.reserve(32); }

bool SentPackets::has_room() const { return next_ - oldest_open_ < kPacketsInFlightMax; }

void SentPackets::send(const PacketRecord& record) {
  if (!has_room()) {
    resolve(oldest_open_, *slots_.find(oldest_open_), Delivery::lost);
    skip_resolved();
  }
  if (ack_eliciting_count_ == 0) last_progress_ = record.sent_at;
  slots_.acquire(next_) = {.record = record, .delivery = Delivery::open};
  ++next_;
  ++open_count_;
  if (!record.is_ack_eliciting) return;
  ++ack_eliciting_count_;
  open_bytes_ += record.byte_count;
}

void SentPackets::resolve(std::uint32_t sequence, Slot& slot, Delivery delivery) {
  assert(slot.delivery == Delivery::open);
  slot.delivery = delivery;
  --open_count_;
  if (slot.record.is_ack_eliciting) {
    --ack_eliciting_count_;
    open_bytes_ -= slot.record.byte_count;
  }
  resolved_.push_back(
      {.sequence = sequence, .delivered = delivery == Delivery::delivered, .record = slot.record});
}

void SentPackets::skip_resolved() {
  while (oldest_open_ < next_) {
    const Slot* slot = slots_.find(oldest_open_);
    if (slot != nullptr && slot->delivery == Delivery::open) return;
    ++oldest_open_;
  }
}

bool SentPackets::is_believable(std::uint32_t ack, const AckMask& mask) const {
  if (ack >= next_) return false;
  // The bits of numbers below 1 are always set.
  if (ack < mask.word_count * 32) {
    for (std::uint32_t age = ack; age < mask.word_count * 32; ++age) {
      if (!mask.contains(age)) return false;
    }
  }
  return true;
}

void SentPackets::acknowledge_one(Time now, std::uint32_t sequence) {
  Slot* slot = slots_.find(sequence);
  if (slot == nullptr) return;
  if (slot->delivery != Delivery::delivered && sequence < highest_delivered_) {
    learn_overtaking(now, now - slot->record.sent_at);
  }
  if (slot->delivery == Delivery::lost) {
    // The packet was not lost, but later packets have overtaken it.
    ++late_;
    const std::uint32_t overtaken =
        highest_delivered_ > sequence ? highest_delivered_ - sequence : 0;
    reorder_ = std::clamp(overtaken + 1, reorder_, kReorderMax);
    slot->delivery = Delivery::delivered;
    return;
  }
  if (slot->delivery != Delivery::open) return;
  resolve(sequence, *slot, Delivery::delivered);
  highest_delivered_ = std::max(highest_delivered_, sequence);
  last_progress_ = now;
  if (timeouts_ >= kOutageTimeouts) outage_end_ = now;
  timeouts_ = 0;
}

void SentPackets::acknowledge(Time now, std::uint32_t ack, const AckMask& mask,
                              const RoundTrip& path) {
  assert(is_believable(ack, mask));
  const std::uint32_t lowest = lowest_to_learn(ack);
  // Starts with the oldest packet, so that deliveries are reported in the order of sending.
  const std::uint32_t mask_words = ack < lowest ? 0 : (ack - lowest) / 32 + 1;
  for (unsigned word = std::min(mask.word_count, mask_words); word-- > 0;) {
    std::uint32_t bits = mask.words[word];
    const std::uint32_t last_age = ack - lowest;
    if (word == last_age / 32 && last_age % 32 != 31) bits &= (2U << (last_age % 32)) - 1;
    while (bits != 0) {
      const auto bit = static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
      bits &= ~(1U << bit);
      const std::uint32_t age = word * 32 + bit;
      if (age < ack) acknowledge_one(now, ack - age);
    }
  }
  skip_resolved();
  find_overtaken(now, path);
  answers_.note(now);
  if (ack_eliciting_count_ == 0) answers_.pause();
}

/// Returns the lowest packet number that this acknowledgement can affect.
std::uint32_t SentPackets::lowest_to_learn(std::uint32_t ack) {
  while (oldest_lost_ < oldest_open_) {
    const Slot* const slot = slots_.find(oldest_lost_);
    const bool can_be_acknowledged = oldest_lost_ + kAckWindow > ack;
    if (slot != nullptr && slot->delivery == Delivery::lost && can_be_acknowledged)
      return oldest_lost_;
    ++oldest_lost_;
  }
  return oldest_open_;
}

void SentPackets::path_changed() {
  reorder_ = kReorder;
  longest_overtaken_ = {};
}

void SentPackets::learn_overtaking(Time now, Duration age) {
  age = std::min(age, kOvertakingMax);
  if (age < longest_overtaken_ && now - overtaken_at_ < kPathWindow) return;
  longest_overtaken_ = age;
  overtaken_at_ = now;
}

void SentPackets::find_overtaken(Time now, const RoundTrip& path) {
  const Duration trip = std::max(path.smoothed(), path.latest());
  const Duration patience = trip + trip / 8;
  // When few packets are sent, no packet is overtaken by `reorder_` packets. A longer time then
  // decides that a packet is lost.
  Duration long_patience = Duration::max();
  if (path.has_sample()) long_patience = std::max(patience, trip + 4 * path.variation());
  if (now - overtaken_at_ < kPathWindow) {
    long_patience = std::max(long_patience, longest_overtaken_ + longest_overtaken_ / 8);
  }
  for (std::uint32_t sequence = oldest_open_; sequence < highest_delivered_; ++sequence) {
    Slot* slot = slots_.find(sequence);
    if (slot == nullptr || slot->delivery != Delivery::open) continue;
    const bool far_overtaken = sequence + reorder_ <= highest_delivered_;
    // The next packets were sent later, and fewer packets have overtaken them.
    if (now - slot->record.sent_at < (far_overtaken ? patience : long_patience)) break;
    resolve(sequence, *slot, Delivery::lost);
  }
  skip_resolved();
}

/// Returns the time by which slow ticks extend a timeout. Timeouts already include ticks of 60 Hz
/// at both ends. Slower ticks at this end delay the reading of an answer, and slower ticks of the
/// peer delay its sending.
Duration SentPackets::patience(Duration interval) const {
  const Duration ours = interval > kAckDelay ? 2 * interval - kAckDelay : Duration::zero();
  return ours + std::max(answers_.longest() - kAckDelay, Duration::zero());
}

void SentPackets::tick(Time now, const RoundTrip& path, Duration interval) {
  if (open_count_ == 0) return;
  now -= patience(interval);
  find_overtaken(now, path);
  // The peer may never acknowledge packets that need no answer.
  if (ack_eliciting_count_ == 0) return;
  const Duration timeout =
      std::min(path.probe_timeout() * (1 << std::min(timeouts_, 6U)), kTimeoutMax);
  if (now - last_progress_ < timeout) return;
  for (std::uint32_t sequence = oldest_open_; sequence < next_; ++sequence) {
    Slot* slot = slots_.find(sequence);
    if (slot == nullptr || slot->delivery != Delivery::open) continue;
    if (now - slot->record.sent_at < timeout) break;
    resolve(sequence, *slot, Delivery::lost);
  }
  skip_resolved();
  last_progress_ = now;
  ++timeouts_;
}

void SentPackets::give_up() {
  for (std::uint32_t sequence = oldest_open_; sequence < next_; ++sequence) {
    Slot* const slot = slots_.find(sequence);
    if (slot != nullptr && slot->delivery == Delivery::open)
      resolve(sequence, *slot, Delivery::lost);
  }
  skip_resolved();
}

std::uint32_t SentPackets::open_payloads() const {
  std::uint32_t count = 0;
  for (std::uint32_t sequence = oldest_open_; sequence < next_; ++sequence) {
    const PacketRecord* const record = find_open(sequence);
    if (record != nullptr && record->has_payload) ++count;
  }
  return count;
}

const PacketRecord* SentPackets::find_open(std::uint32_t sequence) const {
  const Slot* slot = slots_.find(sequence);
  return slot != nullptr && slot->delivery == Delivery::open ? &slot->record : nullptr;
}

}  // namespace muster
