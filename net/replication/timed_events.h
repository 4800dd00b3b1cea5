// Events that belong to a tick. Events are sent with snapshots, so that an event has arrived when
// the client's world reaches the event's tick. See REPLICATION_FORMAT.md, "Events".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/slice_id.h"
#include "net/wire/section_writer.h"
#include "registry/base/bytes.h"
#include "registry/base/tick.h"
#include "registry/base/wire_limits.h"

namespace muster {

/// The maximum number of undelivered events of a client.
inline constexpr std::size_t kTimedEventsMax = 256;
inline constexpr std::size_t kTimedEventBytesMax = kEventBytesMax;
/// The maximum number of due events that a game has not read. If there are more, the oldest events
/// are lost.
inline constexpr std::size_t kTimedEventsDueMax = 4096;
/// The size of an event's head: its number, its tick and its length.
inline constexpr std::size_t kTimedEventHeadBytes = 2 + 4 + 2;
/// The size of an event's entity: its id and its generation.
inline constexpr std::size_t kEventSubjectBytes = 4 + 4;
/// A received event waits for its entity during this many payloads. This number covers some round
/// trips, and the time in which a server defers the entity because there is too little room.
inline constexpr std::uint64_t kEventPatience = 1024;

/// Identifies the entity of an event, or any slice that a snapshot lists.
struct EventSubject {
  SliceId id{};  ///< For an event, the first slice of the entity.
  std::uint32_t generation = 0;
  friend bool operator==(const EventSubject&, const EventSubject&) = default;
};

/// Whether the loss of an event is counted. An event is lost if the client's world begins again
/// before the event is confirmed.
enum class EventLoss : std::uint8_t { ignored, counted };

/// Which payloads may contain an event.
enum class EventTurn : std::uint8_t {
  any = 0,
  /// The event's entity may not have arrived. Only payloads that contain the entity may contain the
  /// event.
  waits = 1,
  /// The next payload contains the event's entity, so that payload may contain the event.
  together = 2,
  never = 3,  ///< The event's entity will not be sent, so the event is dropped.
};

/// The sending side, for one client. Every payload repeats an event until one of these payloads is
/// confirmed. So a lost packet does not delay the event by a round trip. Memory is bounded, and
/// nothing is allocated in steady state.
class TimedEventSender {
 public:
  TimedEventSender() : slots_(kTimedEventsMax) {}

  /// Queues an event. Returns false if too many events wait, or if the event is too long.
  bool push(Tick tick, std::span<const std::byte> event, EventLoss loss = EventLoss::ignored);
  /// Queues an event about an entity. `turn` is `any` if the receiver has the entity. If `turn` is
  /// `waits`, the event waits until `settle` changes its turn.
  bool push_about(const EventSubject& subject, EventTurn turn, Tick tick,
                  std::span<const std::byte> event);
  /// Calls `turn_of(EventSubject)` for each event that waits for its entity.
  template <typename TurnOf>
  void settle(const TurnOf& turn_of) {
    for (std::uint32_t number = begin_; waiting_ > 0 && number != end_; ++number) {
      Slot& event = slot(number);
      if (event.is_over || event.turn == EventTurn::any) continue;
      event.turn = turn_of(event.subject);
      if (event.turn == EventTurn::never) event.is_over = true;
      if (event.is_over || event.turn == EventTurn::any) --waiting_;
    }
    drop_finished();
  }
  /// Writes a count, and as many of the allowed events as fit into `bytes_max`, oldest first.
  /// Writes nothing if there are no events. `payload` is the caller's number of the payload that
  /// carries the events. Returns the count.
  std::size_t write(SectionWriter& writer, std::size_t bytes_max, std::uint16_t payload);
  bool has_any() const { return begin_ != end_; }
  /// The number of events with `EventLoss::counted` that are not confirmed yet.
  std::uint64_t unconfirmed_count() const;
  /// The number of bytes that `write` would use, at most `bytes_max`.
  std::size_t waiting_bytes(std::size_t bytes_max) const;
  /// True when an event waits for its entity.
  bool has_waiting() const { return waiting_ > 0; }
  /// Call this function when the payload with this number was delivered.
  void delivered(std::uint16_t payload);
  void clear();

 private:
  /// The number of payloads whose events are remembered.
  static constexpr std::size_t kPayloads = 64;

  struct Slot {
    Tick tick{};
    bool is_over = false;  ///< True if the event was delivered or dropped.
    EventTurn turn = EventTurn::any;
    EventLoss loss = EventLoss::ignored;
    bool has_subject = false;
    EventSubject subject;
    std::vector<std::byte> bytes;
  };
  /// The size of an event with its head.
  static std::size_t bytes_of(const Slot& event) {
    return kTimedEventHeadBytes + event.bytes.size() + (event.has_subject ? kEventSubjectBytes : 0);
  }

  struct Carried {
    std::uint16_t payload = 0;
    bool is_used = false;
    std::vector<std::uint32_t> events;
  };

  Slot& slot(std::uint32_t number) { return slots_[number % kTimedEventsMax]; }
  void drop_finished();

  std::vector<Slot> slots_;
  std::uint32_t begin_ = 0;  ///< The oldest event whose `is_over` is false.
  std::uint32_t end_ = 0;
  std::size_t waiting_ = 0;  ///< The number of events that wait for their entity.
  std::array<Carried, kPayloads> carried_;
};

/// A received event.
struct TimedEvent {
  Tick tick{};
  /// The event's number, in the order in which the server sent its events.
  std::uint32_t number = 0;
  std::span<const std::byte> bytes;
};

/// The state of an event's entity at the receiver.
enum class SubjectState : std::uint8_t {
  shown = 0,  ///< The game has received the entity. The entity may be removed since.
  may_come = 1,
  is_past = 2,  ///< The entity was not shown, and will not be shown.
};

/// The receiving side. Reports each event once, when the world has reached the event's tick, in the
/// order of ticks. An event about an entity also waits until the entity was shown. The event may
/// then be reported after its tick, if the entity's snapshot was overtaken. Memory is bounded
/// against attackers: if too many events wait, the earliest events are reported before their tick.
class TimedEventReceiver {
 public:
  /// Reads events that `TimedEventSender::write` wrote. `payload` is the number of the payload,
  /// from which the maximum wait of an event is counted. Returns false and changes nothing if the
  /// bytes are malformed.
  bool read(ByteReader& reader, std::uint64_t payload);
  /// Calls `state_of(EventSubject, tick)` for each entity for which an event waits. `payload` is
  /// the number of the current payload. Drops an event if its entity was not shown in time or can
  /// no longer be shown.
  template <typename StateOf>
  void settle(std::uint64_t payload, const StateOf& state_of) {
    if (awaiting_count_ == 0) return;
    for (Waiting& event : waiting_) {
      if (!event.awaits_entity) continue;
      const SubjectState state = state_of(event.subject, event.tick);
      if (state == SubjectState::shown) {
        event.awaits_entity = false;
        --awaiting_count_;
      }
      const bool is_late = payload - event.payload >= kEventPatience;
      event.is_unshowable = state == SubjectState::is_past || (event.awaits_entity && is_late);
    }
    drop_unshowable();
  }
  /// Makes the events up to `tick` due, and returns the number of these events.
  std::size_t reach(Tick tick);
  /// The number of due events that were dropped because newer events needed their room. Events that
  /// `reset` removes are not counted.
  std::uint64_t lost() const { return lost_; }
  /// The number of events that were dropped because their entity was not shown.
  std::uint64_t dropped() const { return dropped_; }
  std::span<const TimedEvent> due() const { return due_; }
  void clear_due();
  /// Removes all events, for another map.
  void reset();

 private:
  static constexpr std::size_t kWindow = 2 * kTimedEventsMax;

  struct Waiting {
    Tick tick{};
    std::uint32_t number = 0;
    std::uint64_t payload = 0;   ///< The payload that carried it.
    bool awaits_entity = false;  ///< True if the event waits until its entity is shown.
    bool is_unshowable = false;  ///< True if the event's entity will not be shown.
    EventSubject subject{};
    std::vector<std::byte> bytes{};
  };

  void queue(std::uint16_t number, Waiting event, std::span<const std::byte> bytes);
  void drop_unshowable();

  std::uint32_t next_ = 0;  ///< The highest received number plus one.
  /// For each index, the number of the received event plus one; 0 if no event has it.
  std::array<std::uint32_t, kWindow> received_{};
  std::vector<Waiting> waiting_;   ///< Sorted by tick, then by number.
  std::vector<Waiting> reported_;  ///< The events in `due_`. They own the bytes.
  std::vector<TimedEvent> due_;
  std::size_t awaiting_count_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace muster
