#include "net/replication/timed_events.h"

#include <algorithm>

namespace muster {

namespace {

/// A flag in the length of an event. If the flag is set, the event's entity follows.
constexpr std::uint32_t kHasSubject = 0x8000;

}  // namespace

bool TimedEventSender::push(Tick tick, std::span<const std::byte> event, EventLoss loss) {
  if (end_ - begin_ == kTimedEventsMax || event.size() > kTimedEventBytesMax) return false;
  Slot& free = slot(end_);
  free.tick = tick;
  free.is_over = false;
  free.turn = EventTurn::any;
  free.loss = loss;
  free.has_subject = false;
  free.bytes.assign(event.begin(), event.end());
  ++end_;
  return true;
}

bool TimedEventSender::push_about(const EventSubject& subject, EventTurn turn, Tick tick,
                                  std::span<const std::byte> event) {
  if (!push(tick, event)) return false;
  Slot& pushed = slot(end_ - 1);
  pushed.turn = turn;
  pushed.has_subject = true;
  pushed.subject = subject;
  if (turn != EventTurn::any) ++waiting_;
  return true;
}

std::size_t TimedEventSender::write(SectionWriter& writer, std::size_t bytes_max,
                                    std::uint16_t payload) {
  Carried& carried = carried_[payload % kPayloads];
  carried.payload = payload;
  carried.is_used = true;
  carried.events.clear();
  std::size_t bytes = 1;
  for (std::uint32_t number = begin_; number != end_; ++number) {
    const Slot& event = slot(number);
    if (event.is_over || event.turn == EventTurn::waits) continue;
    bytes += bytes_of(event);
    if (bytes > bytes_max || carried.events.size() == 255) break;
    carried.events.push_back(number);
  }
  if (carried.events.empty()) return 0;
  writer.write_u8(static_cast<std::uint32_t>(carried.events.size()));
  for (const std::uint32_t number : carried.events) {
    const Slot& event = slot(number);
    writer.write_u16(number & 0xFFFFU);
    writer.write_u32(event.tick.value());
    writer.write_u16(static_cast<std::uint32_t>(event.bytes.size()) |
                     (event.has_subject ? kHasSubject : 0U));
    if (event.has_subject) {
      writer.write_u32(codec_id(event.subject.id));
      writer.write_u32(event.subject.generation);
    }
    writer.write_bytes(event.bytes);
  }
  return carried.events.size();
}

std::size_t TimedEventSender::waiting_bytes(std::size_t bytes_max) const {
  std::size_t bytes = 0;
  for (std::uint32_t number = begin_; number != end_ && bytes < bytes_max; ++number) {
    const Slot& event = slots_[number % kTimedEventsMax];
    if (event.is_over || event.turn == EventTurn::waits) continue;
    bytes += (bytes == 0 ? 1 : 0) + bytes_of(event);
  }
  return std::min(bytes, bytes_max);
}

std::uint64_t TimedEventSender::unconfirmed_count() const {
  std::uint64_t count = 0;
  for (std::uint32_t number = begin_; number != end_; ++number) {
    const Slot& event = slots_[number % kTimedEventsMax];
    if (!event.is_over && event.loss == EventLoss::counted) ++count;
  }
  return count;
}

void TimedEventSender::delivered(std::uint16_t payload) {
  Carried& carried = carried_[payload % kPayloads];
  if (!carried.is_used || carried.payload != payload) return;
  carried.is_used = false;
  // The slot of an event that was delivered long ago may now belong to another event.
  for (const std::uint32_t number : carried.events) {
    if (number - begin_ >= end_ - begin_ || slot(number).is_over) continue;
    slot(number).is_over = true;
    if (slot(number).turn != EventTurn::any) --waiting_;
  }
  drop_finished();
}

void TimedEventSender::drop_finished() {
  while (begin_ != end_ && slot(begin_).is_over) ++begin_;
}

void TimedEventSender::clear() {
  begin_ = end_ = 0;
  waiting_ = 0;
  for (Carried& carried : carried_) carried.is_used = false;
}

bool TimedEventReceiver::read(ByteReader& reader, std::uint64_t payload) {
  // Reads all events before the first event is accepted, because a malformed payload must change
  // nothing.
  ByteReader preview = reader;
  for (std::uint8_t i = preview.u8(); i > 0; --i) {
    static_cast<void>(preview.bytes(2 + 4));
    const std::uint16_t length = preview.u16();
    if ((length & ~kHasSubject) > kTimedEventBytesMax) return false;
    if ((length & kHasSubject) != 0) static_cast<void>(preview.bytes(kEventSubjectBytes));
    static_cast<void>(preview.bytes(length & ~kHasSubject));
  }
  if (preview.failed()) return false;
  for (std::uint8_t i = reader.u8(); i > 0; --i) {
    const std::uint16_t number = reader.u16();
    Waiting event{.tick = Tick(reader.u32()), .payload = payload};
    const std::uint16_t length = reader.u16();
    event.awaits_entity = (length & kHasSubject) != 0;
    if (event.awaits_entity)
      event.subject = {.id = SliceId{reader.u32()}, .generation = reader.u32()};
    queue(number, std::move(event), reader.bytes(length & ~kHasSubject));
  }
  return true;
}

void TimedEventReceiver::queue(std::uint16_t number, Waiting event,
                               std::span<const std::byte> bytes) {
  const auto ahead = static_cast<std::int16_t>(static_cast<std::uint16_t>(number - next_));
  const std::uint32_t wide = next_ + static_cast<std::uint32_t>(ahead);
  // A sender keeps at most half a window of events, so an event with an older number was already
  // received. A gap in the numbers is normal, because some events are never sent to this client.
  if (ahead < -static_cast<int>(kTimedEventsMax) || (ahead < 0 && wide > next_)) return;
  if (received_[wide % kWindow] == wide + 1) return;
  received_[wide % kWindow] = wide + 1;
  if (ahead >= 0) next_ = wide + 1;
  event.number = wide;
  event.bytes.assign(bytes.begin(), bytes.end());
  if (event.awaits_entity) ++awaiting_count_;
  const auto at = std::ranges::upper_bound(waiting_, event, [](const Waiting& a, const Waiting& b) {
    return a.tick != b.tick ? a.tick < b.tick : a.number < b.number;
  });
  waiting_.insert(at, std::move(event));
}

void TimedEventReceiver::drop_unshowable() {
  const std::size_t dropped =
      std::erase_if(waiting_, [](const Waiting& event) { return event.is_unshowable; });
  awaiting_count_ -= dropped;
  dropped_ += dropped;
}

std::size_t TimedEventReceiver::reach(Tick tick) {
  const auto is_due = [&](const Waiting& event) {
    return !event.awaits_entity && event.tick <= tick;
  };
  const auto due = static_cast<std::size_t>(std::ranges::count_if(waiting_, is_due));
  const std::size_t left = waiting_.size() - due;
  std::size_t excess = left > kTimedEventsMax ? left - kTimedEventsMax : 0;
  std::size_t count = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Waiting& event = waiting_[i];
    const bool is_early = !is_due(event);
    if (is_early && excess == 0) {
      if (kept != i) waiting_[kept] = std::move(event);
      ++kept;
      continue;
    }
    if (is_early) --excess;
    if (event.awaits_entity) {
      --awaiting_count_;
      ++dropped_;
    } else {
      reported_.push_back(std::move(event));
      ++count;
    }
  }
  waiting_.resize(kept);
  if (count == 0) return 0;
  if (reported_.size() > kTimedEventsDueMax) {
    const std::size_t too_many = reported_.size() - kTimedEventsDueMax;
    reported_.erase(reported_.begin(), reported_.begin() + static_cast<std::ptrdiff_t>(too_many));
    lost_ += too_many;
  }
  due_.clear();  // The bytes to which the entries point may have moved.
  for (const Waiting& event : reported_) {
    due_.push_back({.tick = event.tick, .number = event.number, .bytes = event.bytes});
  }
  return count;
}

void TimedEventReceiver::clear_due() {
  due_.clear();
  reported_.clear();
}

void TimedEventReceiver::reset() {
  clear_due();
  waiting_.clear();
  awaiting_count_ = 0;
  received_ = {};
  next_ = 0;
}

}  // namespace muster
