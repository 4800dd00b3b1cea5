#include "net/transport/message_receiver.h"

#include <algorithm>
#include <cassert>

#include "net/wire/sequence.h"

namespace muster {

MessageReceiver::MessageReceiver(Delivery delivery) : delivery_(delivery), slots_(kMessageWindow) {}

std::uint32_t MessageReceiver::widen_id(std::uint16_t low) const {
  return widen(Sequence(low), base_).value_or(0);
}

Arrival MessageReceiver::classify(std::uint32_t id) const {
  if (delivery_ == Delivery::unreliable) {
    return ready_end_ - ready_begin_ < kMessageWindow ? Arrival::fresh : Arrival::no_room;
  }
  if (id < base_) return Arrival::duplicate;
  if (id - base_ >= kMessageWindow) return Arrival::no_room;
  const Slot& slot = slot_of(id);
  if (slot.has_arrived) return Arrival::duplicate;
  return slot.is_full ? Arrival::no_room : Arrival::fresh;
}

void MessageReceiver::store(std::uint32_t id, std::span<const std::byte> message) {
  if (delivery_ == Delivery::unreliable) id = next_unreliable_++;
  Slot& slot = slot_of(id);
  assert(!slot.is_full);
  slot.bytes.assign(message.begin(), message.end());
  slot.is_full = true;
  if (delivery_ != Delivery::unreliable) slot.has_arrived = true;
  if (delivery_ != Delivery::reliable_ordered) ready_[ready_end_++ % kMessageWindow] = id;
  if (delivery_ == Delivery::reliable_unordered) advance_base();
}

void MessageReceiver::advance_base() {
  while (slot_of(base_).has_arrived) {
    slot_of(base_).has_arrived = false;
    ++base_;
  }
}

void MessageReceiver::advance_floor() {
  while (floor_ != base_ && !slot_of(floor_).is_full) ++floor_;
}

std::span<const std::byte> MessageReceiver::front() const {
  if (delivery_ == Delivery::reliable_ordered) {
    const Slot& slot = slot_of(base_);
    return slot.is_full ? std::span<const std::byte>(slot.bytes) : std::span<const std::byte>();
  }
  if (ready_begin_ == ready_end_) return {};
  return slot_of(ready_[ready_begin_ % kMessageWindow]).bytes;
}

void MessageReceiver::pop() {
  if (delivery_ == Delivery::reliable_ordered) {
    Slot& slot = slot_of(base_);
    assert(slot.is_full);
    slot.is_full = slot.has_arrived = false;
    floor_ = ++base_;
    return;
  }
  assert(ready_begin_ != ready_end_);
  slot_of(ready_[ready_begin_++ % kMessageWindow]).is_full = false;
  if (delivery_ == Delivery::reliable_unordered) advance_floor();
}

std::size_t MessageReceiver::unread() const {
  return static_cast<std::size_t>(std::ranges::count_if(slots_, &Slot::is_full));
}

void MessageReceiver::clear() {
  for (Slot& slot : slots_) slot.is_full = slot.has_arrived = false;
  base_ = floor_ = 1;
  ready_begin_ = ready_end_ = next_unreliable_ = 0;
}

}  // namespace muster
