// Events of a tick. They are sent with snapshots, so that they are present when the client's world
// reaches that tick. REPLICATION_FORMAT.md, "Events".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "net/snapshot/slice_id.h"
#include "net/wire/byte_io.h"
#include "registry/base/tick.h"
#include "registry/base/wire_limits.h"

namespace muster {

/// The maximum number of undelivered events of a client.
inline constexpr std::size_t kTimedEventsMax = 256;
inline constexpr std::size_t kTimedEventBytesMax = kEventBytesMax;
/// The maximum number of due events that a game has not read; beyond it the oldest are lost.
inline constexpr std::size_t kTimedEventsDueMax = 4096;
/// Number, tick, length.
inline constexpr std::size_t kTimedEventHeadBytes = 2 + 4 + 2;
/// The entity's id and generation.
inline constexpr std::size_t kEventSubjectBytes = 4 + 4;
/// The number of payloads that a received event waits for its entity. It covers the payloads of
/// some round trips and those that a server sends while it defers the entity for lack of room.
inline constexpr std::uint64_t kEventPatience = 1024;

/// What an event waits for: its entity. Also identifies any slice that a snapshot lists.
struct EventSubject {
  SliceId id{};  ///< For an event the entity's first slice.
  std::uint32_t generation = 0;
  friend bool operator==(const EventSubject&, const EventSubject&) = default;
};

/// Which payloads may contain an event.
enum class EventTurn : std::uint8_t {
  any = 0,
  /// Its entity may not have arrived: it may only be in payloads that contain the entity.
  waits = 1,
  together = 2,  ///< The next payload contains its entity, so it may be in that payload.
  never = 3,     ///< The entity will not be sent.
};

/// The sending side, for one client. Every payload contains an event until one of them is
/// confirmed, so a lost packet does not delay it by a round trip. Memory is bounded; nothing is
/// allocated in steady state.
class TimedEventSender {
 public:
  TimedEventSender() : slots_(kTimedEventsMax) {}

  /// False if too many wait, or the event is too long.
  bool push(Tick tick, std::span<const std::byte> event);
  /// Queues an event about an entity. The receiver has the entity (`any`), or the entity must
  /// arrive first; in this case the event waits until `settle` changes its turn.
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
  /// Writes a count and as many of the allowed events as fit into `bytes_max`, oldest first; writes
  /// nothing without events. `payload` is the caller's number of the payload that carries them.
  /// Returns the count.
  std::size_t write(SectionWriter& writer, std::size_t bytes_max, std::uint16_t payload);
  bool has_any() const { return begin_ != end_; }
  /// The size that `write` would use, up to `bytes_max`.
  std::size_t waiting_bytes(std::size_t bytes_max) const;
  /// True when an event waits for its entity.
  bool has_waiting() const { return waiting_ > 0; }
  /// The payload with this number was delivered.
  void delivered(std::uint16_t payload);
  void clear();

 private:
  /// Twice as many as a view allows in flight, and more than a snapshot's window.
  static constexpr std::size_t kPayloads = 64;

  struct Slot {
    Tick tick{};
    bool is_over = false;  ///< It was delivered, or never will be.
    EventTurn turn = EventTurn::any;
    bool has_subject = false;
    EventSubject subject;
    std::vector<std::byte> bytes;
  };
  /// Includes its header.
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
  std::uint32_t begin_ = 0;  ///< The oldest one that is not over.
  std::uint32_t end_ = 0;
  std::size_t waiting_ = 0;  ///< Events that wait for their entity.
  std::array<Carried, kPayloads> carried_;
};

/// A received event.
struct TimedEvent {
  Tick tick{};
  std::uint32_t number = 0;  ///< In the server's order of sending.
  std::span<const std::byte> bytes;
};

/// The receiver's state of an event's entity.
enum class SubjectState : std::uint8_t {
  shown = 0,  ///< The game has received it; it may be removed since.
  may_come = 1,
  is_past = 2,  ///< It was not shown and will not be.
};

/// The receiving side. Reports each event once, when its tick has been reached, in the order of
/// ticks. An event about an entity also waits until the entity was shown; this may be later than
/// the tick, if the entity's snapshot was overtaken. Memory is bounded against attackers: if too
/// many events wait, the earliest are reported before their tick.
class TimedEventReceiver {
 public:
  /// Reads what `write` wrote. `payload` numbers the payloads, to limit the waiting time. Returns
  /// false and changes nothing if it is malformed.
  bool read(SectionReader& reader, std::uint64_t payload);
  /// Calls `state_of(EventSubject, tick)` for each entity for which an event waits. `payload` is
  /// the number of the current payload. Drops the events whose entity was not shown in time, or can
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
  /// Makes the events up to `tick` due. Returns their number.
  std::size_t reach(Tick tick);
  /// The number of due events that were dropped for newer ones. Events removed by `reset` are not
  /// counted.
  std::uint64_t lost() const { return lost_; }
  /// The number of events dropped because their entity was not shown.
  std::uint64_t dropped() const { return dropped_; }
  std::span<const TimedEvent> due() const { return due_; }
  void clear_due();
  /// Removes everything, for another map.
  void reset();

 private:
  static constexpr std::size_t kWindow = 2 * kTimedEventsMax;

  struct Waiting {
    Tick tick{};
    std::uint32_t number = 0;
    std::uint64_t payload = 0;   ///< The payload that carried it.
    bool awaits_entity = false;  ///< Waits until its entity is shown.
    bool is_unshowable = false;  ///< Its entity will not be shown.
    EventSubject subject{};
    std::vector<std::byte> bytes{};
  };

  void queue(std::uint16_t number, Waiting event, std::span<const std::byte> bytes);
  void drop_unshowable();

  std::uint32_t next_ = 0;                         ///< The highest received number plus one.
  std::array<std::uint32_t, kWindow> received_{};  ///< Number plus one, by number.
  std::vector<Waiting> waiting_;                   ///< By tick, then number.
  std::vector<Waiting> reported_;                  ///< Owns the bytes of `due_`.
  std::vector<TimedEvent> due_;
  std::size_t awaiting_count_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace muster
